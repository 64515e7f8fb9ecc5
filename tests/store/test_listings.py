"""Lists: pages, totals, and which articles they have."""

from collections.abc import Callable

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import recorded, run, snapshot
from tests.store.queries import add_stories, good_ids, ids_of, page, page_ids
from voteweb.core.models import Article, Order, Page
from voteweb.store import Store
from voteweb.store.articles.listings import queue_merged
from voteweb.store.schema.rankings import Ranking, Rankings

START = 1_700_000_000.0


def test_an_empty_site_has_an_empty_first_page(store: Store) -> None:
    assert page(store, store.rankings.site(Order.SCORE)) == Page(rows=(), number=1, total=0, first_rank=1, more=False)


def test_a_row_has_every_field_but_the_text(store: Store) -> None:
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
        closes=int(article.time + 604_800),
    )


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
def test_a_page_has_rows_first_rank_total_and_more(
    make_store: MakeStore, number: int, rows: list[int], first: int, more: bool
) -> None:
    store = make_store(page_size=2)
    add_stories(store, [(START + i, 0) for i in range(5)])
    listed = page(store, store.rankings.site(Order.TIME), number)
    assert (ids_of(listed.rows), listed.number, listed.total, listed.first_rank, listed.more) == (
        rows,
        number,
        5,
        first,
        more,
    )
    assert (listed.as_of, listed.bounded) == (None, False)


def test_a_page_has_twenty_five_rows_and_none_follows_the_last(store: Store) -> None:
    add_stories(store, [(START + i, 0) for i in range(50)])
    pages = [page(store, store.rankings.site(Order.SCORE), number) for number in (1, 2)]
    assert [(len(listed.rows), listed.more) for listed in pages] == [(25, True), (25, False)]


def test_a_vote_moves_an_article_in_its_group(store: Store) -> None:
    first, second = factories.article(store, groups=("go",)), factories.article(store, groups=("go",))
    assert page_ids(store, store.rankings.groups(["go"], Order.SCORE)) == [second.id, first.id]
    store.votes.cast(first.id, factories.user(store, "bob"))
    listed = page(store, store.rankings.groups(["go"], Order.SCORE))
    assert [(row.id, row.votes) for row in listed.rows] == [(first.id, 2), (second.id, 1)]


def test_a_members_list_is_found_in_any_case(store: Store) -> None:
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    for poster in (ann, bob, ann):
        factories.article(store, poster)
    assert page_ids(store, store.rankings.member("aNN")) == [3, 1]


def test_missing_articles_are_left_out_of_pages(store: Store) -> None:
    add_stories(store, [(START + i, 0) for i in range(3)])
    run(store, "DEL", "article:2")
    run(store, "ZADD", "time:", START + 9, "nonsense")
    assert page_ids(store, store.rankings.site(Order.TIME)) == [3, 1]


def test_reading_lists_changes_nothing(store: Store) -> None:
    add_stories(store, [(START + i, 300) for i in range(3)], groups=("go", "redis"))
    before = snapshot(store)
    rankings = store.rankings
    for ranking in (rankings.site(Order.SCORE), rankings.groups(["go"], Order.TIME), rankings.member("ann")):
        page(store, ranking)
    good_ids(store)
    assert snapshot(store) == before


@pytest.mark.parametrize(
    "choose",
    [
        lambda rankings: rankings.site(Order.SCORE),
        lambda rankings: rankings.groups(["go"], Order.TIME),
        lambda rankings: rankings.groups(["go", "redis"], Order.SCORE),
        lambda rankings: rankings.member("ann"),
    ],
    ids=["site", "group", "combined", "member"],
)
def test_a_list_takes_one_round_trip(store: Store, choose: Callable[[Rankings], Ranking]) -> None:
    add_stories(store, [(START + i, 9) for i in range(30)], groups=("go", "redis"))
    store.connection.load_scripts()
    with recorded(store) as trips:
        assert len(page(store, choose(store.rankings)).rows) == 25
    assert len(trips) == 1


def test_no_page_follows_merged_rankings_that_end_with_one(store: Store) -> None:
    for groups in (("go",), ("go", "redis"), ("redis",)):
        factories.article(store, groups=groups)
    rankings = [store.rankings.groups([name], Order.TIME) for name in ("go", "redis")]
    for size, more in ((2, True), (3, False)):
        merged, is_exact = store.read(queue_merged, rankings, 1, size, 9)
        assert (merged.rows, merged.more, is_exact) == ((3, 2, 1)[:size], more, True)
