"""Writes that wait for replicas, and what is warned of where they do not or cannot."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests import factories
from tests.conftest import MakeStore, private_server
from tests.helpers import free_ports, until
from tests.store.examination import broken, run
from voteweb.core.errors import AlreadyVoted, Unavailable
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.schema.keys import Keys


@pytest.fixture
def replica(keys: Keys) -> Iterator[Store]:
    """A store on another server, which can follow the first."""
    with private_server("valkey") as url:
        store = open_store(Settings(redis_url=url), keys)
        yield store
        store.connection.close()


@contextmanager
def following(replica: Store, primary: Store) -> Iterator[int]:
    """Make one server a replica of another, and yield the number of replicas that this one then has."""
    before = run(primary, "CONFIG", "GET", "port")["port"]
    port = before if before != "0" else free_ports(1)[0]
    run(primary, "CONFIG", "SET", "port", port, "repl-diskless-sync-delay", 0)
    run(replica, "REPLICAOF", "127.0.0.1", port)
    try:
        until(lambda: run(replica, "ROLE")[3] == "connected")
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


@pytest.mark.heavy
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


def test_unavailable_votes_without_replicas_may_count_and_are_warned_of(make_store: MakeStore) -> None:
    careful, primary = make_store(redis_deadline=0.5, wait_replicas=5), make_store()
    article, bob = factories.article(primary), factories.user(primary, "bob")
    with pytest.raises(Unavailable):
        careful.votes.cast(article.id, bob)
    assert primary.articles.get(article.id).votes == 2
    (warning,) = make_store(wait_replicas=5).health.warnings()
    assert warning.startswith("VOTEWEB_WAIT_REPLICAS is 5, but")


@pytest.mark.heavy
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
