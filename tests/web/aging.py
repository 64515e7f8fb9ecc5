"""Clocks of sites that keep pages for a second, and browsers that forget the mark of an act in time."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from flask import Flask, has_app_context
from werkzeug.http import parse_cookie

from voteweb.store.connection.connection import Connection
from voteweb.web.caching import page_cache, shared_pages
from voteweb.web.caching.shared_pages import ACTED

SESSION = "voteweb"
#: Seconds that pass after what this browser did not do itself: more than its mark lasts.
_LONG = 10.0


class Clock:
    """The clock of all kept pages of these tests, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._marked_until: dict[str, float] = {}

    def rule(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Be the clock until the test ends."""
        monkeypatch.setattr(page_cache, "monotonic", lambda: self.now)
        monkeypatch.setattr(shared_pages, "monotonic", lambda: self.now)

    def expire_marks(self, app: Flask) -> None:
        """Take the mark of an act from requests to *app* once it has ended, as browsers do."""
        inner = app.wsgi_app

        def call(environ: Any, start_response: Any) -> Iterable[bytes]:
            cookies = parse_cookie(environ)
            browser = cookies.get(SESSION, "")
            if ACTED in cookies and self._marked_until.get(browser, 0.0) <= self.now:
                kept = [cookie for cookie in environ["HTTP_COOKIE"].split("; ") if not cookie.startswith(f"{ACTED}=")]
                environ["HTTP_COOKIE"] = "; ".join(kept)

            def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
                set_cookies = dict(value.split("=", 1) for name, value in headers if name == "Set-Cookie")
                session = set_cookies.get(SESSION, browser).partition(";")[0]
                if ACTED in set_cookies:
                    self._marked_until[session] = self.now + int(set_cookies[ACTED].split("Max-Age=")[1].split(";")[0])
                elif session != browser:
                    self._marked_until[session] = self._marked_until.get(browser, 0.0)
                return start_response(status, headers, *exc_info)

            return inner(environ, start)

        app.wsgi_app = call  # type: ignore[method-assign]


class AgingClock(Clock):
    """A clock that leaves pages old only for whoever has just acted.

    Whatever tests write into the store, and what another browser did, is more than a second ago when a page is asked
    for. So every test of a page holds on a site that keeps pages, and what shows its own act too late is seen.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last_writer: str | None = None

    def rule(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().rule(monkeypatch)
        self.pass_time()
        for name in ("script", "command", "run"):
            monkeypatch.setattr(Connection, name, self._aging(getattr(Connection, name)))

    def pass_time(self) -> None:
        """Advance the clock until all kept pages are too old."""
        self.now += _LONG

    def _aging(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if not has_app_context():
                self.pass_time()
            return method(*arguments, **options)

        return call

    def watch(self, app: Flask) -> None:
        """Advance the clock when another browser than that of the last form requests something from *app*."""
        self.expire_marks(app)
        inner = app.wsgi_app

        def call(environ: Any, start_response: Any) -> Iterable[bytes]:
            browser = parse_cookie(environ).get(SESSION, "")
            if self._last_writer not in (None, browser):
                self.pass_time()
            if environ["REQUEST_METHOD"] == "POST":
                self._last_writer = browser
            return inner(environ, start_response)

        app.wsgi_app = call  # type: ignore[method-assign]
