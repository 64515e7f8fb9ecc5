"""The layer that keeps readers' pages, around a small app that counts how often it is asked."""

import gzip
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from tests.helpers import until
from voteweb.core import config
from voteweb.web.caching import page_cache
from voteweb.web.caching.page_cache import PageCache


class Site:
    """An app whose pages say how often they were made; ``answers`` may change what a path answers."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.answers: dict[str, Any] = {}
        self.last: Request

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        self.last = Request(environ)
        path = self.last.path
        self.made[path] += 1
        make = self.answers.get(path, lambda request: Response(f"{path} {self.made[path]}", mimetype="text/html"))
        return make(self.last)(environ, start_response)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock that the layer reads, in seconds."""
    now = [1000.0]
    monkeypatch.setattr(page_cache, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def cache(site: Site, clock: list[float]) -> PageCache:
    return PageCache(site, 1.0, "voteweb")


@pytest.fixture
def client(cache: PageCache) -> Client:
    return Client(cache, use_cookies=False)


def cookie(value: str) -> dict[str, str]:
    return {"Cookie": value}


def test_a_page_is_made_once_a_second(client: Client, clock: list[float]) -> None:
    assert [client.get("/").text for _ in range(3)] == ["/ 1"] * 3
    clock[0] += 0.99
    assert client.get("/").text == "/ 1"
    clock[0] += 0.01
    assert client.get("/").text == "/ 2"


def test_its_age_counts_from_when_its_making_began(client: Client, site: Site, clock: list[float]) -> None:
    def slow(request: Request) -> Response:
        clock[0] += 0.7
        return Response(str(site.made["/slow"]))

    site.answers["/slow"] = slow
    assert client.get("/slow").text == "1"
    clock[0] += 0.31
    assert client.get("/slow").text == "2"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"path": "/"}, {"path": "/new"}),
        ({"path": "/", "query_string": "page=2"}, {"path": "/"}),
        ({"path": "/", "query_string": "page=2"}, {"path": "/", "query_string": "page=3"}),
        ({"path": "/", "base_url": "http://a.example"}, {"path": "/", "base_url": "http://b.example"}),
        ({"path": "/", "base_url": "http://a.example"}, {"path": "/", "base_url": "https://a.example"}),
        ({"path": "/"}, {"path": "/", "headers": {"Accept-Language": "zh-CN, en;q=0.5"}}),
        ({"path": "/", "headers": cookie("language=zh")}, {"path": "/", "headers": cookie("language=en")}),
        (
            {"path": "/", "headers": {"Accept-Language": "zh"}},
            {"path": "/", "headers": {"Accept-Language": "zh", **cookie("language=en")}},
        ),
    ],
)
def test_different_pages_are_kept_apart(one: dict[str, Any], other: dict[str, Any], client: Client, site: Site) -> None:
    for each in (one, other, one, other):
        client.get(**each)
    assert site.made.total() == 2


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Accept-Language": "en-US,en;q=0.5"},
        {"Accept-Language": "fr"},
        cookie("language=en"),
        cookie("language=nonsense"),
        cookie("theirs=1; analytics=voteweb"),
        {"User-Agent": "x", "Referer": "http://elsewhere.example", "X-Forwarded-For": "9.9.9.9"},
        {"Range": "bytes=0-1"},
    ],
)
def test_what_makes_no_difference_shares_a_page(headers: dict[str, str], client: Client, site: Site) -> None:
    client.get("/")
    answer = client.get("/", headers=headers)
    assert (answer.status_code, answer.text) == (200, "/ 1")


@pytest.mark.parametrize(
    "request_",
    [
        {"path": "/", "headers": cookie("voteweb=anything")},
        {"path": "/", "headers": cookie("language=zh; voteweb=.eJx")},
        {"path": "/", "headers": cookie("x=y;voteweb=")},
        {"path": "/", "query_string": "utm_source=x"},
        {"path": "/", "query_string": "page=2&x=1"},
        {"path": "/", "query_string": "page=02"},
        {"path": "/", "query_string": "page=0"},
        {"path": "/", "query_string": "page=%32"},
        {"path": "/", "query_string": "page=2%0a"},
        {"path": "/", "query_string": "page=1234567890"},
        {"path": "/", "method": "POST"},
        {"path": "/", "method": "OPTIONS"},
        {"path": "/static/site.css"},
    ],
)
def test_what_may_not_be_kept_passes_through(request_: dict[str, Any], client: Client, site: Site) -> None:
    client.get("/")
    site.made.clear()
    for _ in range(2):
        client.open(**request_)
    assert site.made.total() == 2


