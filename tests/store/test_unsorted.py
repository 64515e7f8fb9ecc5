"""Articles without a group are found in steps, whoever has written them."""

import pytest

from tests import factories
from tests.store.examination import run
from voteweb.core import config
from voteweb.store import Store


def test_articles_are_found_across_steps(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SORT_STEP", 2)
    ids = [factories.article(store, groups=("redis",) if number % 4 else ()).id for number in range(12)]
    # As a program written after the book stores it, and something that is no article.
    run(store, "HSET", "article:100", "title", "Old", "poster", "eve", "time", "1.5", "votes", "1")
    run(store, "ZADD", "time:", 1.5, "article:100", 1, "article:101", 0.5, "nonsense")
    run(store, "SET", "article:101", "no hash")
    found, before = [], ""
    for _ in range(20):
        page = store.read(store.listings.queue_unsorted, before, 2)
        assert len(page.rows) <= 2
        found += [row.id for row in page.rows]
        before = page.next
        if not before:
            break
    assert found == [*reversed(ids[::4]), 100]


def test_those_left_are_counted_without_what_no_group_fits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SORT_STEP", 3)
    factories.group(store, "redis")
    for _ in range(5):
        factories.article(store)
    assert store.read(store.listings.queue_unsorted, "", 2)[2:] == (3, False)
    store.articles.set_groups(4, [], [], no_group=True)
    assert store.read(store.listings.queue_unsorted, "", 5)[2:] == (4, True)
    store.articles.set_groups(4, ["redis"], [])
    store.articles.set_groups(4, [], ["redis"])
    page = store.read(store.listings.queue_unsorted, "", 5)
    assert ([row.id for row in page.rows], page.left, page.is_exact) == ([5, 4, 3, 2, 1], 5, True)
