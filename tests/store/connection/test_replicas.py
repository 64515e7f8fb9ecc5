"""Replicas: which reads they answer, and writes that wait for them."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests import factories
from tests.conftest import MakeStore, private_server
from tests.helpers import free_ports, until
from tests.store.connection.addresses import ABSENT_SOCKET
from tests.store.examination import broken, run
from tests.store.queries import log_page
from voteweb.core.config import Settings
from voteweb.core.errors import AlreadyVoted, Unavailable
from voteweb.core.models import LogAction, Order
from voteweb.store import Store, build_store, open_store
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.replicas import Replicas
from voteweb.store.keys import Keys
from voteweb.store.moderation_log import NewLogEntry


@pytest.fixture
def replica(keys: Keys) -> Iterator[Store]:
    """The store on another server that plays the replica; its articles are called "late"."""
    with private_server("valkey") as url:
        store = open_store(Settings(redis_url=url), keys)
        factories.article(store, title="late", groups=("go", "redis"))
        yield store
        store.connection.close()


@pytest.fixture
def site(make_store: MakeStore, replica: Store) -> Store:
    """A store with that replica; the articles of its primary are called "fresh"."""
    primary = make_store()
    factories.article(primary, title="fresh", groups=("go", "redis"))
    replicas = Replicas(replica.connection.client)
    return build_store(Connection(primary.connection.client, 0.3, keys=primary.keys, replicas=replicas), Settings())


def titles(store: Store, *groups: str, reader: bool) -> list[str]:
    """Return the titles of the front page, or of these groups."""
    rankings = store.rankings
    ranking = rankings.groups(groups, Order.SCORE) if groups else rankings.site(Order.SCORE)
    pipeline = store.pipeline(reader=reader)
    page = store.listings.queue_page(pipeline, ranking, 1)
    pipeline.execute()
    return [row.title for row in page.result.rows]


def test_replicas_answer_readers_but_never_members(site: Store) -> None:
    assert titles(site, reader=True) == ["late"]
    assert titles(site, reader=False) == ["fresh"]


def test_a_replica_that_knows_no_script_gets_it(site: Store, replica: Store) -> None:
    run(replica, "SCRIPT", "FLUSH")
    assert titles(site, reader=True) == ["late"]
    assert run(replica, "INFO", "commandstats")["cmdstat_script|load"]["calls"] > 0
    run(replica, "CLIENT", "PAUSE", 60_000, "WRITE")  # as during a failover
    assert titles(site, reader=True) == ["late"]


def test_a_combined_list_is_read_from_the_primary(site: Store) -> None:
    assert titles(site, "go", "redis", reader=True) == ["fresh"]


def test_a_replica_gets_scripts_that_it_does_not_have(site: Store, replica: Store) -> None:
    replica.groups.make("late", "Late", "", NewLogEntry(LogAction.GROUP, "Mod", title="late"))
    run(replica, "SCRIPT", "FLUSH")
    assert [entry.title for entry in log_page(site, reader=True).rows] == ["late"]


def test_a_tie_across_pages_is_read_from_the_pages_server(site: Store, replica: Store) -> None:
    for store, title in ((site, "fresh"), (replica, "late")):
        run(store, "FLUSHALL")
        for _ in range(30):
            factories.imported(store, title=title, time=1_000_000_000.0, votes=1)
        for id in range(1, 31):  # of one score, as another program may store them
            run(store, "HSET", f"article:{id}", "time", "1000000000.000000")
            run(store, "ZADD", "score:", 1_000_000_432, f"article:{id}")
    assert set(titles(site, reader=True)) == {"late"}
    assert set(titles(site, reader=False)) == {"fresh"}


def test_the_primary_answers_while_the_replica_is_unavailable(site: Store, replica: Store) -> None:
    replica.connection.client.shutdown(nosave=True)
    assert titles(site, reader=True) == ["fresh"]


def test_the_time_of_replicas_counts_to_a_readers_deadline(
    site: Store, replica: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadlines: list[float] = []
    monkeypatch.setattr(site.connection, "run", lambda _, *, deadline: deadlines.append(deadline))
    replica.connection.client.shutdown(nosave=True)
    site.connection.run_on_replica([("TIME",)])
    assert deadlines[0] < site.connection.deadline


def test_a_disconnected_replica_answers_only_without_a_primary(
    site: Store, replica: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(replica, "REPLICAOF", "127.0.0.1", "1")
    assert titles(site, reader=True) == ["fresh"]
    unreachable = open_connection(ABSENT_SOCKET, 0.1)
    monkeypatch.setattr(site.connection, "client", unreachable.client)
    assert titles(site, reader=True) == ["late"]
    with pytest.raises(Unavailable):
        titles(site, reader=False)


def test_a_replica_without_stale_reads_counts_as_unavailable(site: Store, replica: Store) -> None:
    run(replica, "CONFIG", "SET", "replica-serve-stale-data", "no")
    run(replica, "REPLICAOF", "127.0.0.1", "1")
    assert titles(site, reader=True) == ["fresh"]


def test_a_vote_without_replicas_is_unavailable_but_may_count(make_store: MakeStore) -> None:
    careful = make_store(redis_deadline=0.2, wait_replicas=3)
    primary = make_store()
    article, bob = factories.article(primary), factories.user(primary, "bob")
    for _ in range(2):
        with pytest.raises(Unavailable):
            careful.votes.cast(article.id, bob)
    with pytest.raises(AlreadyVoted):
        primary.votes.cast(article.id, bob)
    assert primary.articles.get(article.id).votes == 2
    assert broken(primary) == []


@contextmanager
def following(replica: Store, primary: Store) -> Iterator[int]:
    """Make one server a replica of another, and yield the number of replicas that this one then has."""
    before = run(primary, "CONFIG", "GET", "port")["port"]
    port = before if before != "0" else free_ports(1)[0]
    run(primary, "CONFIG", "SET", "port", port, "repl-diskless-sync-delay", 0)
    run(replica, "REPLICAOF", "127.0.0.1", port)
    try:
        until(lambda: run(replica, "ROLE")[3] == "connected", patience=30)
        yield len(run(primary, "ROLE")[2])
    finally:
        run(replica, "REPLICAOF", "NO", "ONE")
        run(primary, "CONFIG", "SET", "port", before)


@contextmanager
def suspended(store: Store) -> Iterator[None]:
    """Suspend the process of a server."""
    process = int(run(store, "INFO", "server")["process_id"])
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_a_vote_is_answered_once_the_replicas_have_it(make_store: MakeStore, replica: Store) -> None:
    """Test also a repeated vote, which writes nothing: WAIT by itself waits only for what its connection wrote."""
    primary = make_store()
    article, (bob, cid) = factories.article(primary), factories.users(primary, 2)
    with following(replica, primary) as replicas:
        careful = make_store(wait_replicas=replicas)
        assert careful.votes.cast(article.id, bob) == 2
        with suspended(replica):
            impatient = make_store(wait_replicas=replicas, redis_deadline=0.3)
            for _ in range(2):
                with pytest.raises(Unavailable):
                    impatient.votes.cast(article.id, cid)
            with pytest.raises(Unavailable):
                impatient.votes.cast(article.id, bob)
        with pytest.raises(AlreadyVoted):
            careful.votes.cast(article.id, cid)
        assert run(replica, "SCARD", f"voted:{article.id}") == 3
    assert broken(primary) == []


def test_waiting_for_missing_replicas_is_warned_of(make_store: MakeStore) -> None:
    (warning,) = make_store(wait_replicas=5).health.warnings()
    assert warning.startswith("VOTEWEB_WAIT_REPLICAS is 5, but")


def test_a_primary_that_answers_votes_alone_is_warned_of(make_store: MakeStore, replica: Store) -> None:
    store = make_store()
    minimum = run(store, "CONFIG", "GET", "min-replicas-to-write")["min-replicas-to-write"]
    run(store, "CONFIG", "SET", "min-replicas-to-write", 0)
    try:
        with following(replica, store):
            (warning,) = store.health.warnings()
            assert make_store(wait_replicas=1).health.warnings() == []
    finally:
        run(store, "CONFIG", "SET", "min-replicas-to-write", minimum)
    assert warning.startswith("min-replicas-to-write is 0")
