"""Ties: articles of equal score or time have one order, on any page."""

import pytest

from tests.conftest import MakeStore
from tests.store.examination import run
from tests.store.queries import add_stories, all_ids
from voteweb.core.models import Order

START = 1_700_000_000.0


@pytest.mark.parametrize("size", [1, 2, 3, 25])
def test_several_ties_are_ordered_across_pages(make_store: MakeStore, size: int) -> None:
    store = make_store(page_size=size)
    # Scores over START in units of 432: 5 (three times), 4, 3 (twice), 2; the oldest of each tie comes last.
    rows = [(0, 5), (1, 4), (2, 3), (2, 2), (0, 3), (1, 2), (1, 1)]
    add_stories(store, [(START + 432 * age, votes) for age, votes in rows], groups=("go", "redis"))
    rankings = store.rankings
    for ranking in (
        rankings.site(Order.SCORE),
        *(rankings.groups(names, Order.SCORE) for names in (["go"], ["go", "redis"])),
    ):
        assert all_ids(store, ranking) == [3, 2, 1, 4, 6, 5, 7]


@pytest.mark.parametrize("order", [Order.SCORE, Order.TIME])
def test_ties_are_ordered_by_descending_id(make_store: MakeStore, order: Order) -> None:
    store = make_store(page_size=2)
    for id in (8, 9, 10, 11, 100):  # as another program may have written them
        run(store, "HSET", f"article:{id}", "title", "t", "time", START, "votes", 1)
        run(store, "ZADD", "time:", START, f"article:{id}")
        run(store, "ZADD", "score:", START + 432, f"article:{id}")
    assert all_ids(store, store.rankings.site(order)) == [100, 11, 10, 9, 8]
