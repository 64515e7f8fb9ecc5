"""A database that is unavailable: what is retried until the deadline, and what is sent only once."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
import redis

from tests import factories
from tests.conftest import MakeStore
from tests.store.connection.addresses import absent_socket, closed_port, silent_cluster, silent_port
from tests.store.examination import run
from voteweb.core.errors import Unavailable
from voteweb.core.models import Role, User
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.connection import connection, scripts
from voteweb.store.connection.connection import one_deadline
from voteweb.store.connection.transport import send
from voteweb.store.connection.unavailable import is_unavailable, may_be_replaced


@pytest.mark.parametrize("address", [closed_port, silent_port, silent_cluster, absent_socket])
def test_every_command_to_an_unreachable_database_is_unavailable(
    address: Callable[[], AbstractContextManager[str]],
) -> None:
    ann = User(1, "ann", "", Role.MEMBER, 0.0, "")
    with address() as url:
        store = open_store(Settings(redis_url=url, site="news", redis_deadline=0.15))
        for command in (
            store.connection.ping,
            lambda: store.articles.get(1),
            lambda: store.articles.post(factories.draft(), ann, "form-0001"),
            lambda: store.votes.cast(1, ann),
        ):
            with pytest.raises(Unavailable):
                command()
        store.connection.close()


def test_a_database_is_awaited_until_a_deadline_that_answers_renew(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, now = store.connection, time.monotonic()
    errors = iter([redis.ConnectionError("gone"), redis.BusyLoadingError("loading"), redis.TimeoutError("slow")])
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def flaky() -> str:
        for error in errors:
            raise error
        return "answer"

    with one_deadline():
        assert connection.retry_until_deadline(flaky) == "answer"
        assert not list(errors)
        errors = iter([redis.ConnectionError("gone")])
        now += connection.deadline
        assert connection.retry_until_deadline(flaky) == "answer"


@pytest.mark.parametrize(
    ("error", "is_elsewhere"),
    [
        (redis.ResponseError("NOREPLICAS Not enough good replicas to write."), True),
        (redis.ReadOnlyError("You can't write against a read only replica."), True),
        (redis.ResponseError("BUSY Redis is busy running a script. You can only call SCRIPT KILL."), False),
    ],
)
def test_a_server_unable_to_answer_is_unavailable_and_perhaps_replaced(
    error: redis.ResponseError, is_elsewhere: bool
) -> None:
    assert (is_unavailable(error), may_be_replaced(error)) == (True, is_elsewhere)


def test_a_slow_script_is_sent_once(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    # redis-py by itself would send the script eleven times. A loop by the clock would never end: within a script,
    # Valkey's clock stands still.
    slow = "redis.call('INCR', KEYS[1]) for i = 1, 2e8 do end return { 'done' }"
    monkeypatch.setitem(scripts.scripts(), "slow", scripts.Script("slow", f"-- keys: {{counter}}\n{slow}"))
    store, other = make_store(redis_deadline=0.25), make_store()
    other.connection.load_scripts()
    with pytest.raises(Unavailable):
        store.connection.script("slow", counter=f"{store.keys.prefix}count")
    assert run(other, "GET", "count") == "1"


def test_an_error_of_ours_is_not_retried(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run(store, "RPUSH", "article:1", "x")
    sent = []

    def record(client: redis.Redis, commands: Any, **options: Any) -> Any:
        sent.append(commands)
        return send(client, commands, **options)

    monkeypatch.setattr(connection, "send", record)
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        store.connection.command("HGET", store.keys.article(1), "title")
    assert len(sent) == 1
