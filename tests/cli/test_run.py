"""``voteweb run`` in a process of its own: what it prints, serves, keeps, refuses and leaves behind."""

import errno
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from tests.helpers import PATIENCE, is_listening, until
from tests.site_process import SECRET, StartSite, start_voteweb
from voteweb.cli.run import bind, default_workers, unexpected_exit_filter
from voteweb.core import passwords
from voteweb.core.errors import ConfigError
from voteweb.core.models import Role
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store

SOCKET = "database.sock"
SAMPLE_LINK = re.compile(r"https://[a-z]+\.example/[^\"]*")


def test_a_sample_site_is_the_same_after_kill_and_restart(
    start_site: StartSite, folder: Path, invoke_alone: Invoke
) -> None:
    site = start_site("--sample", "--data", str(folder))
    front = site.get("/")
    assert front.status == 200
    os.kill(site.process.pid, signal.SIGKILL)
    until(lambda: not site.is_healthy())
    assert invoke_alone("doctor", "--data", folder).stdout.startswith("The data are consistent: 60 articles")
    assert not is_listening(folder / SOCKET)

    again = start_site("--sample", "--data", str(folder))
    assert re.fullmatch(
        r'There is no admin yet: "voteweb user create NAME --role admin --data [^\n]+\nvoteweb is at [^\n]+\n',
        again.greeting,
    )
    assert SAMPLE_LINK.findall(front.body)
    assert sorted(SAMPLE_LINK.findall(again.get("/").body)) == sorted(SAMPLE_LINK.findall(front.body))
    name, password = re.findall(r"^  (?:name|password) +(\S+)$", site.greeting, re.MULTILINE)
    with open_database(Settings(data_dir=str(folder))) as settings:
        store = open_store(settings)
        assert passwords.verify(store.users.get(name).password, password)
        store.connection.close()
    assert again.stop(signal.SIGINT) == (0, f"voteweb has stopped; its data are in {folder}.\n", "")
    assert not is_listening(folder / SOCKET)


@pytest.mark.heavy
def test_warnings_are_printed_at_the_start_and_in_health(start_site: StartSite, store: Store, server_url: str) -> None:
    factories.user(store, "boss", Role.ADMIN)
    store.connection.client.set("session:x", "another program's")
    site = start_site(VOTEWEB_REDIS_URL=server_url, VOTEWEB_SITE_URL="https://news.example", **SECRET)
    assert site.greeting.startswith("voteweb is at "), "where there is an admin, none is asked for"
    answer = site.get("/healthz")
    health = json.loads(answer.body)
    assert (answer.status, health["status"]) == (200, "degraded")
    assert site.stop().stderr.splitlines() == [f"Warning: {reason}" for reason in health["reasons"]]


@pytest.mark.heavy
def test_an_interrupted_start_stops_the_database(folder: Path) -> None:
    process = start_voteweb("run", "--port", 0, "--data", folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until(lambda: is_listening(folder / SOCKET))
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE)[1] == ""
    assert process.returncode in (0, 130)
    assert not is_listening(folder / SOCKET)


@pytest.mark.heavy
def test_a_database_that_starts_late_is_waited_for(folder: Path) -> None:
    path = folder / SOCKET
    with socket.socket(socket.AF_UNIX) as refusing:
        refusing.bind(str(path))
        refusing.listen()
        refusing.settimeout(PATIENCE)
        env = SECRET | {"VOTEWEB_REDIS_URL": f"unix://{path}"}
        process = start_voteweb("run", "--port", 0, "--workers", 1, env=env, stdout=subprocess.PIPE)
        for _ in range(3):
            refusing.accept()[0].close()
    assert process.poll() is None
    assert process.stdout
    with open_database(Settings(data_dir=str(folder))), process.stdout:
        assert "admin" in process.stdout.readline()
        assert "voteweb is at" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


