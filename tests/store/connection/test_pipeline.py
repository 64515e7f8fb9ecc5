"""Pipelines: commands of several callers in one round trip, and futures of their results."""

from collections.abc import Sequence
from typing import Any

import pytest

from voteweb.core.errors import Unavailable
from voteweb.store.connection.pipeline import Command, Pipeline


class Server:
    """A server that answers each command with its last argument, or fails while ``is_down``."""

    def __init__(self) -> None:
        self.round_trips: list[list[Command]] = []
        self.is_down = False

    def send(self, commands: Sequence[Command]) -> list[Any]:
        self.round_trips.append(list(commands))
        if self.is_down:
            raise Unavailable
        return [command[-1] for command in commands]


def test_commands_of_several_callers_share_one_round_trip() -> None:
    server = Server()
    pipeline = Pipeline(server.send)
    first = pipeline.queue([("GET", "a"), ("GET", "b")], tuple)
    nothing = pipeline.queue([], len)
    second = pipeline.queue([("GET", "c")], lambda _: None)
    with pytest.raises(RuntimeError, match="before its pipeline was executed"):
        _ = second.result
    for _ in range(2):  # an executed pipeline is empty
        pipeline.execute()
    assert server.round_trips == [[("GET", "a"), ("GET", "b"), ("GET", "c")]]
    assert (first.result, nothing.result, second.result) == (("a", "b"), 0, None)


def test_futures_stay_pending_when_sending_fails() -> None:
    server = Server()
    pipeline = Pipeline(server.send)
    futures = [pipeline.queue([("GET", key)], tuple) for key in "ab"]
    server.is_down = True
    with pytest.raises(Unavailable):
        pipeline.execute()
    for future in futures:
        with pytest.raises(RuntimeError):
            _ = future.result
    server.is_down = False
    pipeline.execute()  # the commands are still queued
    assert [future.result for future in futures] == [("a",), ("b",)]
