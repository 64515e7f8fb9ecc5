"""The log: one line for each request and event, without secrets, and that no request can forge."""

import json
import logging
import re
from typing import Any

import pytest
from flask import Flask

from voteweb.core.config import MAX_LOGGED_PATH_LENGTH
from voteweb.core.settings import Settings
from voteweb.web.monitoring import request_record
from voteweb.web.monitoring.access_log import AccessLog, EventFormatter, loggable_path
from voteweb.web.monitoring.request_record import RequestRecord

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.mark.parametrize(
    ("path", "query", "line"),
    [
        ("/", "", "/"),
        ("/new", "page=2", "/new?page=2"),
        ("/new", "page=2&from=1795951549.312", "/new?page=2&from=1795951549.312"),
        ("/g/编程".encode().decode("latin-1"), "", "/g/%E7%BC%96%E7%A8%8B"),
        # secrets
        ("/reset/Secret-1", "", "/reset/***"),
        ("/RESET/Secret-1", "", "/RESET/***"),
        ("//reset//Secret-1", "", "//reset//***"),
        ("/invitations/Secret-1/revoke", "", "/invitations/***/revoke"),
        ("/inbox/feed/Secret-1.atom", "", "/inbox/feed/***"),
        ("/mail/stop/bob.Secret-1", "", "/mail/stop/***"),
        ("/signup", "invite=Secret-1", "/signup"),
        ("/login", "next=/reset/Secret-1", "/login"),
        ("/new", "page=2&csrf_token=Secret-1", "/new"),
        ("/new", "page=Secret-1", "/new"),
        # what would look like another line, or colour a terminal
        ("/x\n2026-01-01T00:00:00.000Z forged", "", "/x%0A2026-01-01T00:00:00.000Z%20forged"),
        ("/\x1b[31mred\x00\r\x7f", "", "/%1B%5B31mred%00%0D%7F"),
        ("/new", "page=2\n", "/new"),
        ("/\u2028", "", "/%3F"),
    ],
)
def test_address_is_logged_without_secrets_and_in_one_piece(path: str, query: str, line: str) -> None:
    assert loggable_path(path, query) == line
    assert len(loggable_path("/" + "ä" * 10_000, "")) == MAX_LOGGED_PATH_LENGTH


def request(**fields: Any) -> RequestRecord:
    """Return the record of a request with these *fields*."""
    record = RequestRecord()
    vars(record).update({"id": "0123456789ab", "status": "200"} | fields)
    return record


def logged(capfd: pytest.CaptureFixture[str], record: RequestRecord, environ: Any = None, **settings: Any) -> str:
    """Return what a request writes to the log with these *settings*."""
    defaults = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a/7", "QUERY_STRING": "", "REMOTE_ADDR": "192.0.2.7"}
    AccessLog(Settings(**settings))(defaults | (environ or {}), record, 0.0012345)
    return capfd.readouterr().err


@pytest.mark.parametrize(
    ("record", "environ", "settings", "line"),
    [
        (request(member=12), {}, {}, "0123456789ab GET /a/7 200 1234 12"),
        (request(), {}, {"log_addresses": 1}, "0123456789ab GET /a/7 200 1234 - 192.0.2.7"),
        (request(status="404"), {"REQUEST_METHOD": "X\x1b"}, {}, "0123456789ab - /a/7 404 1234 -"),
    ],
)
def test_request_is_one_line(
    record: RequestRecord,
    environ: dict[str, str],
    settings: dict[str, Any],
    line: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert re.fullmatch(f"{TIME} {re.escape(line)}\n", logged(capfd, record, environ, **settings))


def test_request_as_json_has_names_and_types(capfd: pytest.CaptureFixture[str]) -> None:
    line = logged(capfd, request(member=12), log="json", log_addresses=1)
    assert line.count("\n") == 1
    entry = json.loads(line)
    assert re.fullmatch(TIME, entry.pop("time"))
    assert entry == {
        "id": "0123456789ab", "method": "GET", "path": "/a/7", "status": 200, "microseconds": 1234,
        "member": 12, "address": "192.0.2.7",
    }  # fmt: skip
    assert json.loads(logged(capfd, request(), log="json"))["member"] is None
    assert logged(capfd, request(cache_status=request_record.HIT)) == "", "pages from the cache are not logged"
    assert logged(capfd, request(cache_status=request_record.MISS)) != ""


def event(message: str, *values: object, error: BaseException | None = None) -> logging.LogRecord:
    """Return the log record of an event."""
    exc_info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("voteweb.app", logging.WARNING, __file__, 1, message, values, exc_info)


def test_event_is_one_line_with_the_id_of_its_request() -> None:
    line = EventFormatter().format(event("GET %s failed", "/x\r\n2026-01-01T00:00:00Z forged\x1b[31m\u2028"))
    assert line.endswith(" WARNING GET /x??2026-01-01T00:00:00Z forged?[31m? failed")
    app = Flask(__name__)
    with app.test_request_context("/") as context:
        record = request_record.start(context.request.environ)
        line = EventFormatter().format(event("Redis is unavailable: %s", "why"))
        assert re.fullmatch(f"{TIME} {record.id} WARNING Redis is unavailable: why", line)
        assert json.loads(EventFormatter("json").format(event("Redis is unavailable")))["id"] == record.id
    assert re.fullmatch(f"{TIME} - WARNING outside", EventFormatter().format(event("outside")))
    assert json.loads(EventFormatter("json").format(event("outside")))["id"] is None


def test_exception_has_its_trace_which_is_one_line_as_json() -> None:
    try:
        raise RuntimeError("why")
    except RuntimeError as error:
        text = EventFormatter().format(event("failed", error=error))
        line = EventFormatter("json").format(event("failed", error=error))
    assert text.splitlines()[1] == "Traceback (most recent call last):"
    assert text.endswith("RuntimeError: why")
    assert "\n" not in line
    assert json.loads(line)["trace"].endswith("RuntimeError: why")
