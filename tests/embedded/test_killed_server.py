"""The server killed in a storm of everything that members and moderators do."""

import os
import signal
from pathlib import Path

import pytest

from tests.embedded.processes import server_pid, use
from tests.helpers import until
from tests.store.examination import broken
from tests.store.storm import StoreStorm, settings
from voteweb.core.errors import Conflict, Unavailable
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.store import open_store

pytestmark = pytest.mark.heavy


def storm_until_killed(url: str, seed: int, deadline: float) -> StoreStorm:
    """Run a storm on the server at *url*, kill the server, and return the storm.

    An action may take *deadline* seconds; those that go on when the server is killed take as long.
    """
    store = open_store(settings(url, redis_deadline=deadline))
    storm = StoreStorm(store, seed)
    storm.start()
    until(lambda: storm.acts["post"] > 15 or storm.failures)
    assert storm.failures == []
    os.kill(server_pid(url), signal.SIGKILL)
    storm.stop()
    store.connection.close()
    assert {type(failure) for failure in storm.failures} <= {Unavailable, Conflict}
    return storm


def test_a_killed_server_leaves_no_action_half_done(folder: Path) -> None:
    """While a sync of the disk is under way, answered actions may be lost, but each of them whole."""
    for seed in range(2):
        with use(folder) as opened:
            storm_until_killed(opened.redis_url, seed, deadline=0.5)
        with use(folder) as opened:
            store = open_store(settings(opened.redis_url))
            assert broken(store) == []
            store.connection.client.flushall()
            store.connection.close()


def test_a_server_that_always_syncs_loses_no_answered_action(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder), appendfsync="always")) as opened:
        storm = storm_until_killed(opened.redis_url, seed=7, deadline=1.0)
    with use(folder) as opened:
        store = open_store(settings(opened.redis_url))
        keys = [store.keys.article(id) for id in storm.votes]
        assert store.connection.command("EXISTS", *keys) == len(keys)
        assert broken(store) == []
        store.connection.close()
