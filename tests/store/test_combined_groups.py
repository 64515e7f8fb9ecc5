"""Combined groups: the articles that are in all of several groups.

No assertion in this file changes without the product's owner.
"""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, snapshot, without_prefix
from tests.store.queries import add_stories, all_ids, ids_of, page, page_ids
from voteweb.core import config
from voteweb.core.errors import TooFast
from voteweb.core.models import Order
from voteweb.core.rate_limits import Limit, LimitScope
from voteweb.store import Store

START = 1_700_000_000.0
FEW = Limit("few", "", LimitScope.ADDRESS, 2, 4, 3_600, "", ())
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
    store = make_store()
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


def test_an_empty_combination_is_kept(store: Store) -> None:
    add_stories(store, [(START, 9)], groups=("go",))
    add_stories(store, [(START, 9)], groups=("redis",))
    ranking = store.rankings.groups(["go", "redis"], Order.SCORE)
    first = page(store, ranking)
    assert (first.rows, first.total, first.more) == ((), 0, False)
    assert 0 < run(store, "TTL", without_prefix(store, ranking.key)) <= 60
    assert page(store, ranking) == first


@pytest.mark.parametrize("names", [["go", "nowhere"], ["nowhere", "nothing"], ["go", "empty"]])
def test_combining_missing_or_empty_groups_writes_and_costs_nothing(make_store: MakeStore, names: list[str]) -> None:
    store = make_store(limits=1)
    add_stories(store, [(START, 9)], groups=("go",))
    factories.group(store, "empty")
    before = snapshot(store)
    listed = page(store, store.rankings.groups(names, Order.SCORE), hits=[(FEW, "an address")])
    assert (listed.rows, listed.total, listed.more, listed.as_of) == ((), 0, False, None)
    assert snapshot(store) == before


def test_only_so_many_combinations_are_kept_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_COMBINATIONS", 2)
    add_stories(store, [(START + i, 9 - i) for i in range(4)], groups=("a", "b", "c"))
    pairs = [["a", "b"], ["a", "c"], ["b", "c"]]
    for order in ORDERS:
        for pair in pairs:
            listed = page(store, store.rankings.groups(pair, order))
            assert (len(listed.rows), listed.total, listed.bounded) == (4, 4, False), pair
    assert [listed.id for listed in listed.rows] == [4, 3, 2, 1]
    assert sorted(run(store, "KEYS", "*+*")) == ["score:a+b", "score:a+c"]
    assert broken(store) == []


def test_an_unkept_combination_is_paged_like_a_kept_one(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_COMBINATIONS", 0)
    store = make_store(page_size=2)
    add_stories(store, [(START + i, 9) for i in range(5)], groups=("go", "redis"))
    assert all_ids(store, store.rankings.groups(["go", "redis"], Order.TIME)) == [5, 4, 3, 2, 1]


def test_a_place_is_free_again_when_a_combination_expires(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_COMBINATIONS", 1)
    add_stories(store, [(START, 9)], groups=("a", "b", "c"))
    page(store, store.rankings.groups(["a", "b"], Order.TIME))
    run(store, "DEL", "time:a+b")
    run(store, "ZADD", "combined:", time.time() - 1, "time:a+b")
    assert page(store, store.rankings.groups(["b", "c"], Order.TIME)).as_of is not None
    assert run(store, "ZRANGE", "combined:", 0, -1) == ["time:b+c"]


def test_a_combination_about_to_expire_is_built_again(store: Store) -> None:
    add_stories(store, [(START, 9)], groups=("a", "b"))
    ranking = store.rankings.groups(["a", "b"], Order.TIME)
    page(store, ranking)
    run(store, "PEXPIRE", "time:a+b", 100)
    assert page_ids(store, ranking) == [1]
    assert run(store, "PTTL", "time:a+b") > 1_000


def test_building_a_combination_is_limited_and_reading_it_not(make_store: MakeStore) -> None:
    store = make_store(limits=1)
    add_stories(store, [(START, 9)], groups=("a", "b", "c"))
    first, second, third = (store.rankings.groups(pair, Order.TIME) for pair in (["a", "b"], ["b", "c"], ["a", "c"]))
    for ranking in (first, first, first, second, first):
        assert ids_of(page(store, ranking, hits=[(FEW, "an address")]).rows) == [1]
    with pytest.raises(TooFast) as refused:
        page(store, third, hits=[(FEW, "an address")])
    assert refused.value.values["kind"] == "few"
    assert page_ids(store, first) == [1]
    assert ids_of(page(store, third, hits=[(FEW, "another address")]).rows) == [1]


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


def test_a_combined_list_takes_five_hundred_articles(store: Store) -> None:
    # 600 articles in both groups, written as raw rankings: the hashes beyond the page are not read.
    both = [argument for id in range(1, 601) for argument in (START + id, f"article:{id}")]
    run(store, "SADD", "groups:", "go", "redis")
    run(store, "ZADD", "time:go", *both)
    run(store, "ZADD", "time:redis", *both, START + 9_999, "article:9999")
    for id in (600, 599):
        run(store, "HSET", f"article:{id}", "title", "t", "time", START + id, "votes", 1)
    listed = page(store, store.rankings.groups(["go", "redis"], Order.TIME))
    assert (ids_of(listed.rows), listed.total, listed.more, listed.bounded) == ([600, 599], 500, True, True)


def test_the_doctor_accepts_combined_lists(store: Store) -> None:
    factories.article(store, groups=("go", "redis"))
    for order in ORDERS:
        page(store, store.rankings.groups(["go", "redis"], order))
    assert broken(store) == []
