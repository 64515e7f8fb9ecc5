"""Votes without their voters: the number of votes never falls because a set of voters has gone."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.prepared import restoring
from tests.store.examination import broken, run
from voteweb.core.errors import VotingClosed
from voteweb.core.models import Article, User
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def voted_article(store: Store) -> Article:
    """Return an article with three votes: of ann, who posted it, and of two other members."""
    article = factories.article(store, groups=("go",))
    for voter in factories.users(store, 2):
        store.votes.cast(article.id, voter)
    return store.articles.get(article.id)


@pytest.fixture
def bob(store: Store) -> User:
    return factories.user(store, "bob")


def test_a_longer_voting_time_does_not_open_old_articles(make_store: MakeStore) -> None:
    week, month = make_store(voting_seconds=604_800), make_store(voting_seconds=30 * 86_400)
    age = 604_800 + 7_200
    article = voted_article(week)
    run(week, "HSET", "article:1", "time", f"{article.time - age:.6f}", "closes", int(article.time) - 7_200)
    list(Doctor(week.context).repair())
    run(week, "DEL", "voted:1")  # it expired an hour after voting
    with pytest.raises(VotingClosed):
        month.votes.cast(article.id, factories.user(month, "bob"))
    assert list(Doctor(month.context).repair()) == []
    assert month.articles.get(article.id).votes == 3


def test_a_vote_after_eviction_of_the_voters_closes_voting(store: Store, bob: User) -> None:
    article = voted_article(store)
    run(store, "DEL", "voted:1")
    assert broken(store) == [("article:1", "has lost its voters, so that voting is over: 3 votes, base 0, no voter")]
    evicted = restoring(store)
    assert [is_repaired for _, is_repaired in Doctor(store.context).repair()] == [True]
    after = store.articles.get(article.id)
    assert (after.votes, after.closes) == (3, pytest.approx(time.time(), abs=60))
    evicted()
    for change in (store.votes.cast, store.votes.take_back):
        with pytest.raises(VotingClosed) as refused:
            change(article.id, bob)
        assert refused.value.values["when"] <= time.time()
    assert store.articles.get(article.id).votes == 3
    assert run(store, "EXISTS", "voted:1") == 0
    assert broken(store) == []


def test_voters_who_came_after_a_loss_do_not_replace_it(store: Store, bob: User) -> None:
    article = voted_article(store)
    run(store, "DEL", "voted:1")
    run(store, "SADD", "voted:1", "user:7")  # a vote by a program written after the book
    run(store, "HINCRBY", "article:1", "votes", 1)
    assert store.votes.cast(article.id, bob) == 5
    list(Doctor(store.context).repair())
    assert run(store, "HMGET", "article:1", "votes", "base") == ["5", "3"]
    assert store.votes.take_back(article.id, bob) == 4
    assert broken(store) == []


def test_an_article_without_an_end_closes_by_the_setting(make_store: MakeStore) -> None:
    day = make_store(voting_seconds=86_400)
    article, bob = voted_article(day), factories.user(day, "bob")
    run(day, "HDEL", "article:1", "closes")
    run(day, "HSET", "article:1", "time", f"{article.time - 90_000:.6f}")
    with pytest.raises(VotingClosed) as refused:
        day.votes.cast(article.id, bob)
    assert refused.value.values["when"] == pytest.approx(article.time - 90_000 + 86_400, abs=1)


@pytest.mark.parametrize("closes", ["soon", "9" * 30])
def test_an_unreadable_end_counts_as_missing(store: Store, bob: User, closes: str) -> None:
    article = voted_article(store)
    run(store, "HSET", "article:1", "closes", closes)
    assert store.votes.cast(article.id, bob) == 4
    assert broken(store) == [("article:1", "has an end of voting that is no time")]
    list(Doctor(store.context).repair())
    assert store.articles.get(article.id).closes == pytest.approx(article.time + 604_800, abs=1)
