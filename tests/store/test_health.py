"""The checks of the database: what forbids a start, what is warned of, and how /healthz tells it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests import factories
from tests.conftest import MakeStore, private_server
from tests.helpers import until
from tests.store.conftest import alone
from tests.store.examination import run
from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.store import Store, open_store


@contextmanager
def set_to(store: Store, name: str, value: object) -> Iterator[None]:
    """Set up the server otherwise for a while."""
    client = store.connection.client
    before = client.config_get(name)[name]
    client.config_set(name, str(value))
    try:
        yield
    finally:
        client.config_set(name, before)


def test_a_server_set_up_as_ours_is_needs_nothing(store: Store) -> None:
    factories.article(store, groups=("编程", "c_-9"))
    assert (store.health.warnings(), store.health.hints()) == ([], [])
    store.health.refuse_old()
    store.health.refuse_foreign()
    assert store.health.health() == ("ok", [])


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("maxmemory-policy", "allkeys-lru", "maxmemory-policy is allkeys-lru: a full server would drop articles."),
        ("maxmemory-policy", "volatile-ttl", "maxmemory-policy is volatile-ttl: a full server would drop articles."),
        ("appendonly", "no", "Nothing is kept on disk: a restart loses everything. Set appendonly to yes."),
    ],
)
def test_what_may_lose_data_is_told_with_what_to_do(store: Store, name: str, value: str, says: str) -> None:
    with set_to(store, name, value):
        (warning,) = store.health.warnings()
        status, reasons = store.health.health()
    assert warning.startswith(says)
    assert "et " in warning, "what to set"
    assert (status, reasons) == ("degraded", [warning])


@pytest.mark.parametrize(("name", "value"), [("hash-max-listpack-value", "64"), ("set-max-intset-entries", "512")])
def test_what_would_save_memory_is_a_hint_and_no_fault(store: Store, name: str, value: str) -> None:
    with set_to(store, name, value):
        (hint,) = store.health.hints()
        assert store.health.warnings() == []
        assert store.health.health().status == "ok"
    assert hint.startswith(f"{name} is {value}: with ")


def test_snapshots_alone_are_kept_on_disk(store: Store) -> None:
    with set_to(store, "appendonly", "no"), set_to(store, "save", "3600 1"):
        assert store.health.warnings() == []


def test_a_server_that_is_nearly_full_says_so_before_nobody_can_post(store: Store) -> None:
    used = store.connection.client.info()["used_memory"]
    with set_to(store, "maxmemory", int(used * 1.04)):
        (warning,) = store.health.warnings()
    assert warning.endswith("when it is full, nobody can post.")


def test_a_replica_is_told_where_to_write_instead(store: Store) -> None:
    run(store, "REPLICAOF", "127.0.0.1", "1")
    try:
        (warning,) = store.health.warnings()
    finally:
        run(store, "REPLICAOF", "NO", "ONE")
    assert warning == "The server is a replica: nothing can be written. Set VOTEWEB_REDIS_URL to its primary."


def test_a_disk_that_takes_nothing_is_told() -> None:
    with private_server("valkey") as url:
        store = open_store(Settings(redis_url=url))
        client = store.connection.client
        folder = Path(client.config_get("dir")["dir"])
        (folder / "dump.rdb" / "in the way").mkdir(parents=True)
        client.bgsave()
        until(lambda: client.info()["rdb_bgsave_in_progress"] == 0)
        (warning,) = store.health.warnings()
        assert warning.startswith("The server cannot write to its disk")
        client.close()


@pytest.mark.parametrize(
    ("key", "shown"), [("session:secret-token", "such as session:…"), ("secret-token", "of other names")]
)
def test_another_programs_keys_are_told_but_not_what_they_hold(store: Store, key: str, shown: str) -> None:
    factories.article(store)
    run(store, "SET", key, "x")
    (warning,) = store.health.warnings()
    assert shown in warning
    assert "secret" not in warning
    assert "a database of its own" in warning
    store.health.refuse_foreign()


@pytest.mark.parametrize("key", ["article:", "user:", "time:", "score:", "good:", "groups:", "reports:", "log:"])
def test_a_database_in_which_our_own_keys_are_anothers_is_refused(store: Store, key: str) -> None:
    run(store, "RPUSH", key, "x")
    with pytest.raises(ConfigError, match=f"its key {key} is a list, where voteweb keeps a .*database of its own"):
        store.health.refuse_foreign()


@pytest.mark.parametrize(
    ("version", "is_old"),
    [("6.2.14", True), ("6.0", True), ("7.0.0", False), ("7.2.4", False), ("10.0.1", False), ("", False), ("?", False)],
)
def test_a_server_that_is_too_old_is_refused(
    store: Store, version: str, is_old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.connection.client, "info", lambda: {"redis_version": version})
    if is_old:
        with pytest.raises(ConfigError, match=f"has version {version}, and voteweb needs 7.0 or newer. Install"):
            store.health.refuse_old()
    else:
        store.health.refuse_old()


@contextmanager
def with_rights(store: Store, *rights: str) -> Iterator[None]:
    """Let everybody who has not logged in do only so much; under Sentinel that would stop its replicas, too."""
    path = store.connection.client.get_connection_kwargs()["path"]
    with redis.Redis.from_url(f"unix://{path}") as boss:
        boss.execute_command("ACL", "SETUSER", "boss", "on", ">pass", "+@all", "~*")
        boss.execute_command("AUTH", "boss", "pass")
        boss.execute_command("ACL", "SETUSER", "default", "reset", "on", "nopass", "~*", *rights)
        try:
            yield
        finally:
            boss.execute_command("ACL", "SETUSER", "default", "reset", "on", "nopass", "~*", "&*", "+@all")
            boss.execute_command("ACL", "DELUSER", "boss")


@alone
def test_a_server_that_tells_nothing_of_itself_is_not_warned_of(store: Store) -> None:
    with with_rights(store, "+ping", "+type", "+client"):
        assert (store.health.warnings(), store.health.hints()) == ([], [])
        store.health.refuse_old()
        assert store.health.health() == ("ok", [])


@alone
def test_a_server_that_refuses_us_is_down(store: Store) -> None:
    with with_rights(store, "+info"):
        assert store.health.health() == ("down", ["Redis refuses us"])


def test_a_server_that_is_away_is_down(make_store: MakeStore) -> None:
    store = make_store(redis_url="unix:///tmp/there-is-no-voteweb-here.sock", redis_deadline=0.1)
    assert store.health.health() == ("down", ["Redis does not answer"])


def test_health_asks_for_the_rest_only_now_and_then(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(store.health, "warnings", lambda: asked.append("once") or ["A fault."])
    for _ in range(5):
        assert store.health.health() == ("degraded", ["A fault."])
    assert asked == ["once"]
    monkeypatch.setattr(config, "HEALTH_SECONDS", -1)
    monkeypatch.setattr(store.health, "_kept_until", 0.0)
    for _ in range(2):
        store.health.health().reasons.append("of the answer's own")
    assert asked == ["once"] * 3
