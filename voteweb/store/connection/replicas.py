"""Replicas: they answer readers, slightly behind the primary; members are always answered by the primary."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import redis

from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.connection.transport import send
from voteweb.store.connection.unavailable import is_unavailable

#: Seconds for which the primary answers readers after a replica was unavailable.
REPLICA_PAUSE_SECONDS = 1.0


class ReplicaAnswer(NamedTuple):
    """The replies of a replica, and whether it is connected to its primary: if not, they may be out of date."""

    replies: list[Any]
    is_connected: bool


def _reading(command: Command) -> Command:
    """Return *command* so that a server which expects only reads accepts a script, also while writes are paused."""
    return ("EVALSHA_RO", *command[1:]) if command[0] == "EVALSHA" else command


class Replicas:
    """The replicas of one database, which do not answer while *have_gaps* says that they do not have all keys."""

    def __init__(self, client: redis.Redis, have_gaps: Callable[[], bool] = lambda: False) -> None:
        self._client = client
        self._have_gaps = have_gaps
        self._paused_until = 0.0

    def run(self, commands: Sequence[Command]) -> ReplicaAnswer | None:
        """Run reading *commands* in one round trip and return the answer; None while no replica is available."""
        if time.monotonic() < self._paused_until or self._have_gaps():
            return None
        try:
            role, *replies = self._send([("ROLE",), *map(_reading, commands)])
        except redis.RedisError as error:
            if not is_unavailable(error):
                raise
            self._paused_until = time.monotonic() + REPLICA_PAUSE_SECONDS
            return None
        return ReplicaAnswer(replies, is_connected=role[0] == "master" or role[3] == "connected")

    def _send(self, commands: Sequence[Command]) -> list[Any]:
        """Send *commands*, with the reading scripts in front if the replica does not know them.

        A replica is not told which scripts its primary loads.
        """
        try:
            return send(self._client, commands)
        except redis.exceptions.NoScriptError:
            loads = [
                ("SCRIPT", "LOAD", source) for name, source in scripts.sources().items() if name in scripts.READING
            ]
            return send(self._client, [*loads, *commands])[len(loads) :]

    def close(self) -> None:
        """Close all connections."""
        self._client.close()
