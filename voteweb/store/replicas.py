"""Replicas that answer readers: a moment behind the primary, and never what a member is told."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import redis

from voteweb.store.away import is_away
from voteweb.store.wire import send

#: Seconds for which readers are answered by the primary after a replica was away.
REST = 1.0


class Answers(NamedTuple):
    """What a replica answered, and whether it still follows its primary: else it may be long out of date."""

    answers: list[Any]
    follows: bool


class Replicas:
    """The replicas of one database."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._rests_until = 0.0

    def ask(self, commands: Sequence[tuple[Any, ...]]) -> Answers | None:
        """Return what a replica answers to reading *commands* in one round trip; None while they are away."""
        if time.monotonic() < self._rests_until:
            return None
        try:
            role, *answers = send(self._client, [("ROLE",), *commands])
        except redis.RedisError as problem:
            if not is_away(problem):
                raise
            self._rests_until = time.monotonic() + REST
            return None
        return Answers(answers, follows=role[0] == "master" or role[3] == "connected")

    def close(self) -> None:
        """Close all connections."""
        self._client.close()
