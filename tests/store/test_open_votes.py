"""Open votes: each member's list of the votes that can be taken back is kept by every vote, bounded and expiring."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, recorded, run, snapshot
from voteweb.core import config
from voteweb.core.models import Article, User
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.votes.votes import rebuild_open_votes


@pytest.fixture
def bob(store: Store) -> User:
    return factories.user(store, "bob")


def vote_for(store: Store, voter: User, count: int) -> list[Article]:
    """Post this many articles of ann's, each with the vote of *voter*, and return them."""
    articles = [factories.article(store) for _ in range(count)]
    for article in articles:
        store.votes.cast(article.id, voter)
    return articles


def listed(store: Store, member: User) -> list[int]:
    return [article.id for article in store.read_all(store.votes.queue_open, member.id)]


def test_open_votes_are_newest_first_without_own_and_closed_articles(store: Store, bob: User) -> None:
    vote_for(store, bob, 7)
    factories.article(store, bob)
    store.votes.take_back(4, bob)
    assert listed(store, bob) == [7, 6, 5, 3, 2, 1]
    assert all(article.voted for article in store.read_all(store.votes.queue_open, bob.id))
    factories.remove(store, 2)
    store.removals.delete(3)
    run(store, "HSET", "article:5", "closes", int(time.time()) - 1)
    assert listed(store, bob) == [7, 6, 1]
    assert broken(store) == []


def test_a_page_of_open_votes_takes_two_commands(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "READ_BATCH_SIZE", 3)
    store = make_store(page_size=3)
    bob = factories.user(store, "bob")
    vote_for(store, bob, 7)
    assert listed(store, bob) == [7, 6, 5, 4, 3, 2, 1]
    for number, rows, more in ((1, [7, 6, 5], True), (2, [4, 3, 2], True), (3, [1], False)):
        with recorded(store) as trips:
            page = store.read(store.votes.queue_open, bob.id, number)
        assert ([row.id for row in page.rows], page.total, page.more) == (rows, 7, more)
        assert sum(map(len, trips)) == 2


def test_only_so_many_open_votes_are_kept(
    store: Store, settings: Settings, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "MAX_OPEN_VOTES", 3)
    vote_for(store, bob, 5)
    assert listed(store, bob) == [5, 4, 3]
    assert store.votes.take_back(1, bob) == 1
    own = store.read(store.votes.queue_own, range(1, 6), bob.id)
    assert list(own.values()) == [False, True, True, True, True]
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


def test_those_on_which_voting_has_ended_or_of_who_leaves_are_forgotten(store: Store, bob: User) -> None:
    vote_for(store, bob, 1)
    run(store, "ZADD", f"open-votes:{bob.id}", 5, "article:1")
    vote_for(store, bob, 1)
    assert run(store, "ZRANGE", f"open-votes:{bob.id}", 0, -1) == ["article:2"]
    store.account_deletion.start(bob, delete_articles=False)
    assert run(store, "EXISTS", f"open-votes:{bob.id}") == 0


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
