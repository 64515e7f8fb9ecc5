"""Rescoring: new scores after a setting of votes was changed, while votes go on."""

from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.helpers import until
from tests.store.examination import broken, run, unchanged
from tests.store.queries import good_ids, page_ids, read_articles
from tests.store.storm import StoreStorm
from voteweb.core.models import Order
from voteweb.core.settings import Settings
from voteweb.store import Store, build_store
from voteweb.store.doctor import Doctor

SETTINGS: dict[str, Any] = {"good_votes": 3, "vote_score": 432.0}


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """A site on which a vote is worth 432 seconds: 1 in "go" with three votes, 2 in both, 3 old and good, 4 removed."""
    store = make_store(**SETTINGS)
    first = factories.article(store, groups=("go",), link="")
    factories.article(store, groups=("go", "lua"), link="")
    for voter in factories.users(store, 2):
        store.votes.cast(first.id, voter)
    factories.imported(store, votes=5, groups=("lua",))
    removed = factories.article(store, groups=("go",), link="")
    factories.remove(store, removed.id)
    return store


def with_changes(store: Store, settings: Settings, **changes: Any) -> Store:
    """Return the store of the same site whose settings differ from SETTINGS by *changes*."""
    return build_store(store.connection, replace(settings, **SETTINGS | changes))


def rescore(store: Store) -> tuple[int, int]:
    """Rescore the site; return how many articles were seen and moved."""
    steps = list(store.site_settings.rescore())
    return sum(seen for seen, _ in steps), sum(moved for _, moved in steps)


@pytest.mark.parametrize(
    ("changes", "moved", "good"),
    [
        ({"vote_score": 100.0}, 3, [1, 3]),
        ({"good_votes": 1}, 1, [2, 1, 3]),
        ({"good_votes": 6, "vote_score": 1.0}, 3, []),
        ({}, 0, [1, 3]),
    ],
)
def test_every_article_gets_its_new_score(
    site: Store, settings: Settings, changes: dict[str, float], moved: int, good: list[int]
) -> None:
    changed = with_changes(site, settings, **changes)
    assert page_ids(site, site.rankings.groups(["go", "lua"], Order.SCORE)) == [2]
    assert bool(broken(changed)) == bool(changes)
    assert rescore(changed) == (4, moved)
    assert broken(changed) == []
    assert good_ids(changed) == good
    assert run(site, "EXISTS", "score:go+lua") == 0
    with unchanged(site):
        assert rescore(changed) == (4, 0)


def test_rescoring_leaves_other_faults_to_the_doctor(site: Store, settings: Settings) -> None:
    run(site, "ZREM", "score:", "article:1")
    run(site, "HSET", "article:2", "votes", "many")
    run(site, "HDEL", "article:3", "title")
    run(site, "HSET", "article:99", "time", "1")
    changed = with_changes(site, settings, vote_score=100.0)
    rescore(changed)
    assert run(site, "ZSCORE", "score:", "article:1") is None
    assert run(site, "EXISTS", "score:nowhere") == 0
    list(Doctor(changed.context).repair())
    assert run(site, "ZSCORE", "score:", "article:1") is not None


def test_an_article_is_retried_when_its_groups_changed_meanwhile(
    site: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = with_changes(site, settings, vote_score=100.0)
    send = site.connection.run
    moves = iter([(["lua"], ["go"]), (["go"], ["lua"])])

    def move_before(commands: list[tuple[object, ...]], **options: Any) -> list[object]:
        if commands and commands[0][0] == "EVALSHA" and (move := next(moves, None)):
            site.articles.set_groups(1, *move)  # with the old worth of a vote
        return send(commands, **options)

    monkeypatch.setattr(site.connection, "run", move_before)
    rescore(changed)
    monkeypatch.undo()
    assert next(moves, None) is None
    assert broken(changed) == []


def test_rescoring_in_a_storm_loses_no_vote(make_store: MakeStore) -> None:
    limits = {"good_votes": 4, "max_groups": 3}
    before = StoreStorm(make_store(vote_score=21_600.0, **limits), seed=1, threads=3)
    before.start()
    until(lambda: len(before.votes) > 20)
    before.stop()
    store = make_store(vote_score=432.0, **limits)
    assert broken(store) != []
    storm = StoreStorm(store, seed=2, threads=4)
    storm.votes.update(before.votes)
    storm.start()
    acts = sum(storm.acts.values())
    for _ in range(3):
        rescore(store)
    until(lambda: sum(storm.acts.values()) > acts + 50)
    storm.stop()
    assert storm.failures == []
    assert broken(store) == []
    votes = {id: article.votes for id, article in read_articles(store, storm.votes).items()}
    assert votes == dict(storm.votes)
