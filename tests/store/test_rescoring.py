"""After the worth of a vote has changed: every score anew, while votes go on."""

from dataclasses import replace

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.helpers import until
from tests.store.examination import broken, run, snapshot
from tests.store.storm import Storm
from tests.store.test_listings import good, ids_of, page
from voteweb.core.config import Settings
from voteweb.core.models import Article, LogAction, Order
from voteweb.store import Store, build_store
from voteweb.store.moderation_log import NewLogEntry


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """A site on which a vote is worth 432 seconds: 1 in "go" with three votes, 2 in both, 3 old and good, 4 removed."""
    store = make_store(good_votes=3, vote_score=432.0)
    first = factories.article(store, groups=("go",), link="")
    factories.article(store, groups=("go", "lua"), link="")
    for voter in factories.users(store, 2):
        store.votes.cast(first.id, voter)
    factories.imported(store, votes=5, groups=("lua",))
    removed = factories.article(store, groups=("go",), link="")
    store.removals.remove(removed.id, NewLogEntry(LogAction.REMOVE, "Mod", article=removed.id, why="spam"))
    return store


def with_settings(store: Store, **over: object) -> Store:
    return build_store(store.connection, replace(store.doctor._settings, **over))  # type: ignore[arg-type]


def rescored(store: Store) -> tuple[int, int]:
    """Rescore the site; return how many articles were seen and moved."""
    steps = list(store.rescoring.run())
    return sum(seen for seen, _ in steps), sum(moved for _, moved in steps)


@pytest.mark.parametrize(
    ("over", "moved", "good_ones"),
    [
        ({"vote_score": 100.0}, 3, [1, 3]),
        ({"vote_score": 86_400.0}, 3, [1, 3]),
        ({"good_votes": 1}, 1, [2, 1, 3]),
        ({"good_votes": 4}, 1, [3]),
        ({"good_votes": 6, "vote_score": 1.0}, 3, []),
        ({}, 0, [1, 3]),
    ],
)
def test_every_article_stands_where_it_is_to_stand_now(
    site: Store, over: dict[str, float], moved: int, good_ones: list[int]
) -> None:
    other = with_settings(site, **over)
    assert bool(broken(other)) == bool(over)
    assert rescored(other) == (4, moved)
    assert broken(other) == []
    assert good(other) == good_ones
    before = snapshot(site)
    assert rescored(other) == (4, 0)
    assert snapshot(site) == before


def test_combined_groups_are_ranked_anew(site: Store) -> None:
    run(site, "HSET", "article:2", "groups", "go lua")
    both = store.rankings.groups(["go", "lua"], Order.SCORE)
    assert ids_of(page(site, both).rows) == [2]
    assert run(site, "EXISTS", "score:go+lua") == 1
    rescored(with_settings(site, vote_score=100.0))
    assert run(site, "EXISTS", "score:go+lua") == 0


def test_of_what_is_broken_nothing_else_is_touched(site: Store) -> None:
    run(site, "ZREM", "score:", "article:1")
    run(site, "HSET", "article:2", "votes", "many")
    run(site, "HDEL", "article:3", "title")
    run(site, "HSET", "article:99", "time", "1")
    rescored(with_settings(site, vote_score=100.0))
    assert run(site, "ZSCORE", "score:", "article:1") is None
    assert run(site, "EXISTS", "score:nowhere") == 0
    list(with_settings(site, vote_score=100.0).doctor.repair())
    assert run(site, "ZSCORE", "score:", "article:1") is not None


def test_an_article_that_changes_its_groups_meanwhile_is_asked_for_again(
    site: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = with_settings(site, vote_score=100.0)
    pipeline = site.connection.pipeline
    moves = iter([(["lua"], ["go"]), (["go"], ["lua"])])

    def meddling(commands: list[tuple[object, ...]], *, atomic: bool = False) -> list[object]:
        if commands and commands[0][0] == "EVALSHA":
            for add, remove in moves:
                site.articles.set_groups(1, add, remove)  # with the old worth of a vote
                break
        return pipeline(commands, atomic=atomic)

    monkeypatch.setattr(site.connection, "pipeline", meddling)
    rescored(other)
    monkeypatch.undo()
    assert broken(other) == []


def test_rescoring_in_a_storm_loses_no_vote(make_store: MakeStore) -> None:
    over = {"good_votes": 4, "max_groups": 3}
    before = make_store(vote_score=21_600.0, **over)
    storm = Storm(before, seed=1, threads=3)
    storm.start()
    until(lambda: len(storm.votes) > 20)
    storm.stop()
    store = make_store(vote_score=432.0, **over)
    assert broken(store) != []
    later = Storm(store, seed=2, threads=4)
    later.votes.update(storm.votes)
    later.start()
    acts = sum(later.acts.values())
    for _ in range(3):
        rescored(store)
    until(lambda: sum(later.acts.values()) > acts + 50)
    later.stop()
    assert later.failures == []
    assert broken(store) == []
    pipeline = store.pipeline()
    asked = {id: store.articles.queue_get(pipeline, id) for id in later.votes}
    pipeline.execute()
    articles: dict[int, Article] = {id: reply.result for id, reply in asked.items() if reply.result}
    assert {id: article.votes for id, article in articles.items()} == dict(later.votes)


def test_the_front_page_is_in_the_new_order(make_store: MakeStore, settings: Settings) -> None:
    store = make_store(vote_score=0.001)
    first = factories.article(store, link="")
    second = factories.article(store, link="")
    run(store, "HSET", f"article:{first.id}", "time", f"{second.time - 600:.6f}")
    list(store.doctor.repair())
    store.votes.cast(first.id, factories.user(store, "bob"))
    assert ids_of(page(store, store.rankings.site(Order.SCORE)).rows) == [second.id, first.id]
    other = with_settings(store, vote_score=3_600.0)
    rescored(other)
    assert ids_of(page(other, store.rankings.site(Order.SCORE)).rows) == [first.id, second.id]
