"""A site under a supervisor, such as systemd: however it ends, it is started again."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import redis

from tests.helpers import free_ports, is_listening, until
from tests.site_process import SECRET, Site, start_voteweb
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store

WORKERS = 2


class SupervisedSite(Site):
    """``voteweb run`` on the embedded database in *folder* or the database at *url*, started by ``prefix``."""

    def __init__(self, folder: Path, url: str = "", prefix: tuple[str, ...] = (), **env: str) -> None:
        self.folder, self.url = folder, url
        self.address = "127.0.0.1", free_ports(1)[0]
        self.settings = Settings(
            redis_url=url or f"unix://{folder}/database.sock",
            site=env.get("VOTEWEB_SITE", ""),
            secret_key=SECRET["VOTEWEB_SECRET_KEY"],
        )
        self._prefix = prefix
        self._options = ["--port", self.address[1], "--workers", WORKERS, *([] if url else ["--data", folder])]
        self._env = env | SECRET | {"VOTEWEB_LIMITS": "0"} | ({"VOTEWEB_REDIS_URL": url} if url else {})
        self._log = folder.parent / f"{folder.name}-{self.address[1]}.log"
        self._stopped = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise)

    def start(self) -> None:
        self._supervisor.start()
        try:
            until(self.is_healthy)
        except BaseException:
            print(self.log)  # pytest shows it
            raise

    def stop(self) -> None:
        """Stop the site as Ctrl-C does, and the embedded database with it."""
        self._stopped.set()
        self.process.send_signal(signal.SIGINT)
        self._supervisor.join()
        self._log.unlink(missing_ok=True)

    def _supervise(self) -> None:
        """Start the site, and whenever it ends kill what is left of it and start it again, a moment later."""
        while not self._stopped.is_set():
            with self._log.open("ab") as log:
                self.process = start_voteweb(
                    "run", *self._options, prefix=self._prefix, env=self._env,
                    stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip
            self.process.wait()
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self._stopped.wait(0.1)

    @property
    def log(self) -> str:
        """The output of the site so far."""
        return self._log.read_text()

    def use_socket_in(self, folder: Path) -> None:
        """Reach the embedded database through *folder*, where the data directory is visible to this process."""
        self.folder = folder
        self.settings = replace(self.settings, redis_url=f"unix://{folder}/database.sock")

    def database_pid(self) -> int:
        """Return the process id of the embedded database."""
        with redis.Redis(unix_socket_path=str(self.folder / "database.sock")) as client:
            return int(client.info("server")["process_id"])

    def has_database(self) -> bool:
        """Tell whether the embedded database is running."""
        return is_listening(self.folder / "database.sock")

    @contextmanager
    def open_store(self) -> Iterator[Store]:
        """Yield a store on the site's database."""
        store = open_store(self.settings)
        try:
            yield store
        finally:
            store.connection.close()


@contextmanager
def running(site: SupervisedSite) -> Iterator[SupervisedSite]:
    """Run *site* until the block ends."""
    try:
        site.start()
        yield site
    finally:
        site.stop()
