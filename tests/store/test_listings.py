"""Lists: pages, totals, ties, combined groups."""

import random
import time
from collections.abc import Iterable

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, snapshot
from voteweb.core import config
from voteweb.core.models import Article, Order, Page
from voteweb.store import Store
from voteweb.store.rankings import Ranking

START = 1_700_000_000.0
#: The orders of the lists that readers see.
ORDERS = (Order.SCORE, Order.TIME)


def page(store: Store, which: Ranking, number: int = 1) -> Page[Article]:
    pipeline = store.pipeline()
    asked = store.listings.queue_page(pipeline, which, number)
    pipeline.execute()
    return asked.result


def good(store: Store, most: int = 50) -> list[int]:
    pipeline = store.pipeline()
    asked = store.listings.queue_good(pipeline, most)
    pipeline.execute()
    return [article.id for article in asked.result]


def ids_of(rows: Iterable[Article]) -> list[int]:
    return [article.id for article in rows]


def all_pages(store: Store, which: Ranking) -> list[int]:
    """Return the articles of a list as a reader meets them who turns every page."""
    found: list[int] = []
    number = 1
    while True:
        read = page(store, which, number)
        assert read.first == len(found) + 1
        found += ids_of(read.rows)
        if not read.more:
            assert len(found) == read.total
            return found
        number += 1


def stories(store: Store, times_and_votes: Iterable[tuple[float, int]], groups: tuple[str, ...] = ()) -> None:
    """Lay in closed articles of these times and votes; their ids count up."""
    store.imports.add([factories.story(time=time, votes=votes, groups=groups) for time, votes in times_and_votes])


def test_an_empty_site_has_an_empty_first_page(store: Store) -> None:
    assert page(store, store.rankings.site(Order.SCORE)) == Page(rows=(), number=1, total=0, first=1, more=False)


def test_a_row_holds_what_a_list_shows(store: Store) -> None:
    article = factories.article(store, title="編 & <b>", text="not shown in lists", groups=("go", "redis"))
    (row,) = page(store, store.rankings.site(Order.TIME)).rows
    assert row == Article(
        id=1,
        title="編 & <b>",
        link=article.link,
        text="",
        poster="ann",
        time=article.time,
        votes=1,
        groups=("go", "redis"),
    )


def test_by_time_the_newest_stands_first_and_by_score_the_highest(store: Store) -> None:
    # Scores over START: 10 × 432 = 4,320; 1,000 + 432 = 1,432; 3,000 + 3 × 432 = 4,296; 5,000.
    stories(store, [(START, 10), (START + 1_000, 1), (START + 3_000, 3), (START + 5_000, 0)])
    assert ids_of(page(store, store.rankings.site(Order.TIME)).rows) == [4, 3, 2, 1]
    assert ids_of(page(store, store.rankings.site(Order.SCORE)).rows) == [4, 1, 3, 2]


@pytest.mark.parametrize(
    ("number", "rows", "first", "more"),
    [
        (1, [5, 4], 1, True),
        (2, [3, 2], 3, True),
        (3, [1], 5, False),
        (4, [], 7, False),
        (10**12, [], 2 * 10**12 - 1, False),
    ],
)
def test_pages_know_their_rows_their_ranks_and_whether_there_is_more(
    make_store: MakeStore, number: int, rows: list[int], first: int, more: bool
) -> None:
    store = make_store(page_size=2)
    stories(store, [(START + i, 0) for i in range(5)])
    read = page(store, store.rankings.site(Order.TIME), number)
    assert (ids_of(read.rows), read.number, read.total, read.first, read.more) == (rows, number, 5, first, more)
    assert (read.as_of, read.bounded) == (None, False)


def test_a_last_page_that_is_full_has_nothing_behind_it(make_store: MakeStore) -> None:
    store = make_store(page_size=2)
    stories(store, [(START + i, 0) for i in range(4)])
    assert [page(store, store.rankings.site(Order.TIME), number).more for number in (1, 2)] == [True, False]


