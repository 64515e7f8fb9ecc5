"""The log, on standard error, as text or as JSON: a line for each request, and one for whatever went wrong.

Nothing that opens a door is in it: no query but a page's number, no token of an address, no cookie, no form.
"""

import json
import logging
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from flask import has_request_context, request

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.web.monitoring import request_record
from voteweb.web.monitoring.request_record import RequestRecord

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_STDERR = 2
#: Addresses whose second part is a token, however they are typed.
_TOKEN = re.compile("^(/+(?:reset|invitations)/+)[^/]+", re.IGNORECASE)
_PAGE = re.compile("page=[0-9]{1,9}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
#: What would end a line or colour a terminal.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def configure(settings: Settings) -> None:
    """Let whatever goes wrong be written as *settings* say, unless somebody has set up logging already."""
    logger = logging.getLogger("voteweb")
    logger.setLevel(logging.INFO)
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(EventFormatter(settings.log))
        logger.addHandler(handler)


def server_log_config(form: str) -> dict[str, Any]:
    """Return how the web server is to log, as ``dictConfig`` reads it: as the site does, in this *form*."""
    return {
        "formatters": {"events": {"()": EventFormatter, "form": form}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "events"}},
        "loggers": {"_granian": {"handlers": ["stderr"], "propagate": False}},
    }


class EventFormatter(logging.Formatter):
    """Writes what happened in one line, with the id of the request in which it did; as text, a trace follows it."""

    def __init__(self, form: str = "text") -> None:
        super().__init__()
        self._as_json = form == "json"

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of *record*."""
        words = record.getMessage()
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        id = request_record.get(request.environ).id if has_request_context() else None
        if self._as_json:
            told = {"time": _stamp(record.created), "id": id, "level": record.levelname, "message": words}
            return json.dumps(told | ({"trace": trace} if trace else {}))
        line = f"{_stamp(record.created)} {id or '-'} {record.levelname} {_CONTROLS.sub('?', words)}"
        return f"{line}\n{trace}" if trace else line


class AccessLog:
    """Writes the line of each request that *settings* want to see in the log."""

    def __init__(self, settings: Settings) -> None:
        self._line = json.dumps if settings.log == "json" else _plain
        self._kept_too = bool(settings.log_kept)
        self._addresses = bool(settings.log_addresses)

    def __call__(self, environ: "WSGIEnvironment", note: RequestRecord, seconds: float) -> None:
        """Write the line of the request of *environ*, which took so many *seconds*."""
        if note.page == request_record.HIT and not self._kept_too:
            return
        method = environ["REQUEST_METHOD"]
        told = {
            "time": _stamp(time.time()),
            "id": note.id,
            "method": method if method in _METHODS else None,
            "path": loggable_path(environ.get("PATH_INFO", ""), environ.get("QUERY_STRING", "")),
            "status": int(note.status),
            "microseconds": int(seconds * 1e6),
            "member": note.member or None,
        }
        if self._addresses:
            told["address"] = environ.get("REMOTE_ADDR") or None
        with suppress(OSError):  # a log that is full or gone must not take the site with it
            os.write(_STDERR, f"{self._line(told)}\n".encode())  # in one piece: no other worker comes between


@lru_cache(maxsize=config.FRAGMENT_CACHE_SIZE)
def loggable_path(path: str, query: str) -> str:
    """Return what the log may show of an address, in ASCII and without a blank."""
    bare = _TOKEN.sub(r"\1***", path).encode("latin-1", "replace")
    seen = quote(bare, safe="/:@!$&'()*+,;=~")[: config.MAX_LOGGED_PATH_LENGTH]
    return f"{seen}?{query}" if _PAGE.fullmatch(query) else seen


def _plain(told: Mapping[str, Any]) -> str:
    return " ".join("-" if value is None else str(value) for value in told.values())


@lru_cache(maxsize=2)
def _second(now: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))


def _stamp(now: float) -> str:
    return f"{_second(int(now))}.{int(now % 1 * 1000):03d}Z"
