"""The processes of a run: databases and web servers, each on its core, all ended with the run."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.constants import DATABASE_URL, HOST, ROOT, SECRET
from bench.machine import assigned_cores, on_core
from voteweb.cli.run import free_address
from voteweb.core.config import Settings
from voteweb.embedded.database import open_database
from voteweb.embedded.engines import MIN_VERSION, Engine, record_engine
from voteweb.store import open_store

#: Seconds until a server must accept connections: it may check a million articles before.
START_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class Server:
    """A running web server; *pid* is the process that started its worker, *database_pid* is 0 if it uses none."""

    origin: str
    pid: int
    database_pid: int = 0

    def cpu_seconds(self) -> float:
        """Return the processor time that it, its worker and its database have used so far, in all threads together."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return cpu_seconds(self.pid, *map(int, workers), *([self.database_pid] if self.database_pid else []))


def cpu_seconds(*pids: int) -> float:
    """Return the processor time that these processes have used so far, in all threads together."""
    tasks = (task for pid in pids for task in Path(f"/proc/{pid}/task").iterdir())
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def embedded_database(folder: Path, engine: str) -> Iterator[str]:
    """Run the database in *folder* with the options of ``voteweb run`` and yield its address.

    In a new folder, *engine* is "valkey" (the bundled one) or "redis" (the system's).
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "engine.json").exists():
        record_engine(folder, Engine(engine, MIN_VERSION, folder))
    with on_core(assigned_cores()[0]), open_database(Settings(data_dir=str(folder))) as settings:
        yield settings.redis_url


@contextmanager
def database_copy(source: Path, copy: Path, engine: str) -> Iterator[str]:
    """Run a database on a copy of the folder *source*, yield its address, and delete the copy."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy)
    try:
        with embedded_database(copy, engine) as url:
            yield url
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def environment(url: str = "", **variables: str) -> dict[str, str]:
    """Return the environment for a process of this checkout on the database at *url*, without other settings.

    Without search: indexing a large site takes minutes, in which nothing else could be measured.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("VOTEWEB_")}
    # Rate limits are checked, since that is part of what a vote costs, but a few members vote thousands of times.
    limits = {"VOTEWEB_LIMITS": "1000000"}
    settings = {"PYTHONPATH": str(ROOT), "VOTEWEB_SECRET_KEY": SECRET, "VOTEWEB_REDIS_URL": url, "VOTEWEB_SEARCH": "0"}
    return inherited | settings | limits | variables


@contextmanager
def serve_site(url: str, log: Path, **settings: str) -> Iterator[Server]:
    """Run voteweb on the database at *url* by its own command, with one worker."""
    port = free_address(HOST, 0)[1]
    arguments = ["voteweb.cli", "run", "--host", HOST, "--port", str(port), "--workers", "1"]
    database = Settings(redis_url=url, site=settings.get("VOTEWEB_SITE", ""))
    with _serve(arguments, environment(url, **settings), port, log, database) as server:
        yield server


@contextmanager
def serve_app(target: str, log: Path, **variables: str) -> Iterator[Server]:
    """Run the app that *target* creates on the web server of voteweb with the same options."""
    port, database = free_address(HOST, 0)[1], Settings(redis_url=variables.get(DATABASE_URL, ""))
    with _serve(["bench.apps.wsgi_server", target, str(port)], environment(**variables), port, log, database) as server:
        yield server


@contextmanager
def run_jobs(url: str, log: Path, **settings: str) -> Iterator[None]:
    """Run the background process of the site on the database at *url*."""
    log.parent.mkdir(parents=True, exist_ok=True)
    arguments = [sys.executable, "-m", "voteweb.cli", "jobs"]
    with log.open("w") as output, on_core(assigned_cores()[0]):
        process = subprocess.Popen(
            arguments, cwd=ROOT, env=environment(url, **settings), stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(START_TIMEOUT)


@contextmanager
def _serve(
    arguments: Sequence[str], env: Mapping[str, str], port: int, log: Path, database: Settings
) -> Iterator[Server]:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output, on_core(assigned_cores()[0]):
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments], cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_connectable(process, port, log)
        yield Server(f"http://{HOST}:{port}", process.pid, _database_pid(database))
    finally:
        process.terminate()
        process.wait(START_TIMEOUT)


def _database_pid(settings: Settings) -> int:
    """Return the process that has the data of the site, of a cluster the node with its slot; 0 without a database."""
    if not settings.redis_url:
        return 0
    with open_store(settings).connection.client as client:
        return int(client.info("server")["process_id"])


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
