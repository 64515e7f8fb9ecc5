"""Repair of a site in use: it takes no write back and loses none."""

import random
from functools import partial

import pytest

from tests.conftest import MakeStore
from tests.helpers import until
from tests.store.concurrency import at_once
from tests.store.doctor.damages import (
    CONSEQUENCES,
    DAMAGES,
    DERIVED_DAMAGES,
    REPAIRED_FROM_OTHERS,
    UNREPAIRABLE,
    changed_keys,
    spoil,
)
from tests.store.examination import broken, run, snapshot
from tests.store.queries import read_articles
from tests.store.storm import StoreStorm, check_comments
from voteweb.core.models import ArticleStatus
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def repair(store: Store) -> int:
    """Repair the site; return how many findings were repaired."""
    return sum(is_repaired for _, is_repaired in Doctor(store.context).repair())


def test_a_vote_between_finding_and_fix_is_counted(site: Store) -> None:
    spoil(site, "HINCRBY article:1 votes -5")
    (finding, *_) = Doctor(site.context).examine()
    bob = site.users.get("bob")
    run(site, "SADD", "voted:1", bob.id)  # as by a program after the book that is killed before its next command
    assert site.connection.run([finding.fix]) == [["again"]]
    assert repair(site)
    assert site.articles.get(1).votes == 2
    assert broken(site) == []


@pytest.mark.parametrize(
    ("damage", "change"),
    [
        ("ZREM score: article:1", "HSET article:1 groups java"),
        ("ZREM score: article:1", "HSET article:1 poster bob"),
        ("ZADD posted:bob 9 article:1", "HSET article:1 poster bob"),
        ("SADD group:java article:1", "HSET article:1 groups java"),
        ("ZADD time:ghost 9 article:1", "SADD groups: ghost"),
        ("SADD leaving: bob", "HSET user:bob left 1"),
    ],
)
def test_an_outdated_fix_changes_nothing(site: Store, damage: str, change: str) -> None:
    spoil(site, damage)
    (finding,) = Doctor(site.context).examine()
    spoil(site, change)
    before = snapshot(site)
    assert site.connection.run([finding.fix])[0][0] == "again"
    assert snapshot(site) == before


def test_several_doctors_repair_all_damages_at_once(site: Store) -> None:
    before = snapshot(site)
    alone = {*UNREPAIRABLE, *CONSEQUENCES, *REPAIRED_FROM_OTHERS, "HSET article:1 base few"}
    for command, _ in DAMAGES:
        if command not in alone:
            spoil(site, command)
    assert sum(at_once([partial(repair, site)] * 4)) > 0
    assert broken(site) == []
    # Each doctor sets the expiry, and may raise a counter: a gap between ids does no harm.
    assert changed_keys(before, snapshot(site)) <= {"reset:digest", "article:", "user:"}


@pytest.mark.heavy
def test_repairing_in_a_storm_loses_no_vote(make_store: MakeStore) -> None:
    store = make_store(good_votes=4, vote_score=21_600.0, max_groups=3)
    chance = random.Random(7)
    storm = StoreStorm(store, threads=4)
    storm.start()
    until(lambda: len(storm.votes) > 10)
    repaired = 0
    for _ in range(2):
        for damage in DERIVED_DAMAGES:
            spoil(store, damage.format(chance.choice(sorted(storm.votes)[-6:])))
        repaired += repair(store)
    storm.stop()
    assert repaired > 0
    repair(store)
    assert broken(store) == []
    # The votes of a deleted article cannot be repaired: its voters are gone, and only the spoilt field is left.
    votes = {
        id: article.votes
        for id, article in read_articles(store, storm.votes).items()
        if article.status is not ArticleStatus.DELETED
    }
    assert votes
    assert votes == {id: count for id, count in storm.votes.items() if id in votes}
    check_comments(storm)
