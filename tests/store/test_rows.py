"""Rows read from rankings: by a script that leaves the ranking as it is and needs no dangerous command."""

import pytest

from tests import factories
from tests.store.examination import run
from tests.store.queries import page_ids
from voteweb.core.models import Order
from voteweb.store import Store


def read_all(store: Store) -> tuple[int, ...]:
    """Read every kind of list; return how many rows each has."""
    pipeline = store.pipeline()
    rankings = store.rankings
    pages = [
        store.listings.queue_page(pipeline, ranking, 1)
        for ranking in (rankings.site(Order.SCORE), rankings.groups(["go"], Order.TIME), rankings.member("ann"))
    ]
    log, invitations = store.log.queue_page(pipeline, 1), store.invitations.queue_page(pipeline, "ann", 1)
    good = store.listings.queue_good(pipeline, 5, with_text=True)
    pipeline.execute()
    return (*(len(future.result.rows) for future in (*pages, log, invitations)), len(good.result))


@pytest.fixture
def site(store: Store) -> Store:
    """A site with three rows in each list, but no good articles."""
    ann = factories.user(store)
    for _ in range(3):
        factories.article(store, ann, groups=("go",))
        store.invitations.make(ann)
        factories.remove(store, factories.article(store, ann).id)
    return store


def test_small_rankings_stay_small_when_they_are_read(site: Store) -> None:
    keys = ["score:", "time:go", "posted:ann", "invites:ann"]
    assert read_all(site) == (3, 3, 3, 3, 3, 0)
    assert {run(site, "OBJECT", "ENCODING", key) for key in keys} == {"listpack"}


def test_a_member_that_is_no_hash_is_left_out(site: Store) -> None:
    run(site, "RPUSH", "article:77", "a list of another program")
    run(site, "ZADD", "score:", 4_000_000_000, "article:77", 4_000_000_001, "article:78", 4_000_000_002, "nonsense")
    assert page_ids(site, site.rankings.site(Order.SCORE)) == [5, 3, 1]
