"""Failovers that a site does not notice, and those by hand amid a storm; test_faults.py has the others."""

import re
import signal
from functools import partial
from itertools import permutations
from pathlib import Path

import pytest

from tests import factories
from tests.faults.supervised_site import SupervisedSite, running
from tests.faults.vote_storm import DONE, Crowd, run_fault
from tests.helpers import short_folder, until
from tests.machines import PRIMARY_NAME, Machines
from tests.store.examination import broken
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store

pytestmark = pytest.mark.heavy

GROW = Path(__file__).parents[2] / "docs" / "grow.md"


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
    until(lambda: any(one.is_primary() and other.is_replica(one) for one, other in permutations(replicas)))
    primary.signal(signal.SIGCONT)
    assert store.votes.cast(article.id, bob) == 2
    assert str(bob.id) in three.primary().client.smembers(store.keys.voted(article.id))
    assert broken(store) == []
    store.connection.close()


def port_of(store: Store) -> int:
    """Return the port of the server that answers the site."""
    return int(store.connection.command("CONFIG", "GET", "port")["port"])


def test_a_busy_site_leaves_a_primary_that_takes_writes(three: Machines) -> None:
    """The old primary is one for ten seconds more, and breaks no connection."""
    for server in three.servers:
        server.client.config_set("min-replicas-to-write", 0)
    store, primary = open_store(Settings(redis_url=three.url)), three.primary()
    assert port_of(store) == primary.port
    three.sentinels[0].client.execute_command("SENTINEL", "FAILOVER", PRIMARY_NAME)
    until(lambda: port_of(store) != primary.port)
    assert primary.is_primary()
    store.connection.close()


def fail_over_as_documented(three: Machines) -> None:
    """Make another server the primary as docs/grow.md says, and return when the old one has become a replica."""
    pause, failover = re.findall("^redis-cli -h .* (CLIENT PAUSE .*|SENTINEL FAILOVER .*)$", GROW.read_text(), re.M)
    primary = three.primary()
    primary.client.execute_command(*pause.split())
    three.sentinels[0].client.execute_command(*failover.split())
    until(lambda: three.primary() is not primary)
    three.recover()


def test_failovers_by_hand_as_documented_lose_nothing(three: Machines, subtests: pytest.Subtests) -> None:
    with short_folder() as folder, running(SupervisedSite(folder, three.url, VOTEWEB_WAIT_REPLICAS="1")) as site:
        for number in range(5):
            with subtests.test(number=number):
                outcome = run_fault(Crowd(site), partial(fail_over_as_documented, three))
                assert outcome.answered.keys() == DONE.keys()
                assert (outcome.lost, outcome.counted_twice, outcome.broken) == ([], 0, [])
                assert set(outcome.refused) <= {503}, outcome.log[-4000:]
