"""The doctor: silent on a healthy site, and for each invariant broken by hand it names the key."""

import time
from dataclasses import replace

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.watch import broken, broken_keys, run, snapshot
from voteweb.config import Settings
from voteweb.store import Store, assemble

#: The keys of article 1, which is in the group "go".
EVERYWHERE = {"time:", "score:", "posted:ann", "group:go", "time:go", "score:go"}
TIMES = {"time:", "posted:ann", "time:go"}
SCORES = {"score:", "score:go"}


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """Three articles of ann and bob: 1 in "go", 2 in "java" and good, 3 closed and without a group."""
    store = make_store(good_votes=3, vote_score=432.0)
    ann, bob = factories.user(store, "ann"), factories.user(store, "bob")
    factories.article(store, ann, groups=("go",))
    good = factories.article(store, bob, groups=("java",))
    for voter in factories.users(store, 2):
        store.votes.cast(good.id, voter)
    factories.imported(store, poster="ann", votes=2)
    return store


def test_a_healthy_site_has_no_faults(site: Store) -> None:
    assert broken(site) == []


def test_an_empty_database_has_no_faults(store: Store) -> None:
    assert broken(store) == []


def test_the_doctor_only_reads(site: Store) -> None:
    run(site, "ZREM", "time:", "article:1")
    before = snapshot(site)
    assert broken(site) != []
    assert snapshot(site) == before


@pytest.mark.parametrize(
    ("words", "named"),
    [
        # votes = base + voters, while voting is open
        ("HINCRBY article:1 votes 1", {"article:1", *SCORES}),
        ("HINCRBY article:1 base 1", {"article:1"}),
        ("HDEL article:1 votes", {"article:1", *SCORES}),
        ("HDEL article:2 base", set()),  # as a program after the book leaves it: nothing is 0
        ("SADD voted:1 999", {"article:1"}),
        ("SREM voted:2 1 2 3 4", {"article:2"}),
        ("DEL voted:1", {"article:1"}),
        # the voters expire, but not too early
        ("PERSIST voted:1", {"voted:1"}),
        ("EXPIRE voted:1 86400", {"voted:1"}),
        # every article is in the rankings of the site, at its place
        ("ZREM time: article:1", {"time:"}),
        ("ZINCRBY time: 1 article:1", {"time:"}),
        ("ZREM score: article:1", {"score:"}),
        ("ZINCRBY score: 432 article:1", {"score:"}),
        ("ZINCRBY score: -432 article:3", {"score:"}),
        # good articles, and no others, are listed as good
        ("ZREM good: article:2", {"good:"}),
        ("ZINCRBY good: 5 article:2", {"good:"}),
        ("ZADD good: 5 article:1", {"good:"}),
        # the groups of an article, their sets and their rankings say the same
        ("SREM group:go article:1", {"group:go"}),
        ("SADD group:java article:1", {"group:java"}),
        ("ZREM time:go article:1", {"time:go"}),
        ("ZREM score:go article:1", {"score:go"}),
        ("ZINCRBY time:go 9 article:1", {"time:go"}),
        ("ZINCRBY score:go 9 article:1", {"score:go"}),
        ("ZADD time:java 9 article:1", {"time:java"}),
        ("ZADD score:java 9 article:1", {"score:java"}),
        ("HDEL article:1 groups", {"group:go", "time:go", "score:go"}),
        ("HSET article:1 groups java", {"group:go", "time:go", "score:go", "group:java", "time:java", "score:java"}),
        ("HSET article:3 groups nowhere", {"article:3"}),
        # every group exists
        ("SREM groups: go", {"article:1", "group:go", "group-info:go", "time:go", "score:go"}),
        ("SADD group:ghost article:1", {"group:ghost"}),
        ("ZADD time:ghost 9 article:1", {"time:ghost"}),
        ("ZADD score:ghost 9 article:1", {"score:ghost"}),
        ("HSET group-info:ghost title Ghost", {"group-info:ghost"}),
        # the articles of a member
        ("ZREM posted:ann article:1", {"posted:ann"}),
        ("ZINCRBY posted:ann 9 article:1", {"posted:ann"}),
        ("ZADD posted:bob 9 article:1", {"posted:bob"}),
        ("HSET article:1 poster bob", {"posted:ann", "posted:bob"}),
        # no orphans
        ("DEL article:1", {"voted:1", *EVERYWHERE}),
        ("HDEL article:1 title", {"article:1", *EVERYWHERE}),
        ("HDEL article:1 time", {"article:1", "voted:1"}),
        ("SADD voted:77 1", {"voted:77"}),
        ("ZADD time: 9 article:77", {"time:"}),
        ("ZADD score: 9 nonsense", {"score:"}),
        ("ZADD good: 9 article:77", {"good:"}),
        ("SADD group:go article:77", {"group:go"}),
        ("ZADD time:go 9 article:77", {"time:go"}),
        ("ZADD score:go 9 article:77", {"score:go"}),
        ("ZADD posted:ann 9 article:77", {"posted:ann"}),
        # what is for ever does not expire
        *[
            (f"EXPIRE {key} 60", {key})
            for key in ("time:", "score:", "good:", "group:go", "time:go", "score:go", "posted:ann", "groups:")
        ],
        ("EXPIRE article:1 60", {"article:1"}),
        ("EXPIRE group-info:go 60", {"group-info:go"}),
        # the time itself is wrong everywhere but in the hash
        ("HSET article:1 time 1700000000", {*TIMES, *SCORES}),
        # numbers that are none
        ("HSET article:1 votes many", {"article:1"}),
        ("HSET article:1 time soon", {"article:1"}),
        ("HSET article:1 base few", {"article:1"}),
        ("HSET article:1x title t time 1", {"article:1x"}),
    ],
)
def test_a_broken_invariant_is_named_by_its_key(site: Store, words: str, named: set[str]) -> None:
    run(site, *words.split())
    assert broken_keys(site) == named


