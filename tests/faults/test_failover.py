"""Failovers: which replica takes over, what data it has, and what readers are served meanwhile."""

import signal
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.faults.supervised_site import SupervisedSite
from tests.faults.vote_storm import Crowd, run_fault
from tests.helpers import until
from tests.machines import Machines, Server
from tests.pausable_proxy import pausable_proxy
from tests.store.examination import broken
from voteweb.core.errors import AlreadyVoted
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store

pytestmark = pytest.mark.heavy

OpenStore = Callable[..., Store]
RunSite = Callable[..., SupervisedSite]


@pytest.fixture
def open_three(three: Machines) -> Iterator[OpenStore]:
    """A function that opens a store on the three machines; it waits longer than a failover takes."""
    stores: list[Store] = []

    def open_with(**changes: Any) -> Store:
        stores.append(open_store(Settings(**{"redis_url": three.url, "redis_deadline": 20.0} | changes)))
        return stores[-1]

    yield open_with
    for store in stores:
        store.connection.close()


@pytest.fixture
def run_site(three: Machines, tmp_path: Path) -> Iterator[RunSite]:
    """A function that runs a site on the three machines."""
    sites: list[SupervisedSite] = []

    def run(**env: str) -> SupervisedSite:
        sites.append(SupervisedSite(tmp_path / "data", three.url, **env))
        sites[-1].start()
        return sites[-1]

    yield run
    for site in sites:
        site.stop()


def voters(server: Server) -> set[tuple[str, str]]:
    """Return the keys of voters of articles and comments that *server* has, each with a voter."""
    keys = server.client.keys("voted*")
    with server.client.pipeline(transaction=False) as pipeline:
        for key in keys:
            pipeline.smembers(key)
        return {(key, id) for key, ids in zip(keys, pipeline.execute(), strict=True) for id in ids}


def test_a_failover_keeps_every_vote_that_a_replica_had(three: Machines, run_site: RunSite) -> None:
    replicated: set[tuple[str, str]] = set()

    def kill_primary() -> None:
        replicas = three.replicas()
        three.primary().kill()
        for replica in replicas:
            replicated.update(voters(replica))

    outcome = run_fault(Crowd(run_site()), kill_primary)
    assert len(replicated) > 200
    assert replicated <= voters(three.primary())
    assert outcome.broken == ()


def test_the_replica_that_has_the_last_vote_takes_over(three: Machines, open_three: OpenStore) -> None:
    store = open_three(wait_replicas=1)
    article, (bob, cid) = factories.article(store), factories.users(store, 2)
    key = store.keys.voted(article.id)
    primary, (late, other) = three.primary(), three.replicas()
    with pausable_proxy(primary.port) as proxy:
        late.replicate(proxy.port)
        store.votes.cast(article.id, bob)
        until(lambda: (key, str(bob.id)) in voters(late))
        proxy.pause()
        store.votes.cast(article.id, cid)
        assert (key, str(cid.id)) not in voters(late)
        primary.kill()
        with pytest.raises(AlreadyVoted):
            open_three(wait_replicas=1).votes.cast(article.id, cid)
    assert three.primary() is other


@pytest.mark.parametrize("wait", [0, 1])
def test_an_idle_site_does_not_vote_at_the_old_primary(three: Machines, open_three: OpenStore, wait: int) -> None:
    """The site's connections notice nothing of the failover, and the old primary still has them when it wakes up.

    Only after eight seconds does Sentinel make it a replica, which closes the connections.
    """
    store = open_three(wait_replicas=wait, redis_deadline=6.0)
    article, bob = factories.article(store), factories.user(store, "bob")
    primary, replicas = three.primary(), three.replicas()
    primary.signal(signal.SIGSTOP)
    # For about a second after there is a new primary, the other replica still follows the old one.
    until(lambda: any(one.is_primary() and other.is_replica(one) for one, other in permutations(replicas)), patience=30)
    primary.signal(signal.SIGCONT)
    assert store.votes.cast(article.id, bob) == 2
    assert (store.keys.voted(article.id), str(bob.id)) in voters(three.primary())
    assert broken(store) == []
