"""The monitoring of requests: each gets an id, which its response contains, a line in the access log, and metrics."""

from collections.abc import Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from flask import Flask

from voteweb.core.settings import Settings
from voteweb.store.connection.connection import one_deadline
from voteweb.web.monitoring import access_log, metrics, request_record

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def init_app(app: Flask, settings: Settings) -> None:
    """Monitor *app* with the WSGI layers that it has so far; *settings* choose access log and metrics."""
    access_log.configure(settings)
    inner = app.wsgi_app
    log = access_log.AccessLog(settings) if settings.log != "off" else None

    def monitored(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        started = perf_counter()
        record = request_record.start(environ)

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            record.status = status[:3]
            return start_response(status, [*headers, (request_record.HEADER, record.id)], *exc_info)

        try:
            with one_deadline():
                return inner(environ, start)
        finally:  # the response is ready to be sent
            seconds = perf_counter() - started
            if log:
                log(environ, record, seconds)
            if settings.metrics_token:
                metrics.request_series(record.route, record.status, record.cache_status).observe(seconds)

    app.wsgi_app = monitored  # type: ignore[method-assign]
