"""Failovers in particular: which replica takes over, what it has, and what readers see meanwhile."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.faults.proxy import proxy
from tests.faults.site import Site
from tests.faults.storm import endure
from tests.helpers import until
from tests.machines import Machines, Server
from tests.store.examination import broken
from voteweb.core.config import Settings
from voteweb.core.errors import AlreadyVoted
from voteweb.store import Store, open_store

pytestmark = pytest.mark.heavy

Open = Callable[..., Store]


@pytest.fixture
def opens(three: Machines) -> Iterator[Open]:
    """A maker of stores that wait longer than a failover takes."""
    opened: list[Store] = []

    def make(**over: Any) -> Store:
        opened.append(open_store(Settings(**{"redis_url": three.url, "redis_deadline": 20.0} | over)))
        return opened[-1]

    yield make
    for each in opened:
        each.connection.close()


@pytest.fixture
def run_site(three: Machines, tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """A way to run a site on the three machines."""
    sites: list[Site] = []

    def run(**env: str) -> Site:
        sites.append(Site(tmp_path / "data", three.url, **env))
        return sites[-1].start()

    yield run
    for site in sites:
        site.stop()


def voters(server: Server) -> set[tuple[str, str]]:
    """Return who has voted for what, as this server knows it."""
    keys = server.client.keys("voted:*")
    with server.client.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.smembers(key)
        return {(key, id) for key, ids in zip(keys, pipe.execute(), strict=True) for id in ids}


def test_every_vote_that_a_replica_had_is_there_after_the_primary_was_killed(
    three: Machines, run_site: Callable[..., Site]
) -> None:
    had: set[tuple[str, str]] = set()

    def kill(_: Site) -> None:
        replicas = three.replicas()
        three.primary().kill()
        for each in replicas:
            had.update(voters(each))

    outcome = endure(run_site(), kill)
    assert len(had) > 200
    assert had <= voters(three.primary())
    assert outcome.broken == ()


def test_the_replica_that_has_the_last_vote_takes_over(three: Machines, opens: Open) -> None:
    store = opens(wait_replicas=1)
    article, (bob, cid) = factories.article(store), factories.users(store, 2)
    primary, (late, other) = three.primary(), three.replicas()
    with proxy(primary.port) as way:
        late.follow(way.port)
        store.votes.cast(article.id, bob)
        until(lambda: (f"voted:{article.id}", str(bob.id)) in voters(late))
        way.stuck = True
        store.votes.cast(article.id, cid)
        assert (f"voted:{article.id}", str(cid.id)) not in voters(late)
        primary.kill()
        with pytest.raises(AlreadyVoted):
            opens(wait_replicas=1).votes.cast(article.id, cid)
    assert three.primary() is other


@pytest.mark.parametrize("wait", [0, 1])
def test_an_idle_site_that_missed_a_failover_does_not_vote_at_the_old_primary(
    three: Machines, opens: Open, wait: int
) -> None:
    """Nothing of it was noticed by its connection, which the old primary still holds when it wakes.

    Sentinel turns that into a replica, which cuts the connection, only after eight seconds.
    """
    store = opens(wait_replicas=wait, redis_deadline=6.0)
    article, bob = factories.article(store), factories.user(store, "bob")
    primary, replicas = three.primary(), three.replicas()
    assert primary.process
    os.kill(primary.process.pid, signal.SIGSTOP)
    # Not as soon as there is a new one: for about a second more the other replica follows the old one.
    until(lambda: any(one.leads() and other.follows(one) for one, other in permutations(replicas)), patience=30)
    os.kill(primary.process.pid, signal.SIGCONT)
    assert store.votes.cast(article.id, bob) == 2
    assert (f"voted:{article.id}", str(bob.id)) in voters(three.primary())
    assert broken(store) == []


def test_readers_are_served_all_through_a_failover(three: Machines, run_site: Callable[..., Site], opens: Open) -> None:
    site, store = run_site(VOTEWEB_READ_REPLICAS="1"), opens()
    article, bob = factories.article(store), factories.user(store, "bob")
    seen, over = Counter[int](), threading.Event()

    def read() -> None:
        while not over.is_set():
            seen[site.get("/")[0]] += 1

    reader = threading.Thread(target=read)
    reader.start()
    try:
        until(lambda: seen[200] > 20)
        three.primary().kill()
        assert store.votes.cast(article.id, bob) == 2  # returns when another has taken over
        before = seen[200]
        until(lambda: seen[200] > before + 20)
    finally:
        over.set()
        reader.join()
    assert set(seen) == {200}