def test_a_page_has_twenty_five_rows_unless_told_otherwise(store: Store) -> None:
    stories(store, [(START + i, 0) for i in range(26)])
    assert [len(page(store, store.rankings.site(Order.SCORE), number).rows) for number in (1, 2)] == [25, 1]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 12, 25])
def test_of_one_score_the_newer_stands_first_on_whatever_page(make_store: MakeStore, size: int) -> None:
    # Every article has the score START + 43,200: the one posted 432 s later has a vote less.
    ages = list(range(12))
    random.Random(size).shuffle(ages)
    store = make_store(page_size=size)
    stories(store, [(START + 432 * age, 100 - age) for age in ages])
    newest_first = sorted(range(1, 13), key=lambda id: -ages[id - 1])
    assert all_pages(store, store.rankings.site(Order.SCORE)) == newest_first


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_several_ties_with_single_ones_between_them_stay_in_order(make_store: MakeStore, size: int) -> None:
    store = make_store(page_size=size)
    # Scores over START in units of 432: 5 (three times), 4, 3 (twice), 2; the oldest of each tie comes last.
    rows = [(0, 5), (1, 4), (2, 3), (2, 2), (0, 3), (1, 2), (1, 1)]
    stories(store, [(START + 432 * age, votes) for age, votes in rows])
    assert all_pages(store, store.rankings.site(Order.SCORE)) == [3, 2, 1, 4, 6, 5, 7]


@pytest.mark.parametrize("size", [1, 2, 3, 25])
@pytest.mark.parametrize("order", ORDERS)
def test_of_one_time_the_higher_number_stands_first_nine_before_ten_or_not(
    make_store: MakeStore, size: int, order: Order
) -> None:
    store = make_store(page_size=size)
    for id in (8, 9, 10, 11, 100):  # as another program may have written them
        run(store, "HSET", f"article:{id}", "title", "t", "time", START, "votes", 1)
        run(store, "ZADD", "time:", START, f"article:{id}")
        run(store, "ZADD", "score:", START + 432, f"article:{id}")
    assert all_pages(store, store.rankings.site(order)) == [100, 11, 10, 9, 8]


@pytest.mark.parametrize("size", [2, 3])
def test_ties_in_a_group_and_in_combined_groups_are_in_order_too(make_store: MakeStore, size: int) -> None:
    store = make_store(page_size=size)
    stories(store, [(START + 432 * age, 20 - age) for age in range(11)], groups=("go", "redis"))
    newest_first = list(range(11, 0, -1))
    assert all_pages(store, store.rankings.groups(["go"], Order.SCORE)) == newest_first
    assert all_pages(store, store.rankings.groups(["go", "redis"], Order.SCORE)) == newest_first


def test_a_group_lists_its_own_articles_in_both_orders(store: Store) -> None:
    stories(store, [(START, 10), (START + 1_000, 1)], groups=("go",))
    stories(store, [(START + 2_000, 5)], groups=("redis",))
    assert ids_of(page(store, store.rankings.groups(["go"], Order.SCORE)).rows) == [1, 2]
    assert ids_of(page(store, store.rankings.groups(["go"], Order.TIME)).rows) == [2, 1]
    assert page(store, store.rankings.groups(["go"], Order.TIME)).total == 2


def test_a_vote_moves_an_article_in_its_group_at_once(store: Store) -> None:
    first, second = factories.article(store, groups=("go",)), factories.article(store, groups=("go",))
    assert ids_of(page(store, store.rankings.groups(["go"], Order.SCORE)).rows) == [second.id, first.id]
    store.votes.cast(first.id, factories.user(store, "bob"))
    read = page(store, store.rankings.groups(["go"], Order.SCORE))
    assert [(row.id, row.votes) for row in read.rows] == [(first.id, 2), (second.id, 1)]


