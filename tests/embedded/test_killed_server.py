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
from voteweb.store import open_store

pytestmark = pytest.mark.heavy


def test_a_killed_server_leaves_no_action_half_done(folder: Path) -> None:
    """While a sync of the disk is under way, answered actions may be lost, but each of them whole."""
    for seed in range(2):
        with use(folder) as opened:
            # Acts that go on when the server is killed take as long as the deadline.
            store = open_store(settings(opened.redis_url, redis_deadline=0.5))
            storm = StoreStorm(store, seed)
            storm.start()
            until(lambda storm=storm: storm.acts["post"] > 15 or storm.failures)
            assert storm.failures == []
            os.kill(server_pid(opened.redis_url), signal.SIGKILL)
            storm.stop()
            store.connection.close()
            assert {type(failure) for failure in storm.failures} <= {Unavailable, Conflict}
        with use(folder) as opened:
            store = open_store(settings(opened.redis_url))
            assert broken(store) == []
            store.connection.client.flushall()
            store.connection.close()