def test_a_port_in_use_is_refused_before_a_database_starts(invoke_alone: Invoke, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as server:
        port = server.getsockname()[1]
        result = invoke_alone("run", "--port", port, "--data", folder)
    assert error_line(result).startswith(f"Cannot listen at 127.0.0.1 port {port}: Address already in use. ")
    assert f"VOTEWEB_PORT={port + 1} make run" in error_line(result)
    assert result.stdout == ""
    assert list(folder.iterdir()) == []


def test_a_machine_with_ipv6_alone_is_told_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ipv6Socket(socket.socket):
        def bind(self, address: Any) -> None:
            if self.family == socket.AF_INET:
                raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")

        def getsockname(self) -> Any:
            return "::1", 8000

    monkeypatch.setattr(socket, "socket", Ipv6Socket)
    with pytest.raises(ConfigError, match="VOTEWEB_HOST=::1 make run, or --host ::1"):
        bind("127.0.0.1", 8000)


def test_a_further_process_refuses_the_embedded_database(invoke_alone: Invoke, folder: Path) -> None:
    result = invoke_alone("run", "--port", 0, "--data", folder, "--further")
    assert error_line(result).startswith("A further process of the site needs a Redis or Valkey server, VOTEWEB_REDIS")
    assert list(folder.iterdir()) == []


def test_another_programs_database_and_a_missing_secret_key_are_refused(invoke: Invoke, store: Store) -> None:
    assert "VOTEWEB_SECRET_KEY" in error_line(invoke("run", "--port", 0))
    store.connection.client.rpush("user:", "x")
    assert "belongs to another program" in error_line(invoke("run", "--port", 0, **SECRET))


@pytest.mark.heavy
def test_sites_on_one_embedded_database_keep_files_of_their_own(start_site: StartSite, folder: Path) -> None:
    sites = {name: start_site("--data", str(folder), VOTEWEB_SITE=name) for name in ("baking", "cooking")}
    for name, site in sites.items():
        assert json.loads(site.get("/healthz").body)["site"] == name
        until(lambda name=name: list((folder / f"search-{name}").glob("current-*")))
    assert not (folder / "search").exists()
    assert sites["baking"].stop().status == 0
    assert sites["cooking"].get("/").status == 200
    assert sites["cooking"].stop().status == 0


#: Handles SIGTERM, forks a child and sends it the signal at once, and then to itself.
FORK = """
import os, signal
from voteweb.cli.run import exit_on_early_sigterm
received = []
signal.signal(signal.SIGTERM, lambda *_: received.append("SIGTERM"))
exit_on_early_sigterm()
child = os.fork()
while not child:
    signal.pause()
os.kill(child, signal.SIGTERM)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
os.kill(os.getpid(), signal.SIGTERM)
print(status, *received)
"""
UNEXPECTED_EXIT = "Unexpected exit from worker-1"


def test_site_has_a_worker_for_each_core_at_most_two(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, workers in ((1, 1), (8, 2)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: range(cores), raising=False)
        assert default_workers() == workers


@pytest.mark.parametrize(
    ("message", "is_stopping", "expected"),
    [
        (UNEXPECTED_EXIT, False, [UNEXPECTED_EXIT]),
        (UNEXPECTED_EXIT, True, []),
        ("Another message", True, ["Another message"]),
    ],
)
def test_an_exit_is_logged_unless_the_site_stops(
    message: str, is_stopping: bool, expected: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("tests.workers")
    exit_filter = unexpected_exit_filter(lambda: is_stopping, delay=0.01)
    logger.addFilter(exit_filter)
    try:
        logger.error(message)
        until(lambda: not any(isinstance(thread, threading.Timer) for thread in threading.enumerate()))
    finally:
        logger.removeFilter(exit_filter)
    assert [record.getMessage() for record in caplog.records] == expected


def test_a_worker_ends_by_sigterm_while_it_is_forked() -> None:
    run = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == (f"{-signal.SIGTERM} SIGTERM\n", "")
