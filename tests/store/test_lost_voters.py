"""Votes without their voters: the number of votes never falls because a set of voters has gone."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.prepared import restoring
from tests.store.examination import broken, repair, run
from voteweb.core.errors import VotingClosed
from voteweb.core.models import Article, User
from voteweb.store import Store


def voted_article(store: Store) -> Article:
    """Return an article with three votes: of ann, who posted it, and of two other members."""
    article = factories.article(store, groups=("go",))
    for voter in factories.users(store, 2):
        store.votes.cast(article.id, voter)
    return store.articles.get(article.id)


def test_a_vote_after_eviction_of_the_voters_closes_voting(store: Store, bob: User) -> None:
    article = voted_article(store)
    run(store, "DEL", "voted:1")
    assert broken(store) == [("article:1", "has lost its voters, so that voting is over: 3 votes, base 0, no voter")]
    evicted = restoring(store)
    assert [is_repaired for _, is_repaired in repair(store)] == [True]
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


@pytest.mark.parametrize("closes", ["", "soon", "9" * 30])
def test_an_article_without_an_end_closes_by_the_setting(make_store: MakeStore, bob: User, closes: str) -> None:
    day = make_store(voting_seconds=86_400)
    article = voted_article(day)
    run(day, "HDEL", "article:1", "closes")
    run(day, "HSET", "article:1", "time", f"{article.time - 90_000:.6f}", *(("closes", closes) if closes else ()))
    with pytest.raises(VotingClosed) as refused:
        day.votes.cast(article.id, bob)
    assert refused.value.values["when"] == pytest.approx(article.time - 90_000 + 86_400, abs=1)
