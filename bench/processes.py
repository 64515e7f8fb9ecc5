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

from bench.machine import cores, on_core
from bench.settings import HOST, ROOT, SECRET
from voteweb.cli.run import free_address
from voteweb.core.config import Settings
from voteweb.embedded.database import open_database
from voteweb.embedded.engines import MIN_VERSION, Engine, record_engine

#: Seconds that a server is given to answer: a million articles may be looked through before.
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Server:
    """A web server that runs: where it answers, and the process that started its worker."""

    origin: str
    pid: int

    def busy(self) -> float:
        """Return the seconds of processor time that it and its worker have had so far, all threads together."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        tasks = (task for pid in (self.pid, *children) for task in Path(f"/proc/{pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def embedded(folder: Path, engine: str) -> Iterator[str]:
    """Yield the address of a database in *folder*, with the options that ``voteweb run`` gives its own.

    A new folder gets one of this *engine*: "valkey" (the bundled one) or "redis" (of the system).
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "engine.json").exists():
        record_engine(folder, Engine(engine, MIN_VERSION, folder))
    with on_core(cores()[1]), open_database(Settings(data_dir=str(folder))) as found:
        yield found.redis_url


@contextmanager
def copied(folder: Path, to: Path, engine: str) -> Iterator[str]:
    """Yield the address of a database on a copy of *folder*, which goes with it."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)
    try:
        with embedded(to, engine) as url:
            yield url
    finally:
        shutil.rmtree(to, ignore_errors=True)


def environment(url: str = "", **more: str) -> dict[str, str]:
    """Return the environment of a process that runs this checkout: no setting but the database at *url* and *more*."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VOTEWEB_")}
    mine = {"PYTHONPATH": str(ROOT), "VOTEWEB_SECRET_KEY": SECRET, "VOTEWEB_REDIS_URL": url}
    # What is asked for each vote is part of its cost; that a few members vote for thousands is not to be refused.
    return kept | mine | {"VOTEWEB_LIMITS": "1000000"} | more


@contextmanager
def site(url: str, log: Path, **settings: str) -> Iterator[Server]:
    """Yield a voteweb on the database at *url*, started by its own command with one worker."""
    port = free_address(HOST, 0)[1]
    words = ["voteweb.cli", "run", "--host", HOST, "--port", str(port), "--workers", "1"]
    with _served(words, environment(url, **settings), port, log) as server:
        yield server


@contextmanager
def app(target: str, log: Path, **variables: str) -> Iterator[Server]:
    """Yield a server of the app that *target* makes, on the same server with the same options."""
    port = free_address(HOST, 0)[1]
    with _served(["bench.serve", target, str(port)], environment(**variables), port, log) as server:
        yield server


@contextmanager
def _served(words: Sequence[str], env: Mapping[str, str], port: int, log: Path) -> Iterator[Server]:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as told, on_core(cores()[0]):
        process = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=ROOT, env=env, stdout=told, stderr=subprocess.STDOUT
        )
    try:
        _await(process, port, log)
        yield Server(f"http://{HOST}:{port}", process.pid)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _await(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError(f"A server did not start: {log.read_text().strip()}")