@pytest.mark.parametrize(
    "answer",
    [
        Response("wrong", 404),
        Response("away", 503, {"Retry-After": "2"}),
        Response("", 303, {"Location": "/login"}),
        Response("gone", 410),
        Response("form", headers={"Set-Cookie": "voteweb=token"}),
        Response("mine", headers={"Cache-Control": "private"}),
        Response("secret", headers={"Cache-Control": "no-store"}),
        Response(b"x" * (config.PAGE_CACHE_BYTES // 16 + 1)),
    ],
)
def test_what_is_not_for_everybody_or_went_wrong_is_not_kept(answer: Response, client: Client, site: Site) -> None:
    site.answers["/x"] = lambda request: answer
    for _ in range(2):
        found = client.get("/x")
        assert (found.status_code, found.data) == (answer.status_code, answer.data)
        assert found.headers.get("Set-Cookie") == answer.headers.get("Set-Cookie")
    assert site.made["/x"] == 2


def test_a_failure_is_forgotten_at_once(client: Client, site: Site) -> None:
    site.answers["/"] = lambda request: Response("away", 503)
    assert client.get("/").status_code == 503
    del site.answers["/"]
    assert client.get("/").text == "/ 2"


def test_an_app_that_breaks_leaves_nobody_waiting(client: Client, site: Site) -> None:
    def broken(request: Request) -> Response:
        raise RuntimeError

    site.answers["/"] = broken
    for _ in range(2):
        with pytest.raises(RuntimeError):
            client.get("/")
    del site.answers["/"]
    assert client.get("/").status_code == 200


def test_head_has_the_headers_of_the_page_and_no_body(client: Client, site: Site) -> None:
    first = client.head("/")
    page = client.get("/")
    assert site.made["/"] == 1
    assert site.last.method == "GET"
    assert first.data == b""
    assert dict(first.headers) == dict(page.headers)
    assert first.headers["Content-Length"] == str(len(page.data))


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [("gzip", True), ("gzip, deflate, br", True), ("*", True), ("", False), ("br", False), ("gzip;q=0", False)],
)
def test_it_is_compressed_for_whoever_takes_it(accepted: str, compressed: bool, client: Client, site: Site) -> None:
    answer = client.get("/", headers={"Accept-Encoding": accepted} if accepted else {})
    assert answer.headers.get("Content-Encoding") == ("gzip" if compressed else None)
    assert answer.headers["Content-Length"] == str(len(answer.data))
    assert (gzip.decompress(answer.data) if compressed else answer.data) == b"/ 1"
    assert "Accept-Encoding" in answer.headers["Vary"]


def test_who_has_the_page_is_not_sent_it_again(client: Client, clock: list[float]) -> None:
    tag = client.get("/", headers={"Accept-Encoding": "gzip"}).headers["ETag"]
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        again = client.get("/", headers={"If-None-Match": tag, **headers})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == tag
        assert "Content-Length" not in again.headers
        assert "Content-Encoding" not in again.headers
    assert client.get("/", headers={"If-None-Match": '"other"'}).status_code == 200
    clock[0] += 1
    assert client.get("/", headers={"If-None-Match": tag}).text == "/ 2"


def test_a_condition_of_the_first_asker_makes_no_empty_page_for_the_next(client: Client, site: Site) -> None:
    site.answers["/"] = lambda request: Response("304" if request.if_none_match else "whole")
    assert client.get("/", headers={"If-None-Match": '"old"', "Range": "bytes=0-0"}).text == "whole"
    assert client.get("/").text == "whole"


def test_the_sites_own_validators_stay(client: Client, site: Site) -> None:
    changed = "Sat, 21 Nov 2026 10:00:00 GMT"
    site.answers["/feed"] = lambda request: Response("x", headers={"ETag": '"own"', "Last-Modified": changed})
    assert client.get("/feed").headers["ETag"] == 'W/"own"'
    assert client.get("/feed", headers={"If-None-Match": '"own"'}).status_code == 304
    assert client.get("/feed", headers={"If-Modified-Since": changed}).status_code == 304
    earlier = "Sat, 21 Nov 2026 09:00:00 GMT"
    assert client.get("/feed", headers={"If-Modified-Since": earlier}).status_code == 200
    assert client.get("/feed", headers={"If-Modified-Since": changed, "If-None-Match": '"other"'}).status_code == 200


def test_its_headers_are_the_sites_own(client: Client, site: Site) -> None:
    site.answers["/"] = lambda request: Response("x", headers={"Vary": "Cookie", "Content-Language": "en"})
    for _ in range(2):
        answer = client.get("/")
        assert answer.headers["Vary"] == "Cookie, Accept-Encoding"
        assert answer.headers["Content-Language"] == "en"


def test_no_more_pages_are_kept_than_is_allowed(
    client: Client, cache: PageCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "PAGES_KEPT", 3)
    for i in range(10):
        client.get(f"/{i}")
    assert [key[2] for key in cache._pages] == ["/7", "/8", "/9"]


def test_no_more_bytes_are_kept_than_are_allowed(
    client: Client, cache: PageCache, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "PAGES_KEPT_BYTES", 1600)
    for i in range(40):
        site.answers[f"/{i}"] = lambda request: Response(b"x" * 100)
        client.get(f"/{i}")
        client.get("/0")
    assert cache._bytes == sum(len(page.body) for page in cache._pages.values()) <= 1600
    assert client.get("/39").data == b"x" * 100


def test_what_is_too_old_is_let_go(client: Client, cache: PageCache, clock: list[float]) -> None:
    for i in range(10):
        client.get(f"/{i}")
    clock[0] += 1
    client.get("/new")
    assert [key[2] for key in cache._pages] == ["/new"]


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Grows by one for each request that begins to wait for another one's page."""
    begun: list[object] = []

    class Seen(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            begun.append(self)
            return super().result(timeout)

    monkeypatch.setattr(page_cache, "Future", Seen)
    return begun


def test_whoever_asks_while_it_is_made_waits_for_it(cache: PageCache, site: Site, waiting: list[object]) -> None:
    def slow(request: Request) -> Response:
        until(lambda: len(waiting) == 7)
        return Response("made")

    site.answers["/"] = slow
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: Client(cache).get("/"), range(8)))
    assert {each.text for each in answers} == {"made"}
    assert site.made["/"] == 1


def test_whoever_waited_in_vain_asks_alone_and_all_at_once(cache: PageCache, site: Site, waiting: list[object]) -> None:
    """One database that is away must not make eight askers wait for it one after the other."""
    together = Barrier(7)

    def failing(request: Request) -> Response:
        if site.made["/"] == 1:
            until(lambda: len(waiting) == 7)
        else:
            together.wait(10)
        return Response("away", 503)

    site.answers["/"] = failing
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: Client(cache).get("/"), range(8)))
    assert {each.status_code for each in answers} == {503}
    assert site.made["/"] == 8
    assert not cache._makings
