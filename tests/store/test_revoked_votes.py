"""Votes that a ban takes back: all that are open, in one act with it, and given back as far as they still are."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, repair, run
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.moderation.bans import RemovalCounts, Span

RING = ("r1", "r2", "r3", "R4-é")
COMMENT = CommentId(1, 1)


@pytest.fixture
def ring(store: Store) -> list[User]:
    """Members who voted, as bob did, for article 1 of ann's and its comment, for 2, and for one another's article 3."""
    members = [factories.user(store, name) for name in (*RING, "bob")]
    for poster in (None, None, members[0]):
        factories.article(store, poster, groups=("go",))
    factories.comment(store)
    for member in members:
        for id in (1, COMMENT, 2, 3):
            if (member.name, id) != ("r1", 3):
                store.votes.cast(id, member)
    return members[:-1]


def votes(store: Store) -> list[int]:
    """Finish what bans began; return the votes of the articles 1 to 3 and of the comment, which all rankings tell."""
    list(store.bans.steps())
    assert broken(store) == []
    return store.read(store.votes.queue_counts, [1, 2, 3, COMMENT])


def close(store: Store, *ids: int) -> None:
    for id in ids:
        run(store, "HSET", f"article:{id}", "closes", int(time.time()) - 1)


def told(store: Store, id: int) -> tuple[int, int]:
    entry = store.log.get(id)
    assert entry
    return entry.votes, entry.closed


def test_bans_of_a_ring_leave_the_votes_of_others(store: Store, ring: list[User]) -> None:
    assert votes(store) == [6, 6, 5, 5]
    assert store.open_votes.count(ring) == (15, False)
    close(store, 2)
    assert store.open_votes.count(ring) == (11, False)
    for name in RING:
        factories.ban(store, name, votes=True)
    assert votes(store) == [2, 6, 2, 1]  # that of r1 on the article of r1 stays
    assert [told(store, id) for id in range(1, 5)] == [(2, 0), (3, 0), (3, 0), (3, 0)]
    assert run(store, "ZRANGE", "revoked-votes:r4-é", 0, -1) == ["article:1", "article:3", "comment:1.1"]
    assert run(store, "ZSCORE", f"open-votes:{ring[0].id}", "article:1") is None
    assert store.open_votes.count(ring) == (0, False)


def test_an_undo_gives_back_open_votes_and_counts_the_others(store: Store, ring: list[User]) -> None:
    for name in RING:
        factories.ban(store, name, votes=True)
    votes(store)
    close(store, 1)
    removed = store.bans.count_removed(store.users.get("r2"))
    assert removed == RemovalCounts(votes=3, closed=1)
    factories.remove(store, COMMENT)
    assert store.bans.count_removed(store.users.get("r2")) == RemovalCounts(votes=2, closed=2)
    factories.restore(store, COMMENT)
    factories.lift(store, "r2", undoes=2, restore=True)
    assert votes(store) == [2, 3, 3, 2]
    assert (run(store, "EXISTS", "revoked-votes:r2"), store.users.get("r2").ban_removal) == (0, None)
    # Once all have closed, the list is gone, and the log knows how many they were.
    run(store, "DEL", "revoked-votes:r3")
    assert store.bans.count_removed(store.users.get("r3")) == RemovalCounts(closed=4)


def test_a_lifted_ban_allows_votes_and_can_give_back_later(store: Store, ring: list[User]) -> None:
    factories.ban(store, "r2", votes=True)
    next(store.bans.steps())
    factories.lift(store, "r2")
    list(store.bans.steps())
    member = store.users.get("r2")
    for id in (1, 2, 3):
        if not store.read(store.votes.queue_own, [id], member.id):
            store.votes.cast(id, member)
    store.votes.take_back(3, member)
    factories.lift(store, "r2", restore=True)
    assert votes(store)[:2] == [6, 6]
    factories.ban(store, "r2", votes=True)
    assert votes(store)[:2] == [5, 5]
    factories.lift(store, "r2")
    factories.ban(store, "r2", articles=Span.ALL)  # takes no votes back, and replaces what that did
    assert (votes(store)[:2], run(store, "EXISTS", "revoked-votes:r2")) == ([5, 5], 0)


def test_votes_on_what_other_bans_remove_are_taken_back_first(store: Store, ring: list[User]) -> None:
    for name in RING:
        factories.ban(store, name, articles=Span.ALL, votes=True)
    assert votes(store)[2] == 2
    factories.lift(store, "r1", restore=True)
    assert votes(store)[2] == 2


def test_more_votes_than_a_list_holds_are_all_taken_back(
    store: Store, ring: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    for constant, value in (("MAX_OPEN_VOTES", 2), ("MAX_REVOKED_VOTES", 3), ("READ_BATCH_SIZE", 2)):
        monkeypatch.setattr(config, constant, value)
    cid = factories.user(store, "cid")
    for id in (1, 2, 3, COMMENT):
        store.votes.cast(id, cid)
    assert store.open_votes.count([cid]) == (3, True)
    factories.ban(store, "cid", votes=True)
    assert votes(store) == [6, 6, 5, 5]
    assert told(store, 1) == (3, 0)


def test_settings_in_force_say_how_far_votes_are_searched(make_store: MakeStore, bob: User) -> None:
    store = make_store(voting_seconds=60, commenting_seconds=60)
    factories.comment(store, factories.article(store))
    store.votes.cast(COMMENT, bob)
    run(store, "HSET", "article:1", "time", f"{time.time() - 100:.6f}")
    assert repair(store)
    for seconds, found in ((60, [[]]), (200, [[], [COMMENT]])):
        run(store, "HSET", "site:", "commenting-seconds", seconds)
        assert list(store.open_votes.find(bob.id)) == found
