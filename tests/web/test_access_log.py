"""The log: one line for each request and each event, that nobody can forge and that opens no door."""

import json
import logging
import re
from typing import Any

import pytest
from flask import Flask

from voteweb.core.config import MAX_LOGGED_PATH_LENGTH, Settings
from voteweb.web.monitoring import access_log, request_record
from voteweb.web.monitoring.access_log import AccessLog, EventFormatter, loggable_path
from voteweb.web.monitoring.request_record import RequestRecord

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.mark.parametrize(
    ("path", "query", "line"),
    [
        ("/", "", "/"),
        ("/new", "page=2", "/new?page=2"),
        ("/a/7/vote", "", "/a/7/vote"),
        ("/g/python+redis", "", "/g/python+redis"),
        ("/g/编程".encode().decode("latin-1"), "", "/g/%E7%BC%96%E7%A8%8B"),
        # What opens a door.
        ("/reset/Secret-1", "", "/reset/***"),
        ("/reset/Secret-1/", "", "/reset/***/"),
        ("/RESET/Secret-1", "", "/RESET/***"),
        ("//reset//Secret-1", "", "//reset//***"),
        ("/invitations/Secret-1/revoke", "", "/invitations/***/revoke"),
        ("/invitations", "", "/invitations"),
        ("/signup", "invite=Secret-1", "/signup"),
        ("/login", "next=/reset/Secret-1", "/login"),
        ("/new", "page=2&csrf_token=Secret-1", "/new"),
        ("/new", "page=Secret-1", "/new"),
        # What would look like another line, or colour a terminal.
        ("/x\n2026-01-01T00:00:00.000Z forged", "", "/x%0A2026-01-01T00:00:00.000Z%20forged"),
        ("/\x1b[31mred\x00\r\x7f", "", "/%1B%5B31mred%00%0D%7F"),
        ("/new", "page=2\n", "/new"),
        ("/\u2028", "", "/%3F"),
    ],
)
def test_an_address_is_shown_without_what_opens_a_door_in_one_piece(path: str, query: str, line: str) -> None:
    assert loggable_path(path, query) == line


def test_an_endless_address_is_cut() -> None:
    assert len(loggable_path("/" + "ä" * 10_000, "")) == MAX_LOGGED_PATH_LENGTH


def written(capfd: pytest.CaptureFixture[str], note: RequestRecord | None = None, environ: Any = None, **settings: Any) -> str:
    """Return what a request leaves in the log under these *settings*."""
    whole = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a/7", "QUERY_STRING": "", "REMOTE_ADDR": "192.0.2.7"}
    AccessLog(Settings(**settings))(whole | (environ or {}), note or RequestRecord(), 0.0012345)
    return capfd.readouterr().err


def made(**known: Any) -> RequestRecord:
    """Return the note of a request of which so much is *known*."""
    note = RequestRecord()
    vars(note).update({"id": "0123456789ab", "status": "200"} | known)
    return note


@pytest.mark.parametrize(
    ("note", "environ", "settings", "line"),
    [
        (made(member=12), {}, {}, "0123456789ab GET /a/7 200 1234 12"),
        (made(), {}, {}, "0123456789ab GET /a/7 200 1234 -"),
        (made(), {}, {"log_addresses": 1}, "0123456789ab GET /a/7 200 1234 - 192.0.2.7"),
        (made(), {"REMOTE_ADDR": ""}, {"log_addresses": 1}, "0123456789ab GET /a/7 200 1234 - -"),
        (made(status="404"), {"REQUEST_METHOD": "X\x1b"}, {}, "0123456789ab - /a/7 404 1234 -"),
        (made(page=request_record.HIT), {}, {"log_kept": 1}, "0123456789ab GET /a/7 200 1234 -"),
    ],
)
def test_a_request_is_one_line(
    note: RequestRecord, environ: dict[str, str], settings: dict[str, Any], line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert re.fullmatch(f"{TIME} {re.escape(line)}\n", written(capfd, note, environ, **settings))


def test_a_kept_page_is_in_the_log_only_where_it_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    assert written(capfd, made(page=request_record.HIT)) == ""
    assert written(capfd, made(page=request_record.MISS)) != ""


def test_a_request_as_json_has_names_and_types(capfd: pytest.CaptureFixture[str]) -> None:
    line = written(capfd, made(member=12), log="json", log_addresses=1)
    assert line.count("\n") == 1
    told = json.loads(line)
    assert re.fullmatch(TIME, told.pop("time"))
    assert told == {
        "id": "0123456789ab", "method": "GET", "path": "/a/7", "status": 200, "microseconds": 1234,
        "member": 12, "address": "192.0.2.7",
    }  # fmt: skip
    assert json.loads(written(capfd, made(), log="json"))["member"] is None


def record(words: str, *values: object, failure: BaseException | None = None) -> logging.LogRecord:
    """Return the record of an event."""
    info = (type(failure), failure, failure.__traceback__) if failure else None
    return logging.LogRecord("voteweb.app", logging.WARNING, __file__, 1, words, values, info)


def test_an_event_names_its_request() -> None:
    app = Flask(__name__)
    with app.test_request_context("/") as context:
        note = request_record.start(context.request.environ)
        line = EventFormatter().format(record("Redis is away: %s", "why"))
        assert re.fullmatch(f"{TIME} {note.id} WARNING Redis is away: why", line)
        assert json.loads(EventFormatter("json").format(record("Redis is away")))["id"] == note.id
    assert re.fullmatch(f"{TIME} - WARNING outside", EventFormatter().format(record("outside")))
    assert json.loads(EventFormatter("json").format(record("outside")))["id"] is None


def test_an_event_cannot_look_like_two() -> None:
    line = EventFormatter().format(record("GET %s failed", "/x\r\n2026-01-01T00:00:00Z forged\x1b[31m\u2028"))
    assert line.endswith(" WARNING GET /x??2026-01-01T00:00:00Z forged?[31m? failed")


def test_a_mistake_has_its_trace_as_json_in_one_line() -> None:
    try:
        raise RuntimeError("why")
    except RuntimeError as failure:
        text, line = (
            EventFormatter().format(record("failed", failure=failure)),
            EventFormatter("json").format(record("failed", failure=failure)),
        )
    assert text.splitlines()[1] == "Traceback (most recent call last):"
    assert text.endswith("RuntimeError: why")
    assert "\n" not in line
    assert json.loads(line)["trace"].endswith("RuntimeError: why")


def test_whoever_has_set_up_logging_keeps_it() -> None:
    logger = logging.getLogger("voteweb")
    assert logger.hasHandlers(), "pytest listens"
    access_log.configure(Settings())
    assert not [each for each in logger.handlers if isinstance(each.formatter, EventFormatter)]
