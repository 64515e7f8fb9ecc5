"""Log-ins: kept for 30 days and up to a number, forgotten with the member."""

import json
import time

import pytest

from tests.store.examination import broken, run
from voteweb.core import config
from voteweb.core.models import LogInOutcome, Page
from voteweb.store import Store


def first_page(store: Store, name: str = "") -> Page[tuple[str, str, str, str]]:
    page = store.read(store.sessions.queue_log_ins, 1, name)
    rows = tuple((row.name, row.outcome.value, row.network, row.browser) for row in page.rows)
    return Page(rows, 1, page.total, 1, page.more)


def test_each_write_forgets_what_is_too_old_or_too_much(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_LOG_INS", 3)
    old = json.dumps(["old", "in", "", "", "0"])
    run(store, "ZADD", "log-ins:", time.time() - config.LOG_IN_SECONDS - 1, old)
    for name in ("ann", "bob", "", "dan"):
        store.sessions.note_log_in(name, LogInOutcome.REFUSED, "0a1b", "Firefox/Linux")
    page = first_page(store)
    assert [row[0] for row in page.rows] == ["dan", "", "bob"]
    assert page.rows[0] == ("dan", "refused", "0a1b", "Firefox/Linux")
    assert 0 < run(store, "TTL", "log-ins:") <= config.LOG_IN_SECONDS
    assert broken(store) == []


def test_strangers_push_out_no_trace_of_who_logged_in(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_LOG_INS", 3)
    monkeypatch.setattr(config, "MAX_MEMBER_LOG_INS", 2)
    for outcome in (LogInOutcome.IN, *[LogInOutcome.REFUSED] * 5):
        store.sessions.note_log_in("Ann", outcome, "", "")
    for _ in range(5):
        store.sessions.note_log_in("", LogInOutcome.REFUSED, "", "")
    assert [row.outcome.value for row in store.sessions.log_ins_of("ann")] == ["refused", "refused", "in"]
    assert [row[1] for row in first_page(store, "ann").rows] == ["refused", "refused", "in"]
    assert 0 < run(store, "TTL", "log-ins:ann") <= config.LOG_IN_SECONDS