def test_a_member_has_a_list_by_time_whatever_the_case_of_the_name(store: Store) -> None:
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    for poster in (ann, bob, ann):
        factories.article(store, poster)
    assert ids_of(page(store, store.rankings.member("aNN")).rows) == [3, 1]


def test_good_articles_are_listed_newest_first_and_only_so_many(store: Store) -> None:
    stories(store, [(START + i, votes) for i, votes in enumerate([200, 199, 5_000, 201, 0])])
    assert good(store) == [4, 3, 1]
    assert good(store, 2) == [4, 3]
    assert good(store, 0) == []


def test_two_questions_can_share_a_trip(store: Store) -> None:
    factories.article(store)
    pipeline = store.pipeline()
    listed, one = store.listings.queue_page(pipeline, store.rankings.site(Order.TIME), 1), store.articles.queue_get(pipeline, 1)
    names = store.groups.queue_names(pipeline)
    pipeline.execute()
    assert one.result is not None
    assert (ids_of(listed.result.rows), one.result.id, names.result) == ([1], 1, ())


def test_rows_of_articles_that_are_gone_are_left_out(store: Store) -> None:
    stories(store, [(START + i, 0) for i in range(3)])
    run(store, "DEL", "article:2")
    run(store, "ZADD", "time:", START + 9, "nonsense")
    assert ids_of(page(store, store.rankings.site(Order.TIME)).rows) == [3, 1]


@pytest.mark.parametrize("order", ORDERS)
def test_combined_groups_list_what_is_in_all_of_them(store: Store, order: Order) -> None:
    stories(store, [(START, 9)], groups=("go", "redis", "编程"))
    stories(store, [(START + 1, 8)], groups=("go", "redis"))
    stories(store, [(START + 2, 7)], groups=("redis", "编程"))
    stories(store, [(START + 3, 6)], groups=("go",))
    stories(store, [(START + 4, 5)], groups=("编程", "redis", "go"))
    wanted = [5, 1] if order is Order.TIME else [1, 5]
    assert ids_of(page(store, store.rankings.groups(["go", "redis", "编程"], order)).rows) == wanted
    pairs = page(store, store.rankings.groups(["go", "redis"], order))
    assert (sorted(ids_of(pairs.rows)), pairs.total, pairs.more, pairs.bounded) == ([1, 2, 5], 3, False, False)


def test_combined_groups_stand_by_the_true_scores(store: Store) -> None:
    stories(store, [(START, 9)], groups=("go", "redis"))
    page(store, store.rankings.groups(["go", "redis"], Order.SCORE))
    assert run(store, "ZSCORE", "score:go+redis", "article:1") == START + 9 * 432


def test_the_order_of_the_names_makes_no_other_list(store: Store) -> None:
    stories(store, [(START, 9)], groups=("a", "b", "c"))
    assert store.rankings.groups(["c", "a", "b"], Order.TIME) == store.rankings.groups(["b", "c", "a"], Order.TIME)
    page(store, store.rankings.groups(["c", "a", "b"], Order.TIME))
    assert run(store, "KEYS", "time:*+*") == ["time:a+b+c"]


def test_a_combined_list_is_kept_a_minute_and_says_since_when(make_store: MakeStore) -> None:
    store = make_store(group_cache_seconds=60)
    which = store.rankings.groups(["go", "redis"], Order.TIME)
    stories(store, [(START, 9)], groups=("go", "redis"))
    before = time.time()
    made = page(store, which)
    assert made.as_of is not None
    assert before - 1 < made.as_of < time.time() + 1
    stories(store, [(START + 1, 9)], groups=("go", "redis"))
    assert page(store, which) == made
    assert 0 < run(store, "TTL", which.key) <= 60
    run(store, "DEL", which.key)
    later = page(store, which)
    assert later.as_of is not None
    assert (ids_of(later.rows), later.as_of > made.as_of) == ([2, 1], True)


