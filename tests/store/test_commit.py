"""Guarded commits: nothing is written once what was read is another, and a refusal writes nothing."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.store.examination import refused, run, server_setting
from voteweb.core.errors import (
    Conflict,
    DataDamaged,
    Held,
    LoggedOut,
    NoSuchGroup,
    NotAllowed,
    StorageFull,
)
from voteweb.core.models import LogAction, LogEntry, User
from voteweb.store import Store
from voteweb.store.connection.commit import Attempt, Decision, commit
from voteweb.store.connection.pipeline import Command

SITE: list[Command] = [
    ("HSET", "user:ann", "id", 1, "role", "member"),
    ("SADD", "groups:", "go"),
    ("ZADD", "score:", 1.5, "article:1", "inf", "article:2"),
    ("RPUSH", "log-entries:", "first"),
    ("SET", "schema:", "4"),
]
ENTRY = LogEntry(LogAction.EDIT, "mod", title="Go")


def writes(store: Store) -> list[Command]:
    return [("HSET", store.keys.group_info("go"), "title", "Go"), ("SADD", store.keys.groups(), "new")]


def reading(store: Store, read: Command, changes: Sequence[Command]) -> tuple[Decision, list[Any]]:
    """Return a decision that reads before another program makes the next of *changes*, and a list of all replies."""
    replies: list[Any] = []
    left = list(changes)

    def decide(attempt: Attempt) -> Sequence[Command]:
        replies.extend(attempt.read((read[0], f"{store.keys.prefix}{read[1]}", *read[2:])))
        if left:
            run(store, *left.pop(0))
        return writes(store)

    return decide, replies


@pytest.mark.parametrize(
    ("read", "change"),
    [
        (("HGET", "user:ann", "role"), ("HSET", "user:ann", "role", "admin")),
        (("HMGET", "user:ann", "id", "left"), ("HSET", "user:ann", "left", "1")),
        (("SCARD", "groups:"), ("SADD", "groups:", "redis")),
        (("ZSCORE", "score:", "article:1"), ("ZINCRBY", "score:", 1e-6, "article:1")),
        (("ZSCORE", "score:", "article:2"), ("ZADD", "score:", "-inf", "article:2")),
        (("LRANGE", "log-entries:", 0, -1), ("RPUSH", "log-entries:", "second")),
        (("GET", "schema:"), ("UNLINK", "schema:")),
        (("TYPE", "schema:"), ("UNLINK", "schema:")),
    ],
)
def test_a_change_of_what_was_read_decides_anew(store: Store, read: Command, change: Command) -> None:
    for command in SITE:
        run(store, *command)
    decide, replies = reading(store, read, [change])
    assert commit(store.connection, decide)
    assert len(replies) == 2
    assert replies[0] != replies[1]
    assert commit(store.connection, decide)  # nobody changes anything
    assert len(replies) == 3


def test_a_hash_is_compared_field_by_field(store: Store) -> None:
    changes: list[Command] = [
        ("HSET", "group-aliases:", "golang", "go"),
        ("HSET", "group-aliases:", "golang", "redis"),
        ("HSET", "group-aliases:", "py", "python"),
        ("HDEL", "group-aliases:", "golang", "py"),
        # More fields than Lua takes arguments.
        ("HSET", "group-aliases:", *(f"g{number}" for number in range(20_000))),
    ]
    decide, seen = reading(store, ("HGETALL", "group-aliases:"), changes)
    assert commit(store.connection, decide)
    assert seen[:-1] == [{}, {"golang": "go"}, {"golang": "redis"}, {"golang": "redis", "py": "python"}, {}]
    assert len(seen[-1]) == 10_000


def test_an_act_that_others_always_overtake_is_a_conflict(store: Store) -> None:
    decide, _ = reading(store, ("SCARD", "groups:"), [("SADD", "groups:", number) for number in range(100)])
    with pytest.raises(Conflict):
        commit(store.connection, decide)
    assert not run(store, "EXISTS", "group-info:go")


@pytest.mark.parametrize(
    ("field", "value", "refusal"),
    [
        ("banned", "1", LoggedOut), ("left", "1", LoggedOut), ("held", "1", Held), ("role", "member", NotAllowed),
        ("session", "another", LoggedOut),
    ],
)  # fmt: skip
@pytest.mark.parametrize("decision", ["writes", "nothing", "refuses"])
def test_the_actor_is_checked_whatever_is_decided(
    store: Store, mod: User, field: str, value: str, refusal: type[Exception], decision: str
) -> None:
    run(store, "HSET", "user:mod", field, value)

    def decide(_: Attempt) -> Sequence[Command]:
        if decision == "refuses":
            raise NoSuchGroup(names="go")
        return writes(store) if decision == "writes" else []

    with refused(store, refusal):
        commit(store.connection, decide, actor=mod, entry=ENTRY)


@pytest.mark.parametrize("key", ["groups:", "log-entries:", "log-kind:edit+mod"])
def test_a_key_of_another_type_stops_it_before_writing(store: Store, key: str) -> None:
    run(store, "XADD", key, "*", "is", "a stream")
    with refused(store, DataDamaged):
        commit(store.connection, lambda _: writes(store), entry=ENTRY)


def test_what_frees_memory_is_done_on_a_full_server(store: Store) -> None:
    run(store, "SET", "reset:digest", "ann", "EX", 100)
    decide, _ = reading(store, ("GET", "reset:digest"), [])
    with server_setting(store, "maxmemory", 1):
        with pytest.raises(StorageFull):
            commit(store.connection, decide)
        assert commit(store.connection, decide, when_full=True)
    assert run(store, "SMEMBERS", "groups:") == {"new"}
    assert run(store, "TTL", "reset:digest") > 0


def test_a_time_limit_is_checked_again_once_it_is_over(store: Store) -> None:
    seconds = [100, -1]

    def decide(attempt: Attempt) -> Sequence[Command]:
        attempt.read()
        attempt.not_after = float(attempt.now) + seconds.pop()
        return writes(store)

    assert commit(store.connection, decide)
    assert seconds == []


def test_additions_to_a_stream_at_its_end_are_left_out(store: Store) -> None:
    run(store, "XADD", "changes:", f"{2**64 - 1}-{2**64 - 1}", "a", 1)
    assert commit(store.connection, lambda _: [("XADD", store.keys.changes(), "*", "a", 2)])
