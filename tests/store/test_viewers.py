"""Viewers: what a process remembers of a member is used only while the database says the same."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests import factories
from tests.store.examination import run
from voteweb.core.models import Role, Voter
from voteweb.store import Store
from voteweb.store.members.viewers import Viewer

TOKEN, OTHER_TOKEN = "a" * 43, "b" * 43


def read(store: Store, voter: Voter) -> Viewer:
    """Return the viewer whom a session names as *voter*."""
    return store.read(store.viewers.queue_read, voter)


@pytest.fixture
def voter(store: Store) -> Voter:
    """A member with two open sessions, seen before."""
    bob = factories.user(store, "bob")
    for token in (TOKEN, OTHER_TOKEN):
        store.sessions.open(bob, token, "Firefox, Linux")
    voter = Voter(bob.id, bob.name, bob.session, TOKEN)
    assert read(store, voter).session
    return voter


@pytest.mark.parametrize(
    ("change", "is_seen"),
    [
        (lambda store: run(store, "HSET", "user:bob", "role", "admin"), lambda v: v.member.role is Role.ADMIN),
        (lambda store: run(store, "HSET", "user:bob", "voted", "5"), lambda v: v.voted_at == "5"),
        (lambda store: run(store, "DEL", "sessions:bob"), lambda v: v.session is None),
        (lambda store: run(store, "DEL", "user:bob"), lambda v: v.member is None),
    ],
)
def test_each_change_is_seen_at_once(
    store: Store, voter: Voter, change: Callable[[Store], object], is_seen: Callable[[Viewer], bool]
) -> None:
    change(store)
    assert is_seen(read(store, voter))


def test_sessions_of_one_member_are_separate_and_end_in_time(
    store: Store, voter: Voter, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(store, voter) is read(store, voter)
    mine, other = read(store, voter).session, read(store, replace(voter, token=OTHER_TOKEN)).session
    assert mine
    assert other
    assert mine.digest != other.digest
    assert read(store, replace(voter, token="c" * 43)).session is None
    assert read(store, replace(voter, session="another")).session is None
    monkeypatch.setattr(time, "time", lambda: store.sessions.end_of(mine))
    assert read(store, voter).session is None
