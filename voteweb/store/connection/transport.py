"""Send several commands in one round trip, over a connection of the client's pool."""

from collections.abc import Callable, Sequence
from typing import Any

import hiredis
import redis


def send(
    client: redis.Redis, commands: Sequence[tuple[Any, ...]], *, on_connected: Callable[[], None] = lambda: None
) -> list[Any]:
    """Send *commands* in one round trip and return their replies; raise the first error once all replies are read.

    Calls *on_connected* when there is a connection: after a failure before that, nothing was sent. redis-py's own
    pipeline also handles watched keys, retries and metrics.
    """
    replies = replies_to(client, commands, on_connected=on_connected)
    for reply in replies:
        if isinstance(reply, redis.ResponseError):
            raise reply
    return replies


def replies_to(
    client: redis.Redis,
    commands: Sequence[tuple[Any, ...]],
    *,
    on_connected: Callable[[], None] = lambda: None,
) -> list[Any]:
    """Send *commands* in one round trip and return their replies, among them the server's errors."""
    pool = client.connection_pool
    connection: Any = pool.get_connection()  # the methods used here are untyped in redis-py
    try:
        on_connected()
        connection.send_packed_command([b"".join(map(_pack, commands))])
        return [_read_reply(client, connection, command[0]) for command in commands]
    except BaseException:
        connection.disconnect()  # unread replies would answer the next command
        raise
    finally:
        pool.release(connection)


def _pack(command: tuple[Any, ...]) -> bytes:
    """Return *command* as it is sent; redis-py looks at the type of each argument before."""
    packed: bytes = hiredis.pack_command(command)
    return packed


def _read_reply(client: Any, connection: Any, name: str) -> Any:
    try:
        return client.parse_response(connection, name)
    except redis.ResponseError as error:
        return error


def send_atomic(client: redis.Redis, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Send *commands* as :func:`send` does, in one transaction: no other client's command runs in between."""
    with client.pipeline(transaction=True) as pipe:
        for command in commands:
            pipe.execute_command(*command)  # type: ignore[no-untyped-call]
        return pipe.execute()
