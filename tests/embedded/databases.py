"""What tests of the embedded database share: its folders, its process, and other processes that use it."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.helpers import needs
from voteweb.embedded import database
from voteweb.embedded.server import stop

#: Another process that uses the database of a folder: it waits for a word, tells the server's number, and
#: leaves when its input ends.
OTHER = """
import sys, redis
from voteweb.config import Settings
from voteweb.embedded import database
sys.stdin.readline()
with database(Settings(data_dir=sys.argv[1])) as found:
    with redis.Redis.from_url(found.redis_url) as client:
        print(client.info("server")["process_id"], flush=True)
    sys.stdin.read()
"""


@contextmanager
def short_folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="vw-", dir="/tmp"))
    try:
        yield path
    finally:
        with suppress(Exception):
            stop(path, database._socket_path(path))
        shutil.rmtree(path, ignore_errors=True)


def record(folder: Path, engine: str, version: str) -> None:
    (folder / "engine.json").write_text(json.dumps({"engine": engine, "version": version}))


def server_number(url: str) -> int:
    """Return the process of the server at *url*."""
    with redis.Redis.from_url(url) as client:
        return int(client.info("server")["process_id"])


def is_up(folder: Path) -> bool:
    with redis.Redis(unix_socket_path=str(folder / "database.sock"), retry=Retry(NoBackoff(), 0)) as client:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False


@contextmanager
def other(folder: Path, *, go: bool = True) -> Iterator[subprocess.Popen[str]]:
    """Run another process on *folder*, in a process group of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        if go:
            say_go(process)
        yield process
    finally:
        process.kill()
        process.communicate()


def say_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def told(process: subprocess.Popen[str]) -> int:
    """Return the server's number as *process* tells it."""
    assert process.stdout is not None
    return int(process.stdout.readline())


def leave(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=20)


@contextmanager
def folder_of(engine: str) -> Iterator[Path]:
    """Yield a data directory of this *engine*, with a short path; whatever serves it is stopped in the end."""
    if engine == "redis":
        needs(shutil.which("redis-server"), "a redis-server on PATH")
    with short_folder() as path:
        record(path, engine, "7.0.0")
        yield path
