"""Rescoring: new scores after a setting of votes was changed, while votes go on."""

from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, repair, run, unchanged
from tests.store.queries import good_ids, page_ids
from voteweb.core.models import Order
from voteweb.core.settings import Settings
from voteweb.store import Store, build_store

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
    repair(changed)
    assert run(site, "ZSCORE", "score:", "article:1") is not None


def test_an_article_is_retried_when_groups_or_votes_changed_meanwhile(
    site: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = with_changes(site, settings, vote_score=100.0)
    send = site.connection.run
    # With the old worth of a vote.
    changes = iter([
        lambda: site.articles.set_groups(1, ["lua"], ["go"]), lambda: site.articles.set_groups(1, ["go"], ["lua"]),
        lambda: site.votes.cast(1, factories.user(site, "bob")),
    ])  # fmt: skip

    def change_before(commands: list[tuple[object, ...]], **options: Any) -> list[object]:
        if commands and commands[0][0] == "EVALSHA" and (change := next(changes, None)):
            change()
        return send(commands, **options)

    monkeypatch.setattr(site.connection, "run", change_before)
    rescore(changed)
    monkeypatch.undo()
    assert next(changes, None) is None
    assert broken(changed) == []
