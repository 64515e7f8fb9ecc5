"""Lists: pages, totals, and which articles they have."""

from dataclasses import replace

from tests import factories
from tests.store.examination import run
from tests.store.queries import add_stories, ids_of, page, page_ids
from voteweb.core.models import Order, Page
from voteweb.store import Store
from voteweb.store.articles.listings import queue_merged

START = 1_700_000_000.0


def test_a_row_has_every_field_but_the_text(store: Store) -> None:
    ranking = store.rankings.member("aNN")
    assert page(store, ranking) == Page(rows=(), number=1, total=0, first_rank=1, more=False)
    factories.article(store, factories.user(store, "bob"))
    article = factories.article(store, title="編 & <b>", text="not shown in lists", groups=("go", "redis"))
    assert page(store, ranking).rows == (replace(article, text=""),)


def test_a_page_has_rows_first_rank_total_and_more(store: Store) -> None:
    add_stories(store, [(START + i, 0) for i in range(51)])
    for number, rows, more in (
        (1, range(51, 26, -1), True),
        (2, range(26, 1, -1), True),
        (3, [1], False),
        (4, [], False),
        (10**12, [], False),
    ):
        listed = page(store, store.rankings.site(Order.TIME), number)
        assert (ids_of(listed.rows), listed.total, listed.more) == (list(rows), 51, more)
        assert (listed.number, listed.first_rank) == (number, 25 * number - 24)
        assert (listed.as_of, listed.bounded) == (None, False)


def test_no_page_follows_one_that_ends_the_list(store: Store) -> None:
    add_stories(store, [(START + i, 0) for i in range(25)])
    assert not page(store, store.rankings.site(Order.TIME)).more


def test_missing_articles_are_left_out_of_pages(store: Store) -> None:
    add_stories(store, [(START + i, 0) for i in range(3)])
    run(store, "DEL", "article:2")
    run(store, "ZADD", "time:", START + 9, "nonsense")
    assert page_ids(store, store.rankings.site(Order.TIME)) == [3, 1]


def test_no_page_follows_merged_rankings_that_end_with_one(store: Store) -> None:
    for groups in (("go",), ("go", "redis"), ("redis",)):
        factories.article(store, groups=groups)
    rankings = [store.rankings.groups([name], Order.TIME) for name in ("go", "redis")]
    for size, more in ((2, True), (3, False)):
        merged, is_exact = store.read(queue_merged, rankings, 1, size, 9)
        assert (merged.rows, merged.more, is_exact) == ((3, 2, 1)[:size], more, True)
