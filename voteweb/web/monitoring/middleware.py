"""The monitoring of requests: each gets an id, which its response contains, a line in the access log, and metrics."""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from flask import Flask

from voteweb.core.settings import Settings
from voteweb.store.connection.connection import one_deadline
from voteweb.web.monitoring import access_log, metrics, request_record
from voteweb.web.monitoring.request_record import RequestRecord

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

#: Receives each finished request: its environ, its record, and how many seconds it took.
Listener = Callable[["WSGIEnvironment", RequestRecord, float], None]


class MonitoringMiddleware:
    """A WSGI layer that calls its *listeners* after every request that reaches it."""

    def __init__(self, app: "WSGIApplication", listeners: Iterable[Listener]) -> None:
        self._app = app
        self._listeners = tuple(listeners)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Pass the request to the app, and call the listeners once the response is ready to be sent."""
        started = perf_counter()
        record = request_record.start(environ)

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            record.status = status[:3]
            return start_response(status, [*headers, (request_record.HEADER, record.id)], *exc_info)

        try:
            with one_deadline():
                return self._app(environ, start)
        finally:
            seconds = perf_counter() - started
            for listener in self._listeners:
                listener(environ, record, seconds)


def monitors_cached_pages(settings: Settings) -> bool:
    """Tell whether requests that the page cache answers are monitored too."""
    return bool(settings.metrics_token)


def init_app(app: Flask, settings: Settings) -> None:
    """Monitor *app* with the WSGI layers that it has so far; *settings* choose access log and metrics."""
    access_log.configure(settings)
    app.wsgi_app = MonitoringMiddleware(app.wsgi_app, _listeners(settings))  # type: ignore[method-assign]


def _listeners(settings: Settings) -> Iterable[Listener]:
    if settings.log != "off":
        yield access_log.AccessLog(settings)
    if settings.metrics_token:
        yield lambda _environ, record, seconds: metrics.request_series(
            record.route, record.status, record.cache_status
        ).observe(seconds)
