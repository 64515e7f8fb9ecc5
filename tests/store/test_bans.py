"""Bans: the member is logged out everywhere until the ban is lifted."""

import time
from contextlib import nullcontext

import pytest

from tests import factories
from tests.store.examination import broken, run, snapshot
from voteweb.core.errors import LoggedOut, NoSuchMember, NotAllowed
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


def test_a_ban_ends_all_sessions_and_stores_time_and_reason(store: Store) -> None:
    before = factories.user(store, "bob", password_hash="hash")
    factories.ban(store, "BOB")
    after = store.users.get("bob")
    assert after.session != before.session
    assert (after.ban_reason, after.password, after.role) == ("Spam.", "hash", Role.MEMBER)
    assert abs(after.banned - time.time()) < 60
    assert broken(store) == []
    factories.lift(store, "bob")
    lifted = store.users.get("bob")
    assert (lifted.banned, lifted.ban_reason, lifted.session) == (0, "", after.session)


def test_a_banned_member_cannot_post(store: Store) -> None:
    bob = factories.user(store, "bob")
    factories.ban(store, "bob")
    with pytest.raises(LoggedOut):
        store.articles.post(factories.draft(), bob, "form-0001")
    assert run(store, "EXISTS", "time:") == 0
    factories.lift(store, "bob")
    assert store.articles.post(factories.draft(), bob, "form-0001") == 2


def test_a_ban_with_an_end_is_none_after_it(store: Store) -> None:
    bob, ann = factories.user(store, "bob"), factories.user(store, "ann")
    factories.ban(store, "bob", days=3)
    banned = store.users.get("bob")
    assert abs(banned.banned_until - time.time() - 3 * 86_400) < 60
    entry = store.log.get(1)
    assert entry is not None
    assert entry.until == banned.banned_until
    with pytest.raises(LoggedOut):
        store.articles.post(factories.draft(), bob, "form-0001")
    run(store, "HSET", "user:bob", "banned-until", int(time.time()))
    bob = store.users.get("bob")
    assert (bob.banned, bob.session) == (0, banned.session)
    store.articles.post(factories.draft(), bob, "form-0001")
    store.votes.cast(factories.article(store, ann, link="").id, bob)
    store.sessions.open(bob, "a-token", "")
    factories.ban(store, "bob")
    assert (store.users.get("bob").banned > 0, store.users.get("bob").banned_until) == (True, 0)
    assert broken(store) == []


def test_banning_an_unknown_member_is_refused(store: Store) -> None:
    for change in (factories.ban, factories.lift):
        with pytest.raises(NoSuchMember):
            change(store, "nobody")
    assert set(snapshot(store)) <= {"schema:"}


@pytest.mark.parametrize(
    ("actor_role", "role", "is_banned"),
    [
        (Role.MODERATOR, Role.MEMBER, True),
        (Role.MODERATOR, Role.MODERATOR, False),
        (Role.MODERATOR, Role.ADMIN, False),
        (Role.ADMIN, Role.MODERATOR, True),
        (Role.ADMIN, Role.ADMIN, False),
    ],
)
def test_a_ban_needs_a_higher_role_by_now(store: Store, actor_role: Role, role: Role, is_banned: bool) -> None:
    actor = factories.user(store, "mod", Role.ADMIN)
    factories.user(store, "bob", role)
    run(store, "HSET", "user:mod", "role", actor_role)
    entry = NewLogEntry(LogAction.BAN, "mod", about="bob", why="spam")
    with nullcontext() if is_banned else pytest.raises(NotAllowed):
        store.bans.ban("bob", entry, actor=actor)
    assert bool(store.users.get("bob").banned) is is_banned


def test_ending_all_sessions_changes_nothing_else(store: Store) -> None:
    before = factories.user(store, "bob", password_hash="hash")
    store.users.end_sessions("bob")
    after = store.users.get("bob")
    assert after.session != before.session
    assert (after.password, after.since, after.banned) == ("hash", before.since, 0)


def test_a_role_given_twice_is_logged_once(store: Store) -> None:
    factories.user(store, "bob")
    for _ in range(2):
        store.users.set_role("bob", Role.MODERATOR, NewLogEntry(LogAction.ROLE, "boss", about="bob", why="moderator"))
    entry = store.log.get(1)
    assert entry is not None
    assert (entry.kind, entry.who, entry.about, entry.why) == (LogAction.ROLE, "boss", "bob", "moderator")
    assert run(store, "LLEN", "log:") == 1