@pytest.mark.parametrize("names", [["go", "redis"], ["go", "nowhere"], ["nowhere", "nothing"]])
def test_an_empty_combination_is_kept_too(store: Store, names: list[str]) -> None:
    stories(store, [(START, 9)], groups=("go",))
    stories(store, [(START, 9)], groups=("redis",))
    which = store.rankings.groups(names, Order.SCORE)
    first = page(store, which)
    assert (first.rows, first.total, first.more) == ((), 0, False)
    assert 0 < run(store, "TTL", which.key) <= 60
    assert page(store, which) == first


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_mark_of_a_combined_list_never_shows(make_store: MakeStore, size: int) -> None:
    store = make_store(page_size=size)
    stories(store, [(START + i, 9) for i in range(3)], groups=("go", "redis"))
    assert all_pages(store, store.rankings.groups(["go", "redis"], Order.TIME)) == [3, 2, 1]


def test_a_combined_list_is_made_of_the_best_of_the_smallest_group(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "COMBINED_FROM", 3)
    stories(store, [(START + i, 9) for i in range(4)], groups=("go", "redis"))
    stories(store, [(START + 9, 9)], groups=("redis",))
    read = page(store, store.rankings.groups(["redis", "go"], Order.TIME))
    assert (ids_of(read.rows), read.total, read.bounded) == ([4, 3, 2], 3, True)


def test_a_smallest_group_that_just_fits_is_whole(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "COMBINED_FROM", 3)
    stories(store, [(START + i, 9) for i in range(3)], groups=("go", "redis"))
    stories(store, [(START + 9, 9)], groups=("redis",))
    read = page(store, store.rankings.groups(["redis", "go"], Order.TIME))
    assert (ids_of(read.rows), read.total, read.bounded) == ([3, 2, 1], 3, False)


def test_two_thousand_of_the_smallest_group_take_part(store: Store) -> None:
    # 2,300 articles in both groups, written as raw rankings: the hashes are not asked for beyond the page.
    both = [word for id in range(1, 2_301) for word in (START + id, f"article:{id}")]
    run(store, "ZADD", "time:go", *both)
    run(store, "ZADD", "time:redis", *both, START + 9_999, "article:9999")
    for id in (2_300, 2_299):
        run(store, "HSET", f"article:{id}", "title", "t", "time", START + id, "votes", 1)
    read = page(store, store.rankings.groups(["go", "redis"], Order.TIME))
    assert (ids_of(read.rows), read.total, read.more, read.bounded) == ([2_300, 2_299], 2_000, True, True)


def test_reading_lists_changes_nothing(store: Store) -> None:
    stories(store, [(START + i, 300) for i in range(3)], groups=("go", "redis"))
    before = snapshot(store)
    for which in (store.rankings.site(Order.SCORE), store.rankings.groups(["go"], Order.TIME), store.rankings.member("ann")):
        page(store, which)
    good(store)
    assert snapshot(store) == before


def test_a_combined_list_is_no_broken_invariant(store: Store) -> None:
    factories.article(store, groups=("go", "redis"))
    for order in ORDERS:
        page(store, store.rankings.groups(["go", "redis"], order))
    assert broken(store) == []


@pytest.mark.parametrize(
    ("which", "trips"),
    [
        (store.rankings.site(Order.SCORE), 1),
        (store.rankings.groups(["go"], Order.TIME), 1),
        (store.rankings.groups(["go", "redis"], Order.SCORE), 1),
        (store.rankings.member("ann"), 1),
    ],
    ids=lambda value: value.key if isinstance(value, Ranking) else "",
)
def test_a_list_is_one_round_trip_whatever_the_number_of_its_rows(
    store: Store, monkeypatch: pytest.MonkeyPatch, which: Ranking, trips: int
) -> None:
    stories(store, [(START + i, 9) for i in range(30)], groups=("go", "redis"))
    store.connection.load_scripts()
    went = []
    pipeline = store.connection.pipeline
    monkeypatch.setattr(store.connection, "pipeline", lambda *words, **more: went.append(1) or pipeline(*words, **more))
    assert len(page(store, which).rows) == 25
    assert len(went) == trips
