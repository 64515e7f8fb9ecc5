"""Send several commands in one round trip, over a connection of the client's pool."""

from collections.abc import Callable, Sequence
from typing import Any

import hiredis
import redis
from redis.exceptions import AskError

from voteweb.store.connection import scripts


def send(
    client: redis.Redis, commands: Sequence[tuple[Any, ...]], *, on_connected: Callable[[], None] = lambda: None
) -> list[Any]:
    """Send *commands* in one round trip and return their replies; raise the first error once all replies are read.

    Those that a node of a cluster did not run, as it asked to send them to another, are sent there. Calls
    *on_connected* when there is a connection: after a failure before that, nothing was sent. redis-py's own pipeline
    also handles watched keys, retries and metrics.
    """
    return _without_errors(_follow_ask(client, commands, replies_to(client, commands, on_connected=on_connected)))


class Batch:
    """Commands to send in one round trip, once or more often; what counts an act is not run again once it was answered.

    While a slot moves, its nodes run some commands and refuse others until the deadline: with each attempt the request
    would be counted against its rate limit.
    """

    def __init__(self, client: redis.Redis, commands: Sequence[tuple[Any, ...]]) -> None:
        self._client = client
        self._commands = commands
        self._kept: dict[int, Any] = {}

    def send(self) -> list[Any]:
        """Send the commands as :func:`send` does."""
        kept, commands = self._kept, self._commands
        if kept:
            commands = [command for at, command in enumerate(commands) if at not in kept]
        replies = replies_to(self._client, commands)
        if kept:
            others = iter(replies)
            replies = [kept[at] if at in kept else next(others) for at in range(len(self._commands))]
        try:
            return _without_errors(_follow_ask(self._client, self._commands, replies))
        except redis.RedisError:
            self._kept = {
                at: reply
                for at, (command, reply) in enumerate(zip(self._commands, replies, strict=True))
                if scripts.is_counting(command) and not isinstance(reply, redis.ResponseError)
            }
            raise


def _follow_ask(client: redis.Redis, commands: Sequence[tuple[Any, ...]], replies: list[Any]) -> list[Any]:
    """Return *replies*, in which those that say ASK are replaced by the replies of the node they name."""
    asked = [at for at, reply in enumerate(replies) if type(reply) is AskError]
    pool: Any = client.connection_pool
    if asked and hasattr(pool, "ask"):  # else the URL names one node of a cluster as if it were a server
        for at, reply in zip(asked, pool.ask(replies[asked[0]], [commands[at] for at in asked]), strict=True):
            replies[at] = reply
    return replies


def _without_errors(replies: list[Any]) -> list[Any]:
    """Return *replies*; raise the first error among them."""
    for reply in replies:
        if isinstance(reply, redis.ResponseError):
            raise reply
    return replies


def replies_to(
    client: redis.Redis,
    commands: Sequence[tuple[Any, ...]],
    *,
    on_connected: Callable[[], None] = lambda: None,
    raw: bool = False,
) -> list[Any]:
    """Send *commands* in one round trip and return their replies, among them the server's errors.

    With *raw* the replies stay as they came: those of a transaction's commands only say that they are queued.
    """
    pool = client.connection_pool
    connection: Any = pool.get_connection()  # the methods used here are untyped in redis-py
    try:
        on_connected()
        connection.send_packed_command([b"".join(map(_pack, commands))])
        return [_read_reply(client, connection, "" if raw else command[0]) for command in commands]
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
