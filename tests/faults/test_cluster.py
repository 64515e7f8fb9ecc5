"""Clusters: two sites of one, and everything at once while a slot moves; test_faults.py has the other faults."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeVar

import pytest

from tests.clusters import Cluster, Node, cluster
from tests.faults.cluster_faults import KEY, NODE_TIMEOUT, SITE, replace_owner, running_on
from tests.faults.vote_storm import Crowd, Outcome, run_fault
from tests.helpers import until
from tests.store.examination import broken
from tests.store.queries import read_articles
from tests.store.storm import StoreStorm, check_comments, settings
from voteweb.core.errors import Unavailable
from voteweb.store import open_store
from voteweb.store.connection.connection import Connection
from voteweb.store.schema.keys import Keys

pytestmark = pytest.mark.heavy

T = TypeVar("T")


@pytest.fixture
def nodes() -> Iterator[Cluster]:
    """A cluster of three primaries and three replicas."""
    with cluster(node_timeout=NODE_TIMEOUT) as nodes:
        yield nodes


def test_a_site_does_not_notice_the_failover_of_its_neighbour(nodes: Cluster) -> None:
    """The primary of one of two sites is killed, amid storms on both."""
    neighbour = next(name for name in map("site{}".format, count()) if _owner(nodes, name) is not _owner(nodes, SITE))
    home = _owner(nodes, neighbour)
    outcomes: list[Outcome] = []
    with running_on(nodes, SITE, 1) as site, running_on(nodes, neighbour) as other:
        crowd = Crowd(site)
        calm = run_fault(Crowd(other), lambda: outcomes.append(run_fault(crowd, lambda: replace_owner(nodes))))
    assert calm.refused == Counter()
    assert _owner(nodes, neighbour) is home
    for outcome in (calm, *outcomes):
        assert (outcome.lost, outcome.counted_twice, outcome.broken) == ([], 0, [])
    for name in (SITE, neighbour):
        keys = _owner(nodes, name).client.scan_iter(count=1000)
        assert {key.partition(":")[0] for key in keys} == {f"{{{name}}}"}


def _owner(nodes: Cluster, site: str) -> Node:
    return nodes.owner(Keys.of_site(site).prefix)


def test_the_data_add_up_when_their_slot_moves_under_load(nodes: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slot moves to another node key by key, the replica of that takes over, and it moves on.

    What is refused meanwhile is sent again until it is done.
    """
    store = open_store(settings(nodes.url, site=SITE))
    send, refused = Connection.retry_until_deadline, Counter[str]()

    def send_until_done(self: Connection, attempt: Callable[[], T], *, deadline: float | None = None) -> T:
        while True:
            try:
                return send(self, attempt, deadline=deadline)
            except Unavailable as error:
                refused[type(error.__cause__).__name__] += 1
                time.sleep(0.02)

    monkeypatch.setattr(Connection, "retry_until_deadline", send_until_done)
    storm = StoreStorm(store)
    storm.start()
    try:
        until(lambda: storm.acts["post"] > 5)
        nodes.move(KEY, nodes.others(KEY)[0], batch=1)
        nodes.fail_over(KEY)
        nodes.wait_until_ready()
        nodes.move(KEY, nodes.others(KEY)[0], batch=1)
    finally:
        storm.stop()
    assert refused.keys() >= {"AskError", "TryAgainError"}
    assert broken(store) == []
    assert {id: article.votes for id, article in read_articles(store, storm.votes).items()} == dict(storm.votes)
    check_comments(storm)
    store.connection.close()
