"""Rows read from rankings: by a script that leaves the ranking as it is and needs no dangerous command."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests import factories
from tests.store.examination import run
from tests.store.queries import page_ids
from voteweb.core.models import Order
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store


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


@pytest.fixture
def limited(site: Store, settings: Settings) -> Iterator[Store]:
    """The site for a user of the database who may run no dangerous command."""
    run(site, "ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-@dangerous")
    url = settings.redis_url.replace("unix://", "unix://limited:secret@").replace("redis://", "redis://limited:secret@")
    store = open_store(replace(settings, redis_url=url), site.keys)
    yield store
    store.connection.close()
    run(site, "ACL", "DELUSER", "limited")


def test_small_rankings_stay_small_when_they_are_read(site: Store) -> None:
    keys = ["score:", "time:go", "posted:ann", "invites:ann"]
    assert read_all(site) == (3, 3, 3, 3, 3, 0)
    assert {run(site, "OBJECT", "ENCODING", key) for key in keys} == {"listpack"}


def test_lists_are_read_without_dangerous_commands(limited: Store) -> None:
    assert read_all(limited) == (3, 3, 3, 3, 3, 0)


def test_a_member_that_is_no_hash_is_left_out(site: Store) -> None:
    run(site, "RPUSH", "article:77", "a list of another program")
    run(site, "ZADD", "score:", 4_000_000_000, "article:77")
    assert page_ids(site, site.rankings.site(Order.SCORE)) == [5, 3, 1]
