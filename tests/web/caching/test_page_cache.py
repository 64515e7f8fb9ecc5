"""The page cache: which requests share a page, and which responses are cached."""

from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from tests.web.caching.conftest import CountingApp
from voteweb.core import config
from voteweb.web.caching.page_cache import page_key


def cookie(value: str) -> dict[str, str]:
    return {"Cookie": value}


def test_page_is_rendered_once_a_second(client: Client, clock: list[float]) -> None:
    assert [client.get("/").text for _ in range(3)] == ["/ 1"] * 3
    clock[0] += 0.99
    assert client.get("/").text == "/ 1"
    clock[0] += 0.01
    assert client.get("/").text == "/ 2"


def test_age_counts_from_the_start_of_rendering(client: Client, counting_app: CountingApp, clock: list[float]) -> None:
    def slow(request: Request) -> Response:
        clock[0] += 0.7
        return Response(str(counting_app.rendered["/slow"]))

    counting_app.views["/slow"] = slow
    assert client.get("/slow").text == "1"
    clock[0] += 0.31
    assert client.get("/slow").text == "2"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"path": "/"}, {"path": "/new"}),
        ({"path": "/", "query_string": "page=2"}, {"path": "/", "query_string": "page=3"}),
        ({"path": "/new", "query_string": "page=2&from=1.5"}, {"path": "/new", "query_string": "page=2&from=1.25"}),
        ({"path": "/", "base_url": "http://a.example"}, {"path": "/", "base_url": "http://b.example"}),
        ({"path": "/"}, {"path": "/", "headers": {"Accept-Language": "zh-CN, en;q=0.5"}}),
        ({"path": "/", "headers": cookie("language=zh")}, {"path": "/", "headers": cookie("language=en")}),
        (
            {"path": "/", "headers": {"Accept-Language": "zh"}},
            {"path": "/", "headers": {"Accept-Language": "zh", **cookie("language=en")}},
        ),
    ],
)
def test_different_pages_are_cached_separately(
    one: dict[str, Any], other: dict[str, Any], client: Client, counting_app: CountingApp
) -> None:
    for options in (one, other, one, other):
        client.get(**options)
    assert counting_app.rendered.total() == 2


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Accept-Language": "en-US,en;q=0.5"},
        cookie("language=en"),
        cookie("theirs=1; analytics=voteweb"),
        {"User-Agent": "x", "Referer": "http://elsewhere.example", "VisitorAddress": "9.9.9.9"},
        {"Range": "bytes=0-1"},
    ],
)
def test_irrelevant_headers_share_a_page(headers: dict[str, str], client: Client, counting_app: CountingApp) -> None:
    client.get("/")
    response = client.get("/", headers=headers)
    assert (response.status_code, response.text) == (200, "/ 1")


@pytest.mark.parametrize(
    "options",
    [
        {"path": "/", "headers": cookie("voteweb=anything")},
        {"path": "/", "query_string": "utm_source=x"},
        {"path": "/", "query_string": "page=2&x=1"},
        {"path": "/", "query_string": "page=02"},
        {"path": "/", "query_string": "page=2%0a"},
        {"path": "/new", "query_string": "from=1.5"},
        {"path": "/new", "query_string": "page=2&from=-1"},
        {"path": "/", "method": "POST"},
        {"path": "/static/site.css"},
    ],
)
def test_other_requests_pass_through(options: dict[str, Any], client: Client, counting_app: CountingApp) -> None:
    client.get("/")
    counting_app.rendered.clear()
    for _ in range(2):
        client.open(**options)
    assert counting_app.rendered.total() == 2


@pytest.mark.parametrize(
    "response",
    [
        Response("away", 503, {"Retry-After": "2"}),
        Response("", 303, {"Location": "/login"}),
        Response("form", headers={"Set-Cookie": "voteweb=token"}),
        Response("mine", headers={"Cache-Control": "private"}),
        Response("secret", headers={"Cache-Control": "no-store"}),
        Response(b"x" * (config.PAGE_CACHE_BYTES // 16 + 1)),
    ],
)
def test_personal_and_failed_responses_are_not_cached(
    response: Response, client: Client, counting_app: CountingApp
) -> None:
    counting_app.views["/x"] = lambda request: response
    for _ in range(2):
        sent = client.get("/x")
        assert (sent.status_code, sent.data) == (response.status_code, response.data)
        assert sent.headers.get("Set-Cookie") == response.headers.get("Set-Cookie")
    assert counting_app.rendered["/x"] == 2


def test_exception_leaves_no_request_waiting(client: Client, counting_app: CountingApp) -> None:
    def broken(request: Request) -> Response:
        raise RuntimeError

    counting_app.views["/"] = broken
    for _ in range(2):
        with pytest.raises(RuntimeError):
            client.get("/")
    del counting_app.views["/"]
    assert client.get("/").status_code == 200


def test_page_for_no_host_is_not_for_an_empty_one() -> None:
    request = {"wsgi.url_scheme": "http", "PATH_INFO": "/new"}
    assert page_key(request, "en") != page_key(request | {"HTTP_HOST": ""}, "en")
