"""The command line on the flushed test server, in this process or in one of its own."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.pausable_proxy import PausableProxy
from voteweb.cli.main import voteweb
from voteweb.core.config import Settings
from voteweb.store import Store

Invoke = Callable[..., Result]
Spawn = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of whoever runs the tests reaches them."""
    for name in list(os.environ):
        if name.startswith("VOTEWEB_") and name != "VOTEWEB_TEST_NO_SKIP":
            monkeypatch.delenv(name)


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch, settings: Settings, store: Store) -> Invoke:
    """A way to run a command in this process, on the database of the fixture ``store``."""
    monkeypatch.setenv("VOTEWEB_REDIS_URL", settings.redis_url)

    def run(*words: object, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(voteweb, [str(word) for word in words], input=input, prog_name="voteweb")

    return run


@pytest.fixture
def spawn() -> Spawn:
    """A way to run a command in a process of its own."""

    def run(*words: object, input: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "voteweb.cli", *map(str, words)],
            input=input,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **env},
        )

    return run


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory with a short path, as sockets need."""
    path = Path(tempfile.mkdtemp(prefix="vw-", dir="/tmp"))
    yield path
    with suppress(OSError), socket.socket(socket.AF_UNIX) as left_over:  # of a test that failed
        left_over.connect(str(path / "database.sock"))
        left_over.sendall(b"SHUTDOWN NOSAVE\r\n")
        left_over.recv(1)
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def door(folder: Path, server_url: str) -> Iterator[PausableProxy]:
    """A door to the test server's database."""
    door = PausableProxy(folder / "door.sock", server_url.removeprefix("unix://"))
    yield door
    door.close()
