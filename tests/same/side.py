"""One of the two sites: its own database with a fixed clock, its app, its commands and its keys."""

import os
import pickle
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

import redis

from tests.same.keys import StoredKey, read_dumps, write_dumps

HERE = Path(__file__).parent
#: The unix time at which the site of the table is built.
START = 1_800_000_000
SECRET = "for tests only, and long enough"
#: Real seconds for which a server may start.
PATIENCE = 60.0
SETTINGS = {
    "VOTEWEB_SECRET_KEY": SECRET, "VOTEWEB_SITE_URL": "http://localhost", "VOTEWEB_LOG": "off",
    "VOTEWEB_MAIL_URL": "smtp://localhost:9", "VOTEWEB_MAIL_FROM": "news@news.example", "VOTEWEB_REDIS_DEADLINE": "60",
}  # fmt: skip


class Answer(NamedTuple):
    """The answer to one request."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """Return the first header of this name, "" without one."""
        return next((value for given, value in self.headers if given.lower() == name.lower()), "")


class Connection:
    """A connection to an app of its own, which began without anything cached."""

    def __init__(self, side: "Side") -> None:
        self._side = side
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(side.folder / "app.sock"))
        self._stream = self._socket.makefile("rwb")
        self._asked = 0

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes, address: str) -> Answer:
        """Send a request and return its answer."""
        path, _, query = url.partition("#")[0].partition("?")
        environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()} | {
            "REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query, "SERVER_NAME": "localhost", "SERVER_PORT": "80", "HTTP_HOST": "localhost",
            "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": address, "wsgi.url_scheme": "http",
        }  # fmt: skip
        if method == "POST":
            environ |= {"CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": str(len(body))}
        self._asked += 1
        pickle.dump((f"{self._side.now:.6f} {self._asked}", environ, body), self._stream)
        self._stream.flush()
        return Answer(*pickle.load(self._stream))

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


class Side:
    """The site of the checkout at *source*, with its files in *folder*."""

    def __init__(self, source: Path, folder: Path, library: Path) -> None:
        self.source, self.folder = source.resolve(), folder
        folder.mkdir(parents=True)
        self.now = float(START)
        self._clock = folder / "clock"
        self.wait(0)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("VOTEWEB_")} | {
            **SETTINGS, "LD_PRELOAD": str(library), "SAME_CLOCK": str(self._clock), "PYTHONHASHSEED": "0", "TZ": "UTC",
            # Pages show these: they are spelled the same on both sides, whose programs run in their folder.
            "VOTEWEB_REDIS_URL": "unix:///proc/self/cwd/redis.sock", "VOTEWEB_DATA_DIR": "/proc/self/cwd/data",
        }  # fmt: skip
        self._processes = [self._start_database()]
        self._app: subprocess.Popen[bytes] | None = None

    def wait(self, seconds: float) -> None:
        """Move the clock of all that belongs to the site."""
        self.set_clock(self.now + seconds)

    def set_clock(self, now: float) -> None:
        self.now = now
        if not self._clock.exists():
            self._clock.write_bytes(bytes(8))
        with self._clock.open("r+b") as stream:
            stream.write(struct.pack("q", round(now * 1e6)))

    def _start_database(self) -> "subprocess.Popen[bytes]":
        options = "--port 0 --unixsocket redis.sock --appendonly no --daemonize no --enable-debug-command local".split()
        process = subprocess.Popen(
            ["redis-server", *options, "--save", "", "--logfile", "redis.log"], cwd=self.folder, env=self.environment
        )
        self.client = _connect(self.folder / "redis.sock")
        _wait_for(self.folder / "redis.sock", process)
        self.client.execute_command("DEBUG", "SET-ACTIVE-EXPIRE", "0")  # no key vanishes at a time of its own
        return process

    @property
    def python(self) -> list[str]:
        return [str(self.source / ".venv/bin/python")]

    def serve(self, **settings: str) -> None:
        """Start the app with these *settings* in place of another that was started before."""
        self.end_app()
        path = self.folder / "app.sock"
        path.unlink(missing_ok=True)
        command = [*self.python, str(HERE / "driver.py"), "serve", str(path)]
        with (self.folder / "app.log").open("ab") as log:
            self._app = subprocess.Popen(command, cwd=self.folder, env=self.environment | settings, stderr=log)
        _wait_for(path, self._app)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Yield a connection to a new app."""
        connection = Connection(self)
        try:
            yield connection
        except EOFError:
            sys.stderr.write((self.folder / "app.log").read_text()[-3000:])
            raise
        finally:
            connection.close()

    def run(self, *arguments: object, **settings: str) -> "subprocess.CompletedProcess[str]":
        """Run the command ``voteweb`` with *arguments*."""
        program = [str(HERE / "driver.py"), "run", str(self.source / ".venv/bin/voteweb")]
        return self._run(*program, *map(str, arguments), **settings)

    def run_module(self, module: Path, *arguments: object, **settings: str) -> str:
        """Run a program of the tool in the checkout, with its packages; return its output."""
        settings = {"PYTHONPATH": str(self.source)} | settings
        result = self._run(str(module), *map(str, arguments), **settings)
        if result.returncode:
            raise RuntimeError(f"{module.name} failed in {self.source}:\n{result.stderr[-3000:]}")
        return result.stdout

    def _run(self, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        command, env = [*self.python, *arguments], self.environment | settings
        return subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=400)

    def index(self) -> None:
        """Bring the search up to date: the jobs, which do so, wait for the database's clock to move."""
        self.run_module(HERE / "index.py")

    def dump(self) -> list[StoredKey]:
        return read_dumps(self.client)

    def load(self, dumps: list[StoredKey]) -> None:
        write_dumps(self.client, dumps)

    def end_app(self) -> None:
        if self._app:
            self._app.terminate()
            self._app.wait()
            self._app = None

    def end(self) -> None:
        """End all processes of the site and delete its files."""
        self.end_app()
        for process in self._processes:
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder)


def _connect(path: Path) -> Any:
    """Return a client of the database at the socket *path*."""
    return redis.Redis(unix_socket_path=str(path), protocol=3)


def _wait_for(path: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server listens at the socket *path*."""
    for _ in range(int(PATIENCE / 0.05)):
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
            return
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f"the server at {path} ended with {process.returncode}") from None
            time.sleep(0.05)
    raise RuntimeError(f"no server listens at {path}")
