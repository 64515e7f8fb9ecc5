"""Servers of the embedded database as tests see them, and other processes that use them."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.helpers import PATIENCE, needs, short_folder
from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.embedded.engines import Engine, record_engine
from voteweb.embedded.server import is_running

#: Opens the database of a folder after a line of input, prints the server's process id, and ends with its input.
#: It asks without redis-py, which takes longer to import than all the rest. With a second argument it has a child.
USER_PROGRAM = """
import os, re, signal, socket, sys
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
sys.stdin.readline()
with open_database(Settings(data_dir=sys.argv[1])) as settings:
    if sys.argv[2:]:
        ready, begun = os.pipe()
        if not os.fork():
            os.write(begun, b".")
            signal.pause()
            os._exit(0)
        os.read(ready, 1)  # the child runs
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(settings.redis_url.removeprefix("unix://"))
        client.sendall(b"INFO server\\r\\n")
        print(int(re.search(rb"process_id:([0-9]+)", client.recv(65536))[1]), flush=True)
    sys.stdin.read()
"""


@contextmanager
def data_folder(engine: str = "") -> Iterator[Path]:
    """Yield a data directory of *engine*, or a new one; a server that a test left running is stopped in the end."""
    if engine == "redis":
        needs(shutil.which("redis-server"), "a redis-server on PATH")
    with short_folder() as folder:
        if engine:
            record_engine(folder, Engine(engine, (7, 0, 0), Path()))
        try:
            yield folder
        finally:
            if is_running(folder):
                with suppress(ConfigError), use(folder):
                    pass


@contextmanager
def use(folder: Path) -> Iterator[Settings]:
    with open_database(Settings(data_dir=str(folder))) as settings:
        yield settings


@contextmanager
def connect(folder: Path, timeout: float = PATIENCE) -> Iterator[redis.Redis]:
    """Yield a client of the server of *folder* that waits *timeout* seconds for an answer and does not try again."""
    path, never = str(folder / "database.sock"), Retry(NoBackoff(), 0)
    with redis.Redis(unix_socket_path=path, socket_timeout=timeout, retry=never) as client:
        yield client


def is_up(folder: Path) -> bool:
    with connect(folder) as client:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False


def server_pid(url: str) -> int:
    with redis.Redis.from_url(url) as client:
        return int(client.info("server")["process_id"])


class UserProcess:
    """Another process, in a process group of its own, that uses the database of a folder."""

    def __init__(self, folder: Path, *, forks: bool = False) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER_PROGRAM, str(folder), *["fork"] * forks],
            stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True,
        )  # fmt: skip
        assert self.process.stdin
        assert self.process.stdout
        self._stdin, self._stdout = self.process.stdin, self.process.stdout

    def open(self) -> None:
        """Make the process open the database."""
        self._stdin.write("open\n")
        self._stdin.flush()

    def server_pid(self) -> int:
        """Return the server's process id, as soon as the process uses it."""
        return int(self._stdout.readline())

    def leave(self) -> None:
        """Make the process end, and return when it has."""
        self.process.communicate(timeout=PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def waiting_process(folder: Path, *, forks: bool = False) -> Iterator[UserProcess]:
    """Yield a process that opens the database of *folder* when it is told to."""
    user = UserProcess(folder, forks=forks)
    try:
        yield user
    finally:
        with suppress(ProcessLookupError):
            os.killpg(user.process.pid, signal.SIGKILL)
        user.process.communicate()


@contextmanager
def using_process(folder: Path, *, forks: bool = False) -> Iterator[UserProcess]:
    """Yield a process that opens the database of *folder*, and has a child if it *forks*."""
    with waiting_process(folder, forks=forks) as user:
        user.open()
        yield user
