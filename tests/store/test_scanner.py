"""Scans that another server goes on with, after a failover or a restart: its keys stand in another order."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.conftest import private_server
from voteweb.core.errors import ServerChanged
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.backup import Backup
from voteweb.store.doctor import Doctor
from voteweb.store.migrations import forget_mails
from voteweb.store.scan import scanner
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.keys import Keys

ReadAll = Callable[[Store], Iterable[Any]]
#: Articles: more members than a ranking may have that Redis returns in one step.
COUNT = 150


@pytest.fixture(scope="module")
def other_url(single_server: str) -> Iterator[str]:
    """The URL of another server."""
    with private_server("valkey") as url:
        yield url


@pytest.fixture
def site(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A site with articles that several steps of a scan find."""
    monkeypatch.setattr(scanner, "SCAN_COUNT", 10)
    add_articles(store)
    return store


@pytest.fixture
def other(site: Store, other_url: str, settings: Settings, keys: Keys) -> Iterator[Store]:
    """The same site on the other server."""
    other = open_store(replace(settings, redis_url=other_url), keys)
    other.connection.client.flushall()
    add_articles(other)
    yield other
    other.connection.close()


def add_articles(store: Store) -> None:
    store.imports.add([factories.story(link="") for _ in range(COUNT)])


def round_trips(site: Store, read_all: ReadAll) -> int:
    """Return how many round trips it takes to read all."""
    trips: list[float] = []
    site.connection.on_round_trip = trips.append
    list(read_all(site))
    site.connection.on_round_trip = None
    return len(trips)


@contextmanager
def failing_over(site: Store, other: Store, trips: int) -> Iterator[None]:
    """Send what follows so many round trips to *other*."""
    left, client = trips, site.connection.client

    def count(_seconds: float) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            site.connection.client = other.connection.client

    site.connection.on_round_trip = count
    try:
        yield
    finally:
        site.connection.client, site.connection.on_round_trip = client, None


def test_a_scan_finds_all_or_says_that_the_server_changed(site: Store, other: Store) -> None:
    def scan(site: Store) -> Iterator[int]:
        return Scanner(site.connection).article_ids()

    outcomes = []
    for trips in range(1, round_trips(site, scan) + 1):
        with failing_over(site, other, trips):
            try:
                outcomes.append(len(set(scan(site))))
            except ServerChanged:
                outcomes.append(0)
    assert outcomes == [*[0] * (len(outcomes) - 1), COUNT]


@pytest.mark.parametrize(
    "read_all",
    [
        lambda site: Doctor(site.context).repair(),
        lambda site: site.site_settings.rescore(),
        lambda site: Backup(site.context).lines([]),
        lambda site: Backup(site.context).all_lines(),
        lambda site: forget_mails(site.context, dry_run=True),
        lambda site: Scanner(site.connection).members(site.keys.by_time()),
    ],
    ids=["repair", "rescore", "backup", "copy of every key", "migration", "ranking"],
)
def test_reading_all_stops_when_the_server_changes(site: Store, other: Store, read_all: ReadAll) -> None:
    with failing_over(site, other, trips=4), pytest.raises(ServerChanged):
        list(read_all(site))


def test_a_backup_whose_server_changes_after_the_last_scan_fails(site: Store, other: Store) -> None:
    trips = round_trips(site, lambda site: Backup(site.context).lines([]))
    with failing_over(site, other, trips - 1), pytest.raises(ServerChanged):
        list(Backup(site.context).lines([]))
