"""A site in processes of its own, and what a service manager does for it: whatever ends it, it is started again."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import redis

from tests.helpers import until
from tests.machines import free_ports
from voteweb.core.config import Settings
from voteweb.store import Store, open_store

SECRET = "for tests only, and long enough"
WORKERS = 2


class Site:
    """``voteweb run`` on the data of *folder* or the database at *url*; *words* go before the command."""

    def __init__(self, folder: Path, url: str = "", words: tuple[str, ...] = (), **env: str) -> None:
        self.folder, self.url, self._data = folder, url, folder
        (self.port,) = free_ports(1)
        self._words = words
        self._env = env | {"VOTEWEB_SECRET_KEY": SECRET, "VOTEWEB_LIMITS": "0"}
        if url:
            self._env["VOTEWEB_REDIS_URL"] = url
        self.settings = Settings(redis_url=url or f"unix://{folder}/database.sock", secret_key=SECRET)
        self._log = folder.parent / f"{folder.name}-{self.port}.log"
        self._over = threading.Event()
        self._manager = threading.Thread(target=self._manage)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Site":
        self._manager.start()
        until(self.answers, patience=60)
        return self

    def _manage(self) -> None:
        """Start the site and start it again, a moment later, whenever it ends; what is left of it ends first."""
        while not self._over.is_set():
            with self._log.open("ab") as log:
                options = ["--port", str(self.port), "--workers", str(WORKERS)]
                options += [] if self.url else ["--data", str(self._data)]
                self._process = subprocess.Popen(
                    [*self._words, sys.executable, "-m", "voteweb.cli", "run", *options],
                    stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                    env={**os.environ, **self._env},
                )  # fmt: skip
            self._process.wait()
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._over.wait(0.1)

    def look_from(self, folder: Path) -> None:
        """See the data directory at *folder* from now on: the site has it in a place of its own."""
        self.folder = folder
        self.settings = replace(self.settings, redis_url=f"unix://{folder}/database.sock")

    def stop(self) -> None:
        """Stop the site as Ctrl-C does, and the database with it, if that is its own."""
        self._over.set()
        if self._process:
            self._process.send_signal(signal.SIGINT)
        self._manager.join()
        self._log.unlink(missing_ok=True)

    @property
    def log(self) -> str:
        """What the site has said."""
        return self._log.read_text()

    def get(self, path: str, timeout: float = 20.0) -> tuple[int, dict[str, str]]:
        """Return the status and the headers of a page."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            return answer.status, dict(answer.getheaders())

    def answers(self) -> bool:
        """Tell whether the site is there and has its database."""
        with suppress(OSError, http.client.HTTPException):
            return self.get("/healthz", timeout=2.0)[0] == 200
        return False

    def master(self) -> int:
        """Return the process that started all others of the web server."""
        assert self._process
        return self._process.pid

    def workers(self) -> list[int]:
        """Return the web server's worker processes."""
        shown = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.master())], capture_output=True, text=True)
        return [int(pid) for pid in shown.stdout.split()]

    def database(self) -> int:
        """Return the process of the embedded database."""
        with redis.Redis(unix_socket_path=str(self.folder / "database.sock")) as client:
            return int(client.info("server")["process_id"])

    def has_database(self) -> bool:
        """Tell whether anybody listens at the embedded database's socket."""
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(str(self.folder / "database.sock"))
            return True
        return False


@contextmanager
def opened(site: Site) -> Iterator[Store]:
    """Yield a store on the site's database."""
    store = open_store(site.settings)
    try:
        yield store
    finally:
        store.connection.close()