@pytest.mark.parametrize(
    "key",
    "article:1 voted:1 time: score: good: groups: group:go time:go score:go group-info:go posted:ann user:ann".split(),
)
def test_a_key_of_another_type_is_named_and_is_no_crash(site: Store, key: str) -> None:
    run(site, "DEL", key)
    run(site, "RPUSH", key, "x")
    assert key in broken_keys(site)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("HINCRBY article:1 votes 1", ("article:1", "votes is 2, but base 0 and 1 voters make 1")),
        ("ZREM time:go article:1", ("time:go", "lacks article:1")),
        ("ZADD good: 5 article:1", ("good:", "holds article:1, which does not belong there")),
        ("SADD group:java article:1", ("group:java", "holds article:1, whose groups are go")),
        ("SREM group:go article:1", ("group:go", "lacks article:1, whose groups are go")),
        ("ZADD time: 9 article:77", ("time:", "holds article:77, which is no article")),
        ("PERSIST voted:1", ("voted:1", "never expires")),
        ("EXPIRE score:go 60", ("score:go", "expires in 60 seconds, but is for ever")),
    ],
)
def test_a_fault_is_told_in_words(site: Store, words: str, says: tuple[str, str]) -> None:
    run(site, *words.split())
    assert says in broken(site)


def test_every_fault_of_several_is_named(site: Store) -> None:
    for words in ("ZREM time: article:1", "PERSIST voted:2", "ZADD good: 5 article:3"):
        run(site, *words.split())
    assert broken_keys(site) == {"time:", "voted:2", "good:"}


def test_of_a_closed_article_the_voters_may_be_gone_and_the_votes_stay(site: Store) -> None:
    assert run(site, "EXISTS", "voted:3") == 0
    run(site, "HSET", "article:3", "base", "0")  # as posted here a week ago: the voters were counted
    assert broken(site) == []


def test_voters_in_their_last_hour_are_no_fault(make_store: MakeStore) -> None:
    store = make_store(voting_seconds=60)
    factories.imported(store, time=time.time() - 30, votes=3)
    assert broken(store) == []


def test_more_articles_than_fit_a_step_are_all_looked_at(site: Store) -> None:
    site.imports.add([factories.story(time=1_700_000_000.0 + i) for i in range(250)])
    assert broken(site) == []
    for id in (4, 150, 253):
        run(site, "ZREM", "score:", f"article:{id}")
    assert sorted(what for _, what in broken(site)) == ["lacks article:150", "lacks article:253", "lacks article:4"]


def test_another_worth_of_votes_is_told_for_every_score(site: Store, settings: Settings) -> None:
    other = assemble(site.connection, replace(settings, good_votes=3, vote_score=100.0))
    assert broken_keys(other) == {"score:", "score:go", "score:java"}
