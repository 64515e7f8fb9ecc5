"""Bans: out on every device at once, and back in."""

import time

import pytest

from tests import factories
from tests.store.examination import broken, run, snapshot
from voteweb.core.errors import LoggedOut, NoSuchMember
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry


def ban(store: Store, name: str = "bob", why: str = "spam") -> None:
    store.users.ban(name, NewLogEntry(LogAction.BAN, "Mod", about=name, why=why))


def unban(store: Store, name: str = "bob") -> None:
    store.users.unban(name, NewLogEntry(LogAction.UNBAN, "Mod", about=name))


def test_a_ban_ends_all_sessions_and_says_when_and_why(store: Store) -> None:
    before = factories.user(store, "bob", password_hash="hash")
    ban(store, "BOB")
    after = store.users.get("bob")
    assert after.session != before.session
    assert (after.ban_reason, after.password, after.role) == ("spam", "hash", Role.MEMBER)
    assert abs(after.banned - time.time()) < 60
    assert broken(store) == []


def test_who_is_banned_in_the_middle_of_writing_posts_nothing(store: Store) -> None:
    bob = factories.user(store, "bob")
    ban(store)
    with pytest.raises(LoggedOut):
        store.articles.post(factories.draft(), bob, "form-0001")
    assert run(store, "EXISTS", "time:") == 0
    unban(store)
    assert store.articles.post(factories.draft(), bob, "form-0001") == 2


def test_unbanning_lets_in_again_but_in_no_session_of_before(store: Store) -> None:
    before = factories.user(store, "bob")
    ban(store)
    unban(store)
    after = store.users.get("bob")
    assert (after.banned, after.ban_reason) == (0, "")
    assert after.session != before.session


def test_a_second_ban_changes_neither_reason_nor_time_and_unbanning_a_free_member_nothing(store: Store) -> None:
    factories.user(store, "bob")
    for act in (unban, ban, lambda store: ban(store, why="other words"), unban, unban):
        act(store)
    assert [run(store, "ZCARD", f"log-kind:{kind}") for kind in ("ban", "unban")] == [1, 1]


def test_a_ban_of_nobody_is_told(store: Store) -> None:
    for act in (ban, unban):
        with pytest.raises(NoSuchMember):
            act(store, "nobody")
    assert snapshot(store) == {"log-entry:": ("string", "2", -1)}


def test_logging_out_everywhere_ends_all_sessions_and_nothing_else(store: Store) -> None:
    before = factories.user(store, "bob", password_hash="hash")
    store.users.end_sessions("bob")
    after = store.users.get("bob")
    assert after.session != before.session
    assert (after.password, after.since, after.banned) == ("hash", before.since, 0)


def test_a_role_given_twice_is_in_the_log_once(store: Store) -> None:
    factories.user(store, "bob")
    for _ in range(2):
        store.users.set_role("bob", Role.MODERATOR, NewLogEntry(LogAction.ROLE, "boss", about="bob", why="moderator"))
    entry = store.moderation_log.get(1)
    assert entry is not None
    assert (entry.kind, entry.who, entry.about, entry.why) == (LogAction.ROLE, "boss", "bob", "moderator")
    assert run(store, "ZCARD", "log:") == 1
