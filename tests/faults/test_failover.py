"""A failover that a site does not notice; test_faults.py has those amid a storm."""

import signal
from itertools import permutations

import pytest

from tests import factories
from tests.helpers import until
from tests.machines import Machines
from tests.store.examination import broken
from voteweb.core.settings import Settings
from voteweb.store import open_store

pytestmark = pytest.mark.heavy


@pytest.mark.parametrize("wait", [0, 1])
def test_an_idle_site_does_not_vote_at_the_old_primary(three: Machines, wait: int) -> None:
    """The site's connections notice nothing of the failover, and the old primary still has them when it wakes up.

    Only after eight seconds does Sentinel make it a replica, which closes the connections.
    """
    store = open_store(Settings(redis_url=three.url, wait_replicas=wait, redis_deadline=6.0))
    article, bob = factories.article(store), factories.user(store, "bob")
    primary, replicas = three.primary(), three.replicas()
    primary.signal(signal.SIGSTOP)
    # For about a second after there is a new primary, the other replica still follows the old one.
    until(lambda: any(one.is_primary() and other.is_replica(one) for one, other in permutations(replicas)), patience=30)
    primary.signal(signal.SIGCONT)
    assert store.votes.cast(article.id, bob) == 2
    assert str(bob.id) in three.primary().client.smembers(store.keys.voted(article.id))
    assert broken(store) == []
    store.connection.close()
