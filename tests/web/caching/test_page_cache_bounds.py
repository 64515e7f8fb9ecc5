"""The bounds of the page cache, and requests for one page at the same time."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from tests.helpers import until
from tests.web.caching.conftest import CountingApp
from voteweb.core import config
from voteweb.web.caching import page_cache
from voteweb.web.caching.page_cache import PageCache


def cached_paths(client: Client, counting_app: CountingApp, paths: list[str]) -> list[str]:
    """Return the first of *paths* that are cached, up to one that is not."""
    cached = []
    for path in paths:
        before = counting_app.rendered[path]
        client.get(path)
        if counting_app.rendered[path] != before:
            break
        cached.append(path)
    return cached


def test_number_of_pages_is_bounded(client: Client, counting_app: CountingApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "PAGE_CACHE_SIZE", 3)
    paths = [f"/{i}" for i in range(10)]
    for path in paths:
        client.get(path)
    assert cached_paths(client, counting_app, paths[::-1]) == ["/9", "/8", "/7"]


def test_bytes_of_all_pages_are_bounded(counting_app: CountingApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "PAGE_CACHE_BYTES", 1600)
    client = Client(PageCache(counting_app, 1.0, "voteweb"), use_cookies=False)
    paths = [f"/{i}" for i in range(40)]
    for path in paths:
        counting_app.views[path] = lambda _: Response(b"x" * 100)
        client.get(path)
        client.get("/0")
    newest = [path for path in paths[::-1] if path != "/0"]
    assert len(cached_paths(client, counting_app, newest)) in (15, 16), "16 pages, perhaps with /0 among them"


def test_expired_pages_are_dropped(client: Client, cache: PageCache, clock: list[float]) -> None:
    for i in range(10):
        client.get(f"/{i}")
        client.get(f"/{i}")
    clock[0] += 1
    client.get("/new")
    assert [page.body for page, _ in cache._cached._cached.values()] == [b"/new 1"]


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
