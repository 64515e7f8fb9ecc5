"""Faults of a cluster, each caused in a storm on a site that has its keys in one slot of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.clusters import Cluster, cluster
from tests.faults.faults import HANG, Series, Setup
from tests.faults.supervised_site import SupervisedSite, running
from tests.helpers import short_folder, until
from voteweb.store.schema.keys import Keys

#: The name of the site, and one of its keys, which shows its slot.
SITE = "one"
KEY = Keys.of_site(SITE).last_article_id()
#: Seconds after which a silent primary is replaced; one that others do not reach takes writes for as long.
NODE_TIMEOUT = 2.0


@contextmanager
def _on_cluster(wait: int) -> Iterator[Setup]:
    with cluster(node_timeout=NODE_TIMEOUT) as nodes, running_on(nodes, SITE, wait) as site:
        yield site, nodes


@contextmanager
def running_on(nodes: Cluster, name: str, wait: int = 0) -> Iterator[SupervisedSite]:
    """Run the site *name* on a cluster; its writes wait for *wait* replicas."""
    env = {"VOTEWEB_SITE": name, "VOTEWEB_WAIT_REPLICAS": str(wait)}
    with short_folder() as folder, running(SupervisedSite(folder, nodes.url, **env)) as site:
        yield site


def replace_owner(nodes: Cluster) -> None:
    """Kill the primary that has the site's slot, and start it again a while after its replica has taken over.

    Until then the new primary has no replica: votes that wait for one are done, but not confirmed, and come again.
    """
    replica = nodes.replica(KEY)
    nodes.owner(KEY).kill()
    until(lambda: nodes.owner(KEY) is replica)
    time.sleep(HANG / 2)
    nodes.recover()


def _suspend_owner(nodes: Cluster) -> None:
    owner = nodes.owner(KEY)
    owner.pause()
    time.sleep(HANG)
    owner.resume()


def _kill_replica(nodes: Cluster) -> None:
    nodes.replica(KEY).kill()


def _fail_over(nodes: Cluster) -> None:
    nodes.fail_over(KEY)


def _move_and_back(nodes: Cluster) -> None:
    """Move the slot with a pause, longer than a page waits, in which each node has half of the keys; then back."""
    source, target = nodes.owner(KEY), nodes.others(KEY)[0]
    nodes.begin_move(KEY, target)
    nodes.move_keys(KEY, target, source.client.dbsize() // 2)
    time.sleep(HANG)
    nodes.complete_move(KEY, target)
    nodes.move(KEY, source)


CLUSTER_SERIES = {
    "cluster": Series(
        lambda: _on_cluster(wait=0),
        {
            "cluster: replica killed": _kill_replica,
            "cluster: failover by hand": _fail_over,
            "cluster: slot moved in 5 s, and back": _move_and_back,
        },
        Cluster.recover,
    ),
    "cluster, votes wait": Series(
        lambda: _on_cluster(wait=1),
        {
            "cluster: primary killed, votes wait for 1 replica": replace_owner,
            "cluster: primary stopped for 5 s, votes wait for 1 replica": _suspend_owner,
        },
        Cluster.recover,
    ),
    "cluster, votes may be lost": Series(
        lambda: _on_cluster(wait=0),
        {"cluster: primary killed": replace_owner, "cluster: primary stopped for 5 s": _suspend_owner},
        Cluster.recover,
        may_lose=NODE_TIMEOUT,
    ),
}
