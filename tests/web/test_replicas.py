"""Replicas may answer readers' pages; what a member sees or is told comes from the primary."""

from collections.abc import Sequence
from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from voteweb.core.config import Settings
from voteweb.store import Store, build_store
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.replicas import ReplicaAnswer, Replicas

#: Pages that a replica may answer for a reader, and the round trips of each.
PAGES = {
    "/": 1, "/new": 1, "/good": 1, "/groups": 2, "/g/python": 1, "/g/python/new": 1, "/a/1": 1, "/u/ann": 1,
    "/log": 1, "/about": 1, "/feed.atom": 1, "/new.json": 1, "/good.atom": 1, "/g/python.atom": 1, "/u/ann.json": 1,
    "/groups.opml": 2, "/log.atom": 1, "/sitemap.xml": 1, "/sitemap-0.xml": 1, "/sitemap-1.xml": 1,
}  # fmt: skip
#: Pages that need a write first, or do not read lists.
OTHER_PAGES = ["/g/python+redis", "/g/python+redis/new", "/g/python+redis.atom", "/healthz", "/submit"]


class CountingReplicas(Replicas):
    """A replica with the data of its primary, which counts its round trips."""

    round_trips = 0

    def run(self, commands: Sequence[tuple[Any, ...]]) -> ReplicaAnswer | None:
        self.round_trips += 1
        return super().run(commands)


@pytest.fixture
def replicas(app: Flask, store: Store) -> CountingReplicas:
    """The replicas of the site's database."""
    for name in ("ann", "bob"):
        factories.article(store, factories.user(store, name), groups=("python", "redis"))
    replicas = CountingReplicas(store.connection.client)
    connection = Connection(store.connection.client, 2.0, replicas=replicas)
    app.extensions["voteweb.store"] = build_store(connection, Settings())
    return replicas


@pytest.mark.parametrize("address", PAGES)
def test_readers_page_comes_from_the_replica_only(
    address: str, replicas: CountingReplicas, reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.open("/nowhere")  # the primary is asked for the switches once a second
    monkeypatch.setattr(Connection, "retry_until_deadline", lambda *_, **__: pytest.fail("the primary was asked"))
    assert reader.open(address).status == 200
    assert replicas.round_trips == PAGES[address]


@pytest.mark.parametrize("address", OTHER_PAGES)
def test_page_that_needs_a_write_comes_from_the_primary(
    address: str, replicas: CountingReplicas, reader: Browser
) -> None:
    assert reader.open(address).status in (200, 303)
    assert replicas.round_trips == 0


def test_members_page_comes_from_the_primary(replicas: CountingReplicas, bob: Browser) -> None:
    for address in (address for address in PAGES if "." not in address):
        assert bob.open(address).status == 200
        assert replicas.round_trips == 0, address


def test_vote_logout_and_login_come_from_the_primary(replicas: CountingReplicas, bob: Browser) -> None:
    assert bob.open("/new").press("/a/1/vote").status == 303
    assert bob.log_out().status == 303
    assert bob.log_in("bob").location == "/"
    assert replicas.round_trips == 0
