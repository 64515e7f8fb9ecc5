"""Pipelines: commands of several callers in one round trip, and futures of their results."""

from collections.abc import Sequence
from typing import Any

import pytest

from voteweb.core.errors import Unavailable
from voteweb.store import Store
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


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def pipeline(server: Server) -> Pipeline:
    return Pipeline(server.send)


def test_commands_of_several_callers_share_one_round_trip(server: Server, pipeline: Pipeline) -> None:
    first = pipeline.queue([("GET", "a"), ("GET", "b")], tuple)
    nothing = pipeline.queue([], len)
    second = pipeline.queue([("GET", "c")], lambda replies: replies[0])
    pipeline.execute()
    assert server.round_trips == [[("GET", "a"), ("GET", "b"), ("GET", "c")]]
    assert (first.result, nothing.result, second.result) == (("a", "b"), 0, "c")


def test_a_result_cannot_be_read_before_execution(pipeline: Pipeline) -> None:
    future = pipeline.queue([("GET", "a")], tuple)
    with pytest.raises(RuntimeError, match="before its pipeline was executed"):
        _ = future.result
    pipeline.execute()
    assert future.result == ("a",)


def test_a_result_may_be_none(pipeline: Pipeline) -> None:
    future = pipeline.queue([("GET", "a")], lambda _: None)
    pipeline.execute()
    assert future.result is None


def test_futures_stay_pending_when_sending_fails(server: Server, pipeline: Pipeline) -> None:
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


def test_an_executed_pipeline_is_empty(server: Server, pipeline: Pipeline) -> None:
    first = pipeline.queue([("GET", "a")], tuple)
    pipeline.execute()
    pipeline.execute()
    assert server.round_trips == [[("GET", "a")]]
    second = pipeline.queue([("GET", "b")], tuple)
    pipeline.execute()
    assert server.round_trips == [[("GET", "a")], [("GET", "b")]]
    assert (first.result, second.result) == (("a",), ("b",))


def test_an_atomic_run_answers_every_command(store: Store) -> None:
    key = store.keys.article(1)
    assert store.connection.run([("SET", key, "1"), ("GET", key)], atomic=True)[1] == "1"
