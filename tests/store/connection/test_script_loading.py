"""Scripts are loaded whenever the server does not know them."""

from collections.abc import Sequence
from typing import Any

import pytest
import redis

from tests import factories
from tests.store.examination import broken, run
from tests.store.queries import page_ids
from voteweb.core.models import Order
from voteweb.store import Store
from voteweb.store.connection import connection, scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.transport import send


def test_scripts_that_the_server_forgot_are_loaded_again(store: Store) -> None:
    run(store, "SCRIPT", "FLUSH")
    article = factories.article(store, groups=("go", "redis"))
    run(store, "SCRIPT", "FLUSH")
    assert page_ids(store, store.rankings.groups(["go", "redis"], Order.SCORE)) == [article.id]
    run(store, "SCRIPT", "FLUSH")
    assert store.imports.add([factories.story(), factories.story()]).count("imported") == 2
    assert broken(store) == []


def test_all_scripts_are_loaded_in_one_round_trip(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    trips = []

    def record(client: redis.Redis, commands: Sequence[tuple[Any, ...]], **options: Any) -> list[Any]:
        trips.append([command[0] for command in commands])
        return send(client, commands, **options)

    monkeypatch.setattr(connection, "send", record)
    run(store, "SCRIPT", "FLUSH")
    factories.group(store, "go")
    loads = ["SCRIPT"] * len(scripts.scripts())
    assert trips[1:4] == [["EVALSHA"], loads, ["EVALSHA"]]  # the first is what the act reads


def test_a_server_restarted_while_scripts_load_gets_them_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    load, restarts = store.connection.load_scripts, iter([True])

    def load_and_restart(_: Connection) -> None:
        load()
        if next(restarts, False):
            run(store, "SCRIPT", "FLUSH")

    monkeypatch.setattr(Connection, "load_scripts", load_and_restart)
    run(store, "SCRIPT", "FLUSH")
    factories.group(store, "go")
    assert next(restarts, None) is None
    assert run(store, "SMEMBERS", "groups:") == {"go"}


def test_a_script_that_had_to_be_loaded_is_not_repeated(store: Store) -> None:
    run(store, "SCRIPT", "FLUSH")
    outcome = store.connection.script(
        "use_session", name="ann", session="id", digest="digest", checked="", idle_seconds=9
    )
    assert outcome == ("ended", [], False)
