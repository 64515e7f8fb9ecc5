"""Several processes that use one embedded database: one server, which the last of them stops."""

import os
import signal
from pathlib import Path

import pytest

from tests.embedded.processes import connect, is_up, server_pid, use, using_process, waiting_process
from tests.helpers import PATIENCE

pytestmark = pytest.mark.heavy


def test_simultaneous_starts_make_one_server(folder: Path) -> None:
    with waiting_process(folder) as one, waiting_process(folder) as two, waiting_process(folder) as three:
        for process in (one, two, three):
            process.open()
        assert len({process.server_pid() for process in (one, two, three)}) == 1
        for process in (one, two, three):
            process.leave()
    assert not is_up(folder)


def test_a_server_left_by_a_killed_process_is_adopted(folder: Path) -> None:
    with using_process(folder) as other:
        pid = other.server_pid()
        other.kill()
        assert is_up(folder)
        with use(folder) as settings:
            assert server_pid(settings.redis_url) == pid
    assert not is_up(folder)


def test_children_of_a_killed_process_use_no_server(folder: Path) -> None:
    """A site's web server has them for some seconds more, and nobody would stop the server after them."""
    with using_process(folder, forks=True) as other:
        other.server_pid()
        other.kill()
        with use(folder):
            pass
        assert not is_up(folder)


def test_ctrl_c_loses_no_data_and_last_process_stops_server(folder: Path) -> None:
    with using_process(folder) as first, using_process(folder) as last:
        assert first.server_pid() == last.server_pid()
        with connect(folder) as client:
            client.set("kept", "yes")
        for interrupted in (first, last):
            assert is_up(folder)
            os.killpg(interrupted.process.pid, signal.SIGINT)
            interrupted.process.wait(timeout=PATIENCE)
    assert not is_up(folder)
    with use(folder), connect(folder) as client:
        assert client.get("kept") == b"yes"
