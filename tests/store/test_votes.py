"""Votes: what they change, and whose they are."""

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run, snapshot
from voteweb.store import Store

Vote = Callable[[Store, int], Any]


def cast(name: str) -> Vote:
    return lambda store, id: store.votes.cast(id, factories.user(store, name))


def take_back(name: str) -> Vote:
    return lambda store, id: store.votes.take_back(id, factories.user(store, name))


def test_a_vote_updates_every_key_of_the_article_and_makes_its_rankings_permanent(store: Store) -> None:
    article = factories.article(store, groups=("go", "redis"))
    rankings = ("score:", "score:go", "score:redis")
    for key in rankings:
        run(store, "EXPIRE", key, 60)
    cast("bob")(store, article.id)
    assert run(store, "HGET", "article:1", "votes") == "2"
    for key in rankings:
        assert run(store, "ZSCORE", key, "article:1") == pytest.approx(article.time + 2 * 432, abs=1e-6)
        assert run(store, "TTL", key) == -1
    assert broken(store) == []


def test_taking_a_vote_back_undoes_it_completely(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    bob = factories.user(store, "bob")
    before = snapshot(store)
    store.votes.cast(article.id, bob)
    assert store.votes.take_back(article.id, bob) == 1
    after = snapshot(store)
    assert [fields for key, (_, fields, _) in after.items() if key.startswith("stats:")] == [{"votes": "0"}]
    after["user:bob"][1].pop("voted")  # when it was done
    assert {key: content for key, content in after.items() if not key.startswith("stats:")} == before


def test_every_vote_sets_the_expiry_of_the_voters(store: Store) -> None:
    article = factories.article(store)
    expiry = run(store, "PEXPIRETIME", "voted:1")
    for voter, command in (("bob", ("PERSIST", "voted:1")), ("cid", ("EXPIRE", "voted:1", 60))):
        run(store, *command)
        cast(voter)(store, article.id)
        assert run(store, "PEXPIRETIME", "voted:1") == expiry


def test_votes_move_an_article_into_and_out_of_good(make_store: MakeStore) -> None:
    store = make_store(good_votes=3)
    article = factories.article(store)
    good = []
    for vote in (cast("bob"), cast("cid"), cast("dan"), take_back("dan"), take_back("bob")):
        vote(store, article.id)
        good.append(ids(store, "good:"))
    assert good == [[], [1], [1], [1], []]


def test_a_vote_writes_no_key_that_only_looks_like_that_of_a_group(store: Store) -> None:
    article, bob = factories.article(store, groups=("go",)), factories.user(store, "bob")
    run(store, "HSET", "article:1", "groups", "a:b  go a+b go * ünïcode")
    assert store.votes.cast(article.id, bob) == 2
    assert set(run(store, "KEYS", "score:*")) == {"score:", "score:go", "score:ünïcode"}
    assert set(run(store, "KEYS", "top-group:*")) == {"top-group:go", "top-group:ünïcode"}
