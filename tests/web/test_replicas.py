"""Replicas behind the site: readers' pages may come from one, and what a member is shown or told never does."""

from collections.abc import Sequence
from typing import Any

import fakeredis
import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from voteweb.core.config import Settings
from voteweb.store import Store, build_store
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.replicas import ReplicaAnswers, Replicas

#: What a reader may be given by a replica.
PAGES = [
    "/", "/new", "/good", "/groups", "/g/python", "/g/python/new", "/a/1", "/u/ann", "/log", "/about",
    "/feed.atom", "/new.json", "/good.atom", "/g/python.atom", "/u/ann.json", "/groups.opml", "/log.atom",
    "/sitemap.xml", "/sitemap-0.xml", "/sitemap-1.xml",
]  # fmt: skip
#: What has to be made first, by a write, or is no page.
NOT_THESE = ["/g/python+redis", "/g/python+redis/new", "/g/python+redis.atom", "/healthz", "/submit"]


class Counted(Replicas):
    """A replica that has everything its primary has, and counts how often it is asked."""

    asked = 0

    def ask(self, commands: Sequence[tuple[Any, ...]]) -> ReplicaAnswers | None:
        self.asked += 1
        with self._client.pipeline(transaction=False) as pipe:
            for words in commands:
                pipe.execute_command(*words)
            return ReplicaAnswers(pipe.execute(), follows=True)


@pytest.fixture
def replica(app: Flask, fake_store: Store) -> Counted:
    """A replica of the site's database."""
    for name in ("ann", "bob"):
        factories.article(fake_store, factories.user(fake_store, name), groups=("python", "redis"))
    client = fake_store.connection.client
    assert isinstance(client, fakeredis.FakeRedis)
    replica = Counted(client)
    app.extensions["voteweb.store"] = build_store(Connection(client, 2.0, replicas=replica), Settings())
    return replica


@pytest.mark.parametrize("address", PAGES)
def test_a_readers_page_comes_from_the_replica_and_from_nowhere_else(
    address: str, replica: Counted, reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Connection, "insist", lambda *_: pytest.fail("the primary was asked"))
    assert reader.open(address).status == 200
    assert replica.asked == (2 if address.startswith("/groups") else 1)


@pytest.mark.parametrize("address", NOT_THESE)
def test_what_must_be_made_first_comes_from_the_primary(address: str, replica: Counted, reader: Browser) -> None:
    assert reader.open(address).status in (200, 303)
    assert replica.asked == 0


@pytest.mark.parametrize("address", [page for page in PAGES if "." not in page])
def test_a_members_page_comes_from_the_primary(address: str, replica: Counted, bob: Browser) -> None:
    replica.asked = 0
    assert bob.open(address).status == 200
    assert replica.asked == 0


def test_signing_up_and_all_that_follows_comes_from_the_primary(replica: Counted, bob: Browser) -> None:
    replica.asked = 0
    token = bob.token()
    assert bob.post("/a/1/vote", {"csrf_token": token, "next": "/new"}).status == 303
    bob.follow()
    assert bob.post("/logout", {"csrf_token": token}).status == 303
    assert bob.log_in("bob").location == "/"
    assert replica.asked == 0
