"""Watches requests: gives each an id that its answer carries, and tells the log and the counts what became of it."""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, g, request

from voteweb.core.config import Settings
from voteweb.web.monitoring import access_log, metrics, request_record
from voteweb.web.monitoring.request_record import RequestRecord

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

#: Is told of each request: what was asked, what became of it, and how many seconds that took.
Listener = Callable[["WSGIEnvironment", RequestRecord, float], None]


class MonitoringMiddleware:
    """A WSGI layer around the site, which tells its *listeners* of every request that reaches it."""

    def __init__(self, app: "WSGIApplication", listeners: Iterable[Listener]) -> None:
        self._app = app
        self._listeners = tuple(listeners)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Let the site answer, and tell of it once the answer is ready to be sent."""
        began = perf_counter()
        note = request_record.start(environ)

        def start(status: str, headers: list[tuple[str, str]], *failure: Any) -> Any:
            note.status = status[:3]
            return start_response(status, [*headers, (request_record.HEADER, note.id)], *failure)

        try:
            return self._app(environ, start)
        finally:
            took = perf_counter() - began
            for tell in self._listeners:
                tell(environ, note, took)


def monitors_cached_pages(settings: Settings) -> bool:
    """Tell whether requests that are answered with a kept page are to be watched too."""
    return bool(settings.metrics_token or (settings.log_kept and settings.log != "off"))


def init_app(app: Flask, settings: Settings) -> None:
    """Watch *app*, as it is wrapped by now; the log and the counts are told as *settings* ask for."""

    @app.after_request
    def note(response: Response) -> Response:
        mine, viewer = request_record.get(request.environ), g.get("viewer")
        mine.route = request.endpoint or request_record.UNKNOWN_ROUTE
        if viewer:
            mine.member = viewer.id
        return response

    access_log.configure(settings)
    listeners: list[Listener] = []
    if settings.log != "off":
        listeners.append(access_log.AccessLog(settings))
    counts = metrics.get(app)
    if counts:
        listeners.append(lambda _environ, note, took: counts.request(note.route, note.status, note.page, took))
    app.wsgi_app = MonitoringMiddleware(app.wsgi_app, listeners)  # type: ignore[method-assign]
