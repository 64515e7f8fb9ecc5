"""The log on standard error, as text or as JSON: one line for each request and for each event, such as an error.

It contains nothing secret: no query but a page number, no token of an address, no cookie, no form.
"""

import json
import logging
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from flask import has_request_context, request

from voteweb.core import config
from voteweb.core.caches import cache_short
from voteweb.core.settings import Settings
from voteweb.web.monitoring import request_record
from voteweb.web.monitoring.request_record import RequestRecord

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_STDERR = 2
#: Paths whose second, third or fourth part is a token, in any spelling; nginx.conf and the Caddyfile mask them, too.
_TOKEN = re.compile(
    "^(/+(?:reset|invitations|(?:inbox|saved)/+feed|account/+mail/+confirm|mail/+stop)/+)[^/]+", re.IGNORECASE
)
#: The token of a program, which somebody has put into an address by mistake.
_PROGRAM_TOKEN = re.compile(r"vw_[\w-]+\.[\w-]+", re.ASCII)
_PAGE = re.compile(f"page=[0-9]{{1,{config.MAX_PAGE_DIGITS}}}(?:&from={config.TIME_PATTERN})?")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
#: Characters that end a line or control a terminal.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_PATH_CACHE_SIZE = 1_024


def configure(settings: Settings) -> None:
    """Log events in the format of *settings*, unless logging is set up already."""
    logger = logging.getLogger("voteweb")
    logger.setLevel(logging.INFO)
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(EventFormatter(settings.log))
        logger.addHandler(handler)


def server_log_config(log_format: str) -> dict[str, Any]:
    """Return the ``dictConfig`` that makes the web server log its events as the site does, as "text" or "json"."""
    return {
        "formatters": {"events": {"()": EventFormatter, "log_format": log_format}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "events"}},
        "loggers": {"_granian": {"handlers": ["stderr"], "propagate": False}},
    }


class EventFormatter(logging.Formatter):
    """Formats an event in one line with the id of its request; in text format, a traceback follows."""

    def __init__(self, log_format: str = "text") -> None:
        super().__init__()
        self._is_json = log_format == "json"

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        id = request_record.get(request.environ).id if has_request_context() else None
        if self._is_json:
            event = {"time": _timestamp(record.created), "id": id, "level": record.levelname, "message": message}
            return json.dumps(event | ({"trace": trace} if trace else {}))
        line = f"{_timestamp(record.created)} {id or '-'} {record.levelname} {_CONTROLS.sub('?', message)}"
        return f"{line}\n{trace}" if trace else line


class AccessLog:
    """Writes one line for each request; but for those that the page cache answers; *settings* choose the format."""

    def __init__(self, settings: Settings) -> None:
        self._format = json.dumps if settings.log == "json" else _plain
        self._logs_addresses = bool(settings.log_addresses)

    def __call__(self, environ: "WSGIEnvironment", record: RequestRecord, seconds: float) -> None:
        """Write the line of the request of *environ*, which took *seconds*."""
        if record.cache_status == request_record.HIT:
            return
        method = environ["REQUEST_METHOD"]
        entry = {
            "time": _timestamp(time.time()),
            "id": record.id,
            "method": method if method in _METHODS else None,
            "path": loggable_path(environ.get("PATH_INFO", ""), environ.get("QUERY_STRING", "")),
            "status": int(record.status),
            "microseconds": int(seconds * 1e6),
            "member": record.member or None,
        }
        if self._logs_addresses:
            entry["address"] = environ.get("REMOTE_ADDR") or None
        with suppress(OSError):  # a log that is full or gone must not stop the site
            os.write(_STDERR, f"{self._format(entry)}\n".encode())  # one write, so that lines of workers do not mix


# Takes 4 µs; a reader's page that is kept, whose requests may be logged, takes 25.
@cache_short(_PATH_CACHE_SIZE)
def loggable_path(path: str, query: str) -> str:
    """Return *path* and *query* as the log may contain them: without secrets, in ASCII, without blanks."""
    masked = _PROGRAM_TOKEN.sub("vw_***", _TOKEN.sub(r"\1***", path)).encode("latin-1", "replace")
    quoted = quote(masked, safe="/:@!$&'()*+,;=~")[: config.MAX_LOGGED_PATH_LENGTH]
    return f"{quoted}?{query}" if _PAGE.fullmatch(query) else quoted


def _plain(entry: Mapping[str, Any]) -> str:
    return " ".join("-" if value is None else str(value) for value in entry.values())


def _timestamp(now: float) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1000):03d}Z"
