"""Open votes, which every vote keeps, bounded and expiring; and own votes, which a process remembers until the next."""

import time
from collections.abc import Sequence

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import recorded, run, snapshot
from voteweb.core import config
from voteweb.core.models import Article, User, Voter
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.votes import votes
from voteweb.store.votes.votes import rebuild_open_votes

pytestmark = pytest.mark.usefixtures("sound")


def vote_for(store: Store, voter: User, count: int) -> list[Article]:
    """Post this many articles of ann's, each with the vote of *voter*, and return them."""
    articles = [factories.article(store) for _ in range(count)]
    for article in articles:
        store.votes.cast(article.id, voter)
    return articles


def listed(store: Store, member: User) -> list[int]:
    return [article.id for article in store.read_all(store.votes.queue_open, member.id) if article.voted]


def test_open_votes_are_newest_first_without_own_and_closed_articles(store: Store, bob: User) -> None:
    vote_for(store, bob, 7)
    factories.article(store, bob)
    store.votes.take_back(4, bob)
    assert listed(store, bob) == [7, 6, 5, 3, 2, 1]
    page = store.read(store.votes.queue_open, bob.id, 2, 2)
    assert ([row.id for row in page.rows], page.total, page.more) == ([5, 3], 6, True)
    factories.remove(store, 2)
    store.removals.delete(3)
    run(store, "HSET", "article:5", "closes", int(time.time()) - 1)
    assert listed(store, bob) == [7, 6, 1]


def test_only_so_many_open_votes_are_kept(
    store: Store, settings: Settings, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "MAX_OPEN_VOTES", 3)
    vote_for(store, bob, 5)
    assert listed(store, bob) == [5, 4, 3]
    assert store.votes.take_back(1, bob) == 1
    assert list(store.read(store.votes.queue_own, range(1, 6), bob.id)) == [2, 3, 4, 5]
    rebuild_open_votes(store.connection, settings)
    assert len(listed(store, bob)) == 3


def test_open_votes_expire_after_the_last_of_them(store: Store, bob: User) -> None:
    first, second = vote_for(store, bob, 2)
    run(store, "HSET", "article:2", "closes", (second.closes or 0) + 100)
    store.votes.take_back(second.id, bob)
    store.votes.cast(second.id, bob)
    assert run(store, "EXPIRETIME", f"open-votes:{bob.id}") == (second.closes or 0) + 100 + config.VOTERS_GRACE_SECONDS
    store.votes.take_back(second.id, bob)
    assert run(store, "EXPIRETIME", f"open-votes:{bob.id}") == (first.closes or 0) + config.VOTERS_GRACE_SECONDS
    store.votes.take_back(first.id, bob)
    assert run(store, "EXISTS", f"open-votes:{bob.id}") == 0


def test_those_on_which_voting_has_ended_are_forgotten(store: Store, bob: User) -> None:
    vote_for(store, bob, 1)
    run(store, "ZADD", f"open-votes:{bob.id}", 5, "article:1")
    vote_for(store, bob, 1)
    assert run(store, "ZRANGE", f"open-votes:{bob.id}", 0, -1) == ["article:2"]


def test_rebuilt_open_votes_are_those_that_were_kept(store: Store, settings: Settings, bob: User) -> None:
    vote_for(store, bob, 3)
    vote_for(store, factories.user(store, "cid"), 2)
    factories.imported(store)
    store.votes.take_back(2, bob)
    before = snapshot(store)
    run(store, "DEL", *run(store, "KEYS", "open-votes:*"))
    for _ in range(2):
        rebuild_open_votes(store.connection, settings)
        assert snapshot(store) == before


def voted_ids(store: Store, member: User, ids: Sequence[int]) -> tuple[set[int], int]:
    """Return those of *ids* that a list shows as voted for by *member*, and how many articles it asks about."""
    with recorded(store) as trips:
        pipeline = store.pipeline()
        viewer = store.viewers.queue_read(pipeline, Voter(member.id, member.name, member.session))
        voted = store.votes.queue_remembered(pipeline, ids, member.id, lambda: viewer.result.voted_at)
        pipeline.execute()
    keys = [str(part) for commands in trips for command in commands for part in command]
    return set(voted.result) & set(ids), sum(key.startswith(f"{store.keys.prefix}voted:") for key in keys)


def test_votes_of_this_process_are_remembered_until_one_elsewhere(make_store: MakeStore, bob: User) -> None:
    store, other = make_store(), make_store()
    first, second, third, fourth = ids = [factories.article(store).id for _ in range(4)]
    cid = factories.user(store, "cid")
    assert voted_ids(store, bob, ids[:3]) == (set(), 3)
    assert voted_ids(store, bob, ids[:3]) == (set(), 0)
    assert voted_ids(store, bob, ids) == (set(), 1)
    for id in (first, second, fourth):
        store.votes.cast(id, bob)
    store.votes.take_back(second, bob)
    assert voted_ids(store, bob, ids) == ({first, fourth}, 0)
    assert voted_ids(store, cid, ids) == (set(), 4)

    other.votes.take_back(first, bob)
    store.votes.cast(second, bob)  # which does not tell what the other process has changed
    assert voted_ids(store, bob, ids) == ({second, fourth}, 4)
    other.votes.cast(third, bob)
    assert voted_ids(store, bob, ids[1:3]) == ({second, third}, 2)
    assert voted_ids(other, bob, ids) == ({second, third, fourth}, 4)


def test_what_another_program_writes_is_seen_later(store: Store, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [factories.article(store).id for _ in range(2)]
    voted_ids(store, bob, ids[:1])
    run(store, "SADD", "voted:1", bob.id)
    later = votes.monotonic() + config.OWN_VOTES_SECONDS
    monkeypatch.setattr(votes, "monotonic", lambda: later - 1)
    assert voted_ids(store, bob, ids)[0] == set()  # to ask for another article too prolongs nothing
    monkeypatch.setattr(votes, "monotonic", lambda: later)
    assert voted_ids(store, bob, ids)[0] == {1}
    run(store, "SREM", "voted:1", bob.id)
