"""Health checks: what refuses a start, what is warned of, and the status of the database."""

import re
import time
from unittest.mock import Mock

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.helpers import until
from tests.store.examination import run, server_setting
from voteweb.core import clock, config
from voteweb.core.errors import ConfigError
from voteweb.store import Store


def test_our_own_server_has_no_warnings(store: Store) -> None:
    factories.article(store, groups=("编程", "c_-9"))
    assert store.health.warnings() == []
    store.health.refuse_old()
    store.health.refuse_foreign()
    assert store.health.health() == ("ok", [])


def test_settings_that_may_lose_data_are_warned_of(store: Store) -> None:
    with server_setting(store, "maxmemory-policy", "allkeys-lru"):
        (warning,) = store.health.warnings()
        assert store.health.health() == ("degraded", [warning])
    assert warning.startswith("maxmemory-policy is allkeys-lru: a full server would drop articles.")
    used = store.connection.client.info()["used_memory"]
    with server_setting(store, "maxmemory", int(used * 1.04)):
        (warning,) = store.health.warnings()
    assert warning.endswith("when it is full, nobody can post.")


@pytest.mark.usefixtures("single_server")  # what a replica has is not in memory alone
def test_changes_that_are_in_memory_alone_are_warned_of(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    client = store.connection.client
    with server_setting(store, "appendonly", "no"):
        factories.article(store)
        assert store.health.warnings() == []
        monkeypatch.setattr(config, "UNSAVED_SECONDS", 0)
        (warning,) = store.health.warnings()
        client.bgsave()
        until(lambda: client.info()["rdb_changes_since_last_save"] == 0)
        assert store.health.warnings() == []
    assert warning.startswith("Nothing was kept on disk for 0 hours")


def test_a_replica_is_warned_of(store: Store) -> None:
    run(store, "REPLICAOF", "127.0.0.1", "1")
    try:
        (warning,) = store.health.warnings()
    finally:
        run(store, "REPLICAOF", "NO", "ONE")
        name = "min-replicas-to-write"
        minimum = int(run(store, "CONFIG", "GET", name)[name])
        until(lambda: store.connection.client.info("replication")["connected_slaves"] >= minimum)
    assert warning == "The server is a replica: nothing can be written. Set VOTEWEB_REDIS_URL to its primary."


@pytest.mark.parametrize(
    "key", ["article:", "user:", "time:", "score:", "good:", "groups:", "reports:", "log-entries:"]
)
def test_our_keys_in_another_type_are_refused(store: Store, key: str) -> None:
    run(store, "XADD", key, "*", "x", "y")
    wanted = re.escape(store.keys.prefix + key)
    with pytest.raises(ConfigError, match=f"its key {wanted} is a stream, where voteweb keeps a .*database of its own"):
        store.health.refuse_foreign()


def test_a_server_that_is_too_old_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("7.0.0", "7.2.4", "10.0.1", "", "?"):
        monkeypatch.setattr(store.connection.client, "info", lambda version=version: {"redis_version": version})
        store.health.refuse_old()
    monkeypatch.setattr(store.connection.client, "info", lambda: {"redis_version": "6.2.14"})
    with pytest.raises(ConfigError, match=r"has version 6\.2\.14, and voteweb needs 7\.0 or newer\. Install"):
        store.health.refuse_old()


def test_an_unavailable_server_is_down(make_store: MakeStore) -> None:
    store = make_store(redis_url="unix:///tmp/there-is-no-voteweb-here.sock", redis_deadline=0.1)
    assert store.health.health() == ("down", ["Redis does not answer"])


def test_health_keeps_its_warnings_for_some_seconds(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings = Mock(side_effect=lambda: ["A warning."])
    monkeypatch.setattr(store.health, "warnings", warnings)
    for seconds, times in ((-1, 3), (config.HEALTH_SECONDS, 4)):
        monkeypatch.setattr(config, "HEALTH_SECONDS", seconds)
        for _ in range(3):
            health = store.health.health()
            assert health == ("degraded", ["A warning."])
            health.reasons.clear()
        assert warnings.call_count == times


def test_a_machines_wrong_clock_is_named_until_it_is_set(store: Store) -> None:
    now = time.time()
    clock.compare(now - 3_600, now, now)
    assert abs(clock.now() - (now - 3_600)) < 60
    (warning,) = (warning for warning in store.health.warnings() if "clock" in warning)
    assert warning.startswith("The clock of this machine is 3,600 s ahead of the database's")
    store.connection.ping()
    assert not any("clock" in warning for warning in store.health.warnings())
    assert abs(clock.now() - time.time()) < 60
