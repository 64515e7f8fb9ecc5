"""The page cache around a small app that counts its requests."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from voteweb.web.caching import page_cache
from voteweb.web.caching.page_cache import PageCache


class CountingApp:
    """An app whose pages tell how often they were rendered; ``views`` replace the view of a path."""

    def __init__(self) -> None:
        self.rendered: Counter[str] = Counter()
        self.views: dict[str, Callable[[Request], Response]] = {}
        self.last_request: Request

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        self.last_request = Request(environ)
        path = self.last_request.path
        self.rendered[path] += 1
        view = self.views.get(path, lambda _: Response(f"{path} {self.rendered[path]}", mimetype="text/html"))
        return view(self.last_request)(environ, start_response)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of the page cache, in seconds."""
    now = [1000.0]
    monkeypatch.setattr(page_cache, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def counting_app() -> CountingApp:
    return CountingApp()


@pytest.fixture
def cache(counting_app: CountingApp, clock: list[float]) -> PageCache:
    return PageCache(counting_app, 1.0, "voteweb")


@pytest.fixture
def client(cache: PageCache) -> Client:
    return Client(cache, use_cookies=False)
