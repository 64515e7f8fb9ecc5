"""The bounds of the page cache, requests for one page at the same time, and cookies as the app behind it reads them."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug.test import Client, create_environ, run_wsgi_app
from werkzeug.wrappers import Request, Response

from tests.helpers import until
from tests.web.caching.conftest import CountingApp
from voteweb.core import config
from voteweb.web.caching import page_cache
from voteweb.web.caching.page_cache import PageCache
from voteweb.web.i18n import locale


def test_number_and_bytes_of_pages_are_bounded(counting_app: CountingApp, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"/{i}" for i in range(40)]
    counting_app.views = dict.fromkeys(paths, lambda _: Response(b"x" * 100))
    for name, bound, kept in (("PAGE_CACHE_SIZE", 3, {3}), ("PAGE_CACHE_BYTES", 1600, {15, 16})):
        with monkeypatch.context() as patch:
            patch.setattr(config, name, bound)
            cache = PageCache(counting_app, 1.0, "voteweb")
            for path in paths:
                Client(cache, use_cookies=False).get(path)
            assert len(cache._cached._cached) in kept


def test_expired_pages_are_dropped(client: Client, cache: PageCache, clock: list[float]) -> None:
    for i in range(10):
        client.get(f"/{i}")
        client.get(f"/{i}")
    clock[0] += 1
    client.get("/new")
    assert [entry.value.body for entry in cache._cached._cached.values()] == [b"/new 1"]


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list with one item for each request that has begun to wait for the page of another one."""
    waiting: list[object] = []

    class RecordingFuture(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            waiting.append(self)
            return super().result(timeout)

    monkeypatch.setattr(page_cache, "Future", RecordingFuture)
    return waiting


def test_concurrent_requests_wait_for_one_rendering(
    cache: PageCache, counting_app: CountingApp, waiting: list[object]
) -> None:
    def slow(request: Request) -> Response:
        until(lambda: len(waiting) == 7)
        return Response("made")

    counting_app.views["/"] = slow
    with ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(lambda _: Client(cache).get("/"), range(8)))
    assert {response.text for response in responses} == {"made"}
    assert counting_app.rendered["/"] == 1


def test_waiting_requests_all_retry_at_once_after_a_failure(
    cache: PageCache, counting_app: CountingApp, waiting: list[object]
) -> None:
    """With an unavailable database, eight requests must not wait for it one after the other."""
    together = Barrier(7)

    def fail(request: Request) -> Response:
        if counting_app.rendered["/"] == 1:
            until(lambda: len(waiting) == 7)
        else:
            together.wait(10)
        return Response("away", 503)

    counting_app.views["/"] = fail
    with ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(lambda _: Client(cache).get("/"), range(8)))
    assert {response.status_code for response in responses} == {503}
    assert counting_app.rendered["/"] == 8
    assert not cache._pending


SESSION_COOKIE = "voteweb"
#: Pieces of headers around which parsers differ: blanks, quotes, empty names, bytes that are no UTF-8.
PIECES = st.sampled_from(
    [SESSION_COOKIE, "language", "zh", "en", "=", ";", ",", " ", "\t", '"', "\\", "\\075", "é", "\x80", "\xff"]
)


def personal_page(request: Request) -> Response:
    """Answer with all that a page of the site can take from cookies."""
    language = locale.negotiate(request.cookies.get(locale.COOKIE, ""), "")
    return Response(repr((request.cookies.get(SESSION_COOKIE), language.code)))


@given(header=st.lists(PIECES, max_size=12).map("".join))
@example(header="voteweb =stolen")
@example(header="voteweb=stolen; language=zh")
@example(header="language =zh")
@example(header="language=\xff")
def test_any_cookies_get_the_page_the_app_would_send(header: str) -> None:
    app = CountingApp()
    app.views["/"] = personal_page
    cache = PageCache(app, 60.0, SESSION_COOKIE)
    client = Client(cache, use_cookies=False)
    client.get("/")
    environ = create_environ("/", headers=[("Cookie", header)])
    answers = ["".join(part.decode() for part in run_wsgi_app(wsgi, dict(environ))[0]) for wsgi in (cache, app)]
    assert answers[0] == answers[1]
    assert "stolen" not in client.get("/").text
