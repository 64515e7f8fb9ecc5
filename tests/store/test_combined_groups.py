"""Combined groups: the articles that are in all of several groups."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, without_prefix
from tests.store.queries import add_stories, all_ids, ids_of, page, page_ids
from voteweb.core import config
from voteweb.core.models import Order
from voteweb.store import Store

START = 1_700_000_000.0
ORDERS = (Order.SCORE, Order.TIME)


@pytest.mark.parametrize("order", ORDERS)
def test_combined_groups_list_articles_in_all_of_them(store: Store, order: Order) -> None:
    add_stories(store, [(START, 9)], groups=("go", "redis", "编程"))
    add_stories(store, [(START + 1, 8)], groups=("go", "redis"))
    add_stories(store, [(START + 2, 7)], groups=("redis", "编程"))
    add_stories(store, [(START + 3, 6)], groups=("go",))
    add_stories(store, [(START + 4, 5)], groups=("编程", "redis", "go"))
    wanted = [5, 1] if order is Order.TIME else [1, 5]
    assert page_ids(store, store.rankings.groups(["go", "redis", "编程"], order)) == wanted
    pair = page(store, store.rankings.groups(["go", "redis"], order))
    assert (sorted(ids_of(pair.rows)), pair.total, pair.more, pair.bounded) == ([1, 2, 5], 3, False, False)


def test_a_combined_ranking_has_the_articles_scores(store: Store) -> None:
    add_stories(store, [(START, 9)], groups=("go", "redis"))
    page(store, store.rankings.groups(["go", "redis"], Order.SCORE))
    assert run(store, "ZSCORE", "score:go+redis", "article:1") == START + 9 * 432


def test_the_order_of_combined_names_does_not_matter(store: Store) -> None:
    add_stories(store, [(START, 9)], groups=("a", "b", "c"))
    assert store.rankings.groups(["c", "a", "b"], Order.TIME) == store.rankings.groups(["b", "c", "a"], Order.TIME)
    page(store, store.rankings.groups(["c", "a", "b"], Order.TIME))
    assert run(store, "KEYS", "time:*+*") == ["time:a+b+c"]


def test_a_combined_list_is_kept_a_minute_with_its_time(make_store: MakeStore) -> None:
    store = make_store(group_cache_seconds=60)
    ranking = store.rankings.groups(["go", "redis"], Order.TIME)
    add_stories(store, [(START, 9)], groups=("go", "redis"))
    before = time.time()
    first = page(store, ranking)
    assert first.as_of is not None
    assert before - 1 < first.as_of < time.time() + 1
    add_stories(store, [(START + 1, 9)], groups=("go", "redis"))
    assert page(store, ranking) == first
    assert 0 < run(store, "TTL", without_prefix(store, ranking.key)) <= 60
    run(store, "DEL", without_prefix(store, ranking.key))
    later = page(store, ranking)
    assert later.as_of is not None
    assert (ids_of(later.rows), later.as_of > first.as_of) == ([2, 1], True)


@pytest.mark.parametrize("names", [["go", "redis"], ["go", "nowhere"], ["nowhere", "nothing"]])
def test_an_empty_combination_is_kept(store: Store, names: list[str]) -> None:
    add_stories(store, [(START, 9)], groups=("go",))
    add_stories(store, [(START, 9)], groups=("redis",))
    ranking = store.rankings.groups(names, Order.SCORE)
    first = page(store, ranking)
    assert (first.rows, first.total, first.more) == ((), 0, False)
    assert 0 < run(store, "TTL", without_prefix(store, ranking.key)) <= 60
    assert page(store, ranking) == first


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_marker_of_a_combined_list_is_never_shown(make_store: MakeStore, size: int) -> None:
    store = make_store(page_size=size)
    add_stories(store, [(START + i, 9) for i in range(3)], groups=("go", "redis"))
    assert all_ids(store, store.rankings.groups(["go", "redis"], Order.TIME)) == [3, 2, 1]


def test_a_combined_list_takes_the_best_of_the_smallest_group(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_COMBINED_ARTICLES", 3)
    add_stories(store, [(START + i, 9) for i in range(4)], groups=("go", "redis"))
    add_stories(store, [(START + 9, 9)], groups=("redis",))
    listed = page(store, store.rankings.groups(["redis", "go"], Order.TIME))
    assert (ids_of(listed.rows), listed.total, listed.bounded) == ([4, 3, 2], 3, True)


def test_a_smallest_group_at_the_limit_is_not_cut(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_COMBINED_ARTICLES", 3)
    add_stories(store, [(START + i, 9) for i in range(3)], groups=("go", "redis"))
    add_stories(store, [(START + 9, 9)], groups=("redis",))
    listed = page(store, store.rankings.groups(["redis", "go"], Order.TIME))
    assert (ids_of(listed.rows), listed.total, listed.bounded) == ([3, 2, 1], 3, False)


def test_a_combined_list_takes_two_thousand_articles(store: Store) -> None:
    # 2,300 articles in both groups, written as raw rankings: the hashes beyond the page are not read.
    both = [argument for id in range(1, 2_301) for argument in (START + id, f"article:{id}")]
    run(store, "ZADD", "time:go", *both)
    run(store, "ZADD", "time:redis", *both, START + 9_999, "article:9999")
    for id in (2_300, 2_299):
        run(store, "HSET", f"article:{id}", "title", "t", "time", START + id, "votes", 1)
    listed = page(store, store.rankings.groups(["go", "redis"], Order.TIME))
    assert (ids_of(listed.rows), listed.total, listed.more, listed.bounded) == ([2_300, 2_299], 2_000, True, True)


def test_the_doctor_accepts_combined_lists(store: Store) -> None:
    factories.article(store, groups=("go", "redis"))
    for order in ORDERS:
        page(store, store.rankings.groups(["go", "redis"], order))
    assert broken(store) == []
