"""The pool of connections: which it gives out, and when it looks whether they are still open."""

import os
from collections.abc import Iterator

import pytest
import redis

from voteweb.store.connection import transport
from voteweb.store.connection.transport import Pool


@pytest.fixture
def connections(single_server: str) -> Iterator[Pool]:
    connections = Pool.from_url(single_server)
    yield connections
    connections.disconnect()


def kill_by_server(connections: Pool, server_url: str) -> None:
    """Make the server close a connection that the pool holds."""
    connection = connections.get_connection()
    connection.send_command("CLIENT", "ID")
    id = connection.read_response()
    connections.release(connection)
    redis.Redis.from_url(server_url).client_kill_filter(_id=str(id))


def test_a_connection_the_server_closed_is_replaced_after_a_second(
    connections: Pool, single_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "CHECK_SECONDS", 60.0)
    kill_by_server(connections, single_server)
    with pytest.raises(redis.ConnectionError):
        redis.Redis(connection_pool=connections).ping()
    monkeypatch.setattr(transport, "CHECK_SECONDS", 0.0)
    kill_by_server(connections, single_server)
    assert redis.Redis(connection_pool=connections).ping()


def test_a_connection_returned_twice_is_lent_once(connections: Pool) -> None:
    connection = connections.get_connection()
    connections.release(connection)
    connections.release(connection)
    assert connections.get_connection() is connection
    assert connections.get_connection() is not connection


def test_a_forked_process_uses_no_connection_of_its_parent(connections: Pool) -> None:
    connection = connections.get_connection()
    connections.release(connection)
    connections.pid = os.getpid() + 1
    assert connections.get_connection() is not connection


def test_all_idle_connections_are_disconnected(connections: Pool) -> None:
    used, idle = connections.get_connection(), connections.get_connection()
    connections.release(idle)
    connections.disconnect(inuse_connections=False)
    assert (used.is_connected, idle.is_connected) == (True, False)
