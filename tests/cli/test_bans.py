"""``voteweb user ban`` and ``unban``: sessions end, and the log has the reason."""

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line, log_entries
from tests.factories import user
from voteweb.store import Store


def test_a_ban_ends_all_sessions_and_can_be_lifted(invoke: Invoke, store: Store) -> None:
    before = user(store, "Bob")
    ban = invoke("user", "ban", "bob", "--reason", " too much  spam ")
    assert ban.stdout == "Bob is banned and logged out everywhere.\n"
    banned = store.users.get("bob")
    assert banned.banned > 0
    assert banned.ban_reason == "too much spam"
    assert banned.session != before.session
    assert invoke("user", "ban", "bob", "--reason", "other").stdout == "Bob is already banned: too much spam\n"
    assert invoke("user", "unban", "BOB").stdout == "Bob can log in again.\n"
    assert invoke("user", "unban", "bob").stdout == "Bob is not banned.\n"
    assert store.users.get("bob").banned == 0


def test_a_ban_and_its_end_are_logged_once(invoke: Invoke, store: Store) -> None:
    user(store, "Bob")
    for reason in ("spam", "other"):
        invoke("user", "ban", "bob", "--reason", reason)
    for _ in range(2):
        invoke("user", "unban", "bob")
    entries = [(entry.who, entry.kind, entry.about, entry.why) for entry in log_entries(store)]
    assert entries == [("command line", "ban", "Bob", "spam"), ("command line", "unban", "Bob", "")]


@pytest.mark.parametrize(
    ("reason", "error"), [("", "give a reason"), (" ", "give a reason"), ("x" * 301, "300 characters")]
)
def test_a_ban_without_a_valid_reason_is_refused(invoke: Invoke, store: Store, reason: str, error: str) -> None:
    user(store, "bob")
    assert error in error_line(invoke("user", "ban", "bob", "--reason", reason))
    assert store.users.get("bob").banned == 0
