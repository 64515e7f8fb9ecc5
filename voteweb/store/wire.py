"""Commands on their way: several in one round trip, over a connection of the client's pool."""

from collections.abc import Callable, Sequence
from typing import Any

import redis


def send(
    client: redis.Redis, commands: Sequence[tuple[Any, ...]], *, begun: Callable[[], None] = lambda: None
) -> list[Any]:
    """Send *commands* in one round trip and return their answers; raise the first failure once all have come.

    Calls *begun* when there is a connection: a failure before means that nothing was sent.
    A pipeline of redis-py sees to watched keys, retries and measurements besides, for a tenth of a vote's time.
    """
    pool = client.connection_pool
    connection: Any = pool.get_connection()  # redis-py has no types for what it is asked here
    try:
        begun()
        connection.send_packed_command(connection.pack_commands(commands))
        answers = [_answer(client, connection, words[0]) for words in commands]
    except BaseException:
        connection.disconnect()  # what is still under way would answer the next question
        raise
    finally:
        pool.release(connection)
    for answer in answers:
        if isinstance(answer, redis.ResponseError):
            raise answer
    return answers


def _answer(client: Any, connection: Any, name: str) -> Any:
    try:
        return client.parse_response(connection, name)
    except redis.ResponseError as problem:
        return problem


def send_at_once(client: redis.Redis, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Do what :func:`send` does, with the answers of one instant: nobody else's command comes between."""
    with client.pipeline(transaction=True) as pipe:
        for words in commands:
            pipe.execute_command(*words)  # type: ignore[no-untyped-call]
        return pipe.execute()
