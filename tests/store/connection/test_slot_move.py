"""Whether the slot of a site is being moved, as far as its primary tells."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from redis.exceptions import AskError, MovedError

from voteweb.store.connection import cluster
from voteweb.store.connection.cluster import SlotMove

ASK, MOVED = AskError("1 127.0.0.1:1"), MovedError("1 127.0.0.1:1")


def told(answers: Sequence[redis.RedisError | int]) -> list[bool]:
    """Return what a SlotMove tells after each of the primary's *answers*."""
    coming = iter(answers)

    def exists(_key: str) -> int:
        answer = next(coming)
        if isinstance(answer, Exception):
            raise answer
        return answer

    client: Any = SimpleNamespace(exists=exists)
    move = SlotMove(client, "{news}:")
    return [move.is_moving() for _ in answers]


def test_a_move_lasts_until_a_primary_says_that_it_has_all_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "MOVE_CHECK_SECONDS", 0)
    assert told([0, ASK, redis.ConnectionError(), MOVED, 0]) == [False, True, True, True, False]


def test_an_unavailable_primary_says_nothing_of_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "MOVE_CHECK_SECONDS", 0)
    assert told([redis.TimeoutError(), 0, redis.ConnectionError()]) == [False, False, False]
