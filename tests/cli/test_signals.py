"""``voteweb run`` that is told to stop or to replace its workers."""

import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest

from tests import factories
from tests.helpers import PATIENCE, is_listening, short_folder, until
from tests.pausable_proxy import PausableProxy
from tests.site_process import SECRET, SiteProcess, StartSite, start_voteweb
from tests.status_counter import counted_statuses
from tests.store.examination import broken
from voteweb.cli.signals import SignalEvent
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.embedded.server import hold_lock
from voteweb.store import Store, open_store

#: Has a handler set the event before each line of what sets it, unsets it and waits for it.
INTERRUPTED = """
import signal, sys
from voteweb.cli.signals import SignalEvent
event = SignalEvent()
signal.signal(signal.SIGUSR1, lambda *_: event.set())
def interrupt(*_):
    signal.raise_signal(signal.SIGUSR1)
    return interrupt
sys.settrace(interrupt)
for act in (event.set, event.wait, event.clear):
    act()
sys.settrace(None)
"""

#: Receives a signal where Python ignores an exception, and goes on.
IGNORED = """
import signal, time
from voteweb.cli.signals import STOP_SIGNALS
STOP_SIGNALS.install()
class Callback:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)
Callback()
while True:
    time.sleep(1)
"""


def test_a_signal_in_a_callback_ends_the_process() -> None:
    end = subprocess.run([sys.executable, "-c", IGNORED], stderr=subprocess.PIPE, timeout=PATIENCE)
    assert (end.returncode, end.stderr) == (128 + signal.SIGTERM, b"")


def test_handler_sets_the_event_that_it_interrupts() -> None:
    subprocess.run([sys.executable, "-c", INTERRUPTED], check=True, timeout=PATIENCE)


def test_event_is_unset_unless_it_is_kept() -> None:
    kept = list[bool]()
    event = SignalEvent(is_kept=lambda: bool(kept))
    event.set()
    event.wait()
    event.clear()
    assert not event.is_set()
    kept.append(True)
    event.clear()
    event.wait()


def accepts_connections(site: SiteProcess) -> bool:
    with suppress(OSError):
        socket.create_connection(site.address, timeout=5).close()
        return True
    return False


@pytest.mark.heavy
def test_a_request_in_work_is_answered_before_the_site_stops(
    start_site: StartSite, store: Store, proxy: PausableProxy
) -> None:
    env = {"VOTEWEB_REDIS_URL": proxy.url, "VOTEWEB_REDIS_DEADLINE": "20", "VOTEWEB_PAGE_SECONDS": "0"}
    site = start_site(**env, **SECRET)
    proxy.pause()
    with closing(site.connect()) as connection:
        connection.request("GET", "/new")
        assert proxy.paused_answers.acquire(timeout=PATIENCE)
        os.kill(site.process.pid, signal.SIGTERM)
        until(lambda: not accepts_connections(site))
        assert site.process.poll() is None
        proxy.resume()
        assert connection.getresponse().status == 200
    assert site.process.wait(PATIENCE) == 0


@pytest.mark.heavy
def test_the_background_jobs_end_while_a_request_is_waited_for(
    start_site: StartSite, store: Store, server_url: str
) -> None:
    site = start_site(VOTEWEB_REDIS_URL=server_url, **SECRET)
    until(site.jobs_pids)
    with socket.create_connection(site.address) as half_sent:
        half_sent.settimeout(PATIENCE)
        half_sent.sendall(
            b"POST /login HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            b"Content-Length: 9\r\nExpect: 100-continue\r\n\r\n"
        )
        assert half_sent.recv(100).startswith(b"HTTP/1.1 100 ")  # a worker waits for the form
        (worker,) = site.worker_pids()
        site.process.terminate()
        until(lambda: not site.jobs_pids())
        assert site.worker_pids() == [worker]
    assert site.process.wait(PATIENCE) == 0


