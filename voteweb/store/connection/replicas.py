"""Replicas: they answer readers, slightly behind the primary; members are always answered by the primary."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import redis

from voteweb.store.connection.transport import send
from voteweb.store.connection.unavailable import is_unavailable

#: Seconds for which the primary answers readers after a replica was unavailable.
REPLICA_PAUSE_SECONDS = 1.0


class ReplicaAnswer(NamedTuple):
    """The replies of a replica, and whether it is connected to its primary: if not, they may be out of date."""

    replies: list[Any]
    is_connected: bool


class Replicas:
    """The replicas of one database."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._paused_until = 0.0

    def run(self, commands: Sequence[tuple[Any, ...]]) -> ReplicaAnswer | None:
        """Run reading *commands* in one round trip and return the answer; None while no replica is available."""
        if time.monotonic() < self._paused_until:
            return None
        try:
            role, *replies = send(self._client, [("ROLE",), *commands])
        except redis.RedisError as error:
            if not is_unavailable(error):
                raise
            self._paused_until = time.monotonic() + REPLICA_PAUSE_SECONDS
            return None
        return ReplicaAnswer(replies, is_connected=role[0] == "master" or role[3] == "connected")

    def close(self) -> None:
        """Close all connections."""
        self._client.close()
