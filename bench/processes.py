"""The processes of a run: databases and web servers, each on its core, all ended with the run."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from bench.constants import HOST, ROOT, SECRET
from bench.machine import cpu_seconds, on_server_core
from voteweb.cli.run import bind
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.embedded.engines import MIN_VERSION, Engine, record_engine

#: Seconds until a server must accept connections: it may check a million articles before.
START_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class Server:
    """A running web server; *pid* is the process that started its worker, *database_pid* is 0 if it uses none."""

    origin: str
    pid: int
    database_pid: int

    def cpu_seconds(self) -> float:
        """Return the processor time that it, its worker and its database have used so far, in all threads together."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return cpu_seconds(self.pid, *map(int, workers), *([self.database_pid] if self.database_pid else []))


@contextmanager
def embedded_database(folder: Path) -> Iterator[str]:
    """Run the bundled database in *folder* with the options of ``voteweb run`` and yield its address."""
    folder.mkdir(0o700, parents=True, exist_ok=True)
    if not (folder / "engine.json").exists():
        record_engine(folder, Engine("valkey", MIN_VERSION, folder))
    with on_server_core(), open_database(Settings(data_dir=str(folder))) as settings:
        yield settings.redis_url


@contextmanager
def scratch_database(folder: Path, source: Path | None = None) -> Iterator[str]:
    """Run a database in the new *folder*, empty or on a copy of *source*, yield its address, and delete the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    if source:
        shutil.copytree(source, folder)
    try:
        with embedded_database(folder) as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(url: str = "", **variables: str) -> dict[str, str]:
    """Return the environment for a process of this checkout on the database at *url*, without other settings.

    Without search: indexing a large site takes minutes, in which nothing else could be measured.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("VOTEWEB_")}
    # Rate limits are checked, since that is part of what a vote costs, but a few members vote thousands of times.
    limits = {"VOTEWEB_LIMITS": "1000000"}
    settings = {"PYTHONPATH": str(ROOT), "VOTEWEB_SECRET_KEY": SECRET, "VOTEWEB_REDIS_URL": url, "VOTEWEB_SEARCH": "0"}
    return inherited | settings | limits | variables


def serve_site(url: str, log: Path, **settings: str) -> AbstractContextManager[Server]:
    """Run voteweb on the database at *url* by its own command, with one worker."""
    port = _free_port()
    arguments = ["voteweb.cli", "run", "--host", HOST, "--port", str(port), "--workers", "1"]
    return _serve(arguments, environment(url, **settings), port, log, url)


def _free_port() -> int:
    with bind(HOST, 0) as bound:
        return int(bound.getsockname()[1])


def serve_baseline(factory: str, log: Path, *threads: str, **variables: str) -> AbstractContextManager[Server]:
    """Run the app that *factory* of bench/baselines.py creates on the web server of voteweb with the same options.

    Or with another number of *threads*.
    """
    port = _free_port()
    return _serve(["bench.baselines", factory, str(port), *threads], environment(**variables), port, log)


@contextmanager
def _serve(arguments: Sequence[str], env: Mapping[str, str], port: int, log: Path, url: str = "") -> Iterator[Server]:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output, on_server_core():
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments], cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_connectable(process, port, log)
        database_pid = redis.Redis.from_url(url).info("server")["process_id"] if url else 0
        yield Server(f"http://{HOST}:{port}", process.pid, database_pid)
    finally:
        process.terminate()
        process.wait(START_TIMEOUT)


def _wait_until_connectable(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError(f"A server did not start: {log.read_text().strip()}")