@pytest.mark.heavy
def test_sighup_replaces_the_workers_and_every_request_is_answered(
    start_site: StartSite, store: Store, server_url: str
) -> None:
    site = start_site(VOTEWEB_REDIS_URL=server_url, **SECRET)
    until(lambda: site.jobs_pids() and site.worker_pids())  # until the jobs have their name, they look like a worker
    before = set(site.worker_pids())

    def request() -> list[int]:
        # A worker that ends closes a connection on which no request has arrived yet. A client opens another one
        # then, as browsers and nginx do.
        with suppress(http.client.RemoteDisconnected, ConnectionResetError):
            return [site.get("/about").status]
        return [site.get("/about").status]

    with counted_statuses(request, threads=2, pause=0.02) as requests:
        os.kill(site.process.pid, signal.SIGHUP)
        until(lambda: len(site.worker_pids()) == 1 and set(site.worker_pids()) != before)
        requests.wait_for_more()
    assert set(requests.statuses) == {200}
    assert site.stop().status == 0


def test_a_third_signal_waits_for_nothing(start_site: StartSite, folder: Path) -> None:
    site = start_site("--data", str(folder))
    with hold_lock(folder / "start.lock"):  # without it, no process stops the database in order
        site.process.terminate()
        until(lambda: not accepts_connections(site))
        site.process.send_signal(signal.SIGINT)
        until(lambda: not site.worker_pids())
        assert site.process.poll() is None
        site.process.terminate()
        assert site.process.wait(PATIENCE) == 128 + signal.SIGTERM
        until(lambda: not is_listening(folder / "database.sock"))


class Burst:
    """Signals at a site of its own, and what they leave behind: in a fourth of the cases while it starts."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._random = folder, random.Random(seed)
        self._socket = folder / "database.sock"
        self.articles = 0

    def send(self) -> None:
        """Start the site, post an article and send the signals; return when all of its processes have ended."""
        is_early = self._random.random() < 0.25
        with TemporaryFile("w+") as errors, start_voteweb(
            "run", "--port", 0, "--workers", 2, "--data", self._folder, env={"VOTEWEB_LOG": "off"},
            stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
        ) as process:  # fmt: skip
            if is_early:
                time.sleep(self._random.random() * 2)
            else:
                assert process.stdout
                assert any("voteweb is at" in line for line in process.stdout), self._text(errors)
                self._post()
            self._send_signals(process.pid)
            status, text = process.wait(PATIENCE), self._text(errors)
        # The system ends Python before voteweb handles signals, and after that. While it starts, it fails at a Ctrl-C.
        is_python = is_early and "KeyboardInterrupt" in text
        assert status in (0, 130, 143, -signal.SIGINT, -signal.SIGTERM) or (is_python and status == 1), text
        # A further signal may cut short what Python says while it ends, also before it has named the Ctrl-C.
        names_error = re.search(r"^[\w.]*(Error|Exception)\b", text, re.MULTILINE)
        assert "Traceback" not in text or (is_early and not names_error), text
        # All processes of the site but the database are in its group.
        until(lambda: not self._has_processes(process.pid) and not is_listening(self._socket))

    def _text(self, file: IO[str]) -> str:
        file.seek(0)
        return file.read()

    def _send_signals(self, process: int) -> None:
        kill = self._random.choice([os.kill, os.killpg])
        for _ in range(self._random.randint(2, 6)):
            with suppress(ProcessLookupError):
                kill(process, self._random.choice([signal.SIGTERM, signal.SIGINT]))
            time.sleep(self._random.choice([0, 0, 0.001, 0.1]) * self._random.random())

    def _post(self) -> None:
        store = open_store(Settings(redis_url=f"unix://{self._socket}"))
        factories.article(store)
        store.connection.close()
        self.articles += 1

    def _has_processes(self, group: int) -> bool:
        with suppress(ProcessLookupError):
            os.killpg(group, 0)
            return True
        return False


@pytest.fixture
def _ctrl_c() -> Iterator[None]:
    """Have processes that a test starts end at Ctrl-C, also where the tests run in a shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c")
@pytest.mark.parametrize("count", [1, pytest.param(50, marks=pytest.mark.heavy)])
def test_bursts_of_signals_end_a_site_as_one_does(count: int) -> None:
    def send_bursts(seed: int) -> None:
        with short_folder() as folder:
            burst = Burst(folder, seed)
            for _ in range(count):
                burst.send()
            with open_database(Settings(data_dir=str(folder))) as settings:
                store = open_store(settings)
                assert store.connection.command("ZCARD", store.keys.by_time()) == burst.articles
                assert broken(store) == []
                store.connection.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(send_bursts, range(4)))
