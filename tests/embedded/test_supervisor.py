"""A supervised database is started again, once, whenever it ends; its users are notified."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import redis

from tests.embedded.processes import connect, is_up, server_pid
from tests.helpers import until
from voteweb.core.settings import Settings
from voteweb.embedded import supervisor
from voteweb.embedded.database import open_database

pytestmark = pytest.mark.heavy

RESTARTED = "The database had stopped and was restarted."


@contextmanager
def supervised(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Supervise a database; yield its URL and the notifications."""
    notifications: list[str] = []
    with open_database(Settings(data_dir=str(folder)), notify=notifications.append) as settings:
        yield settings.redis_url, notifications


@contextmanager
def forked_child() -> Iterator[None]:
    """Fork a child that does nothing."""
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_hanging_server_is_not_restarted(folder: Path) -> None:
    with supervised(folder) as (url, notifications):
        pid = server_pid(url)
        os.kill(pid, signal.SIGSTOP)
        try:
            with connect(folder, timeout=0.3) as client, pytest.raises(redis.TimeoutError):
                client.ping()
        finally:
            os.kill(pid, signal.SIGCONT)
        assert (server_pid(url), notifications) == (pid, [])


def test_a_failing_start_is_reported_once_and_retried(folder: Path) -> None:
    with supervised(folder) as (url, notifications):
        manifest = next((folder / "appendonlydir").glob("*.manifest"))
        text = manifest.read_text()
        manifest.write_text("nonsense\n")
        os.kill(server_pid(url), signal.SIGKILL)
        until(lambda: notifications)
        assert notifications[0].startswith("The database cannot be restarted: The embedded database did not start: ")
        attempts = (folder / "server.log").read_text().count("nonsense")
        until(lambda: (folder / "server.log").read_text().count("nonsense") > attempts)
        assert len(notifications) == 1, notifications
        manifest.write_text(text)
        until(lambda: len(notifications) == 2)
        assert is_up(folder)


def test_a_child_forked_during_a_restart_holds_no_lock(folder: Path) -> None:
    """Workers of the web server are forked; a lock that one of them kept would prevent every later start."""
    with ExitStack() as children, supervised(folder) as (url, notifications):
        for count in (1, 2):
            os.kill(server_pid(url), signal.SIGKILL)
            for _ in range(40):
                children.enter_context(forked_child())
                time.sleep(0.002)
            until(lambda count=count: len(notifications) == count)
    assert set(notifications) == {RESTARTED}
    assert not is_up(folder)


def test_a_signal_while_it_starts_ends_the_supervisor(new_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads, start = list[threading.Thread](), threading.Thread.start

    def interrupted_start(thread: threading.Thread) -> None:
        start(thread)
        threads.append(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted_start)
    path = new_folder / "database.sock"
    with pytest.raises(KeyboardInterrupt), supervisor.supervised(path, lambda: None, lambda: None, lambda _: None):
        pass
    assert not threads[0].is_alive()
