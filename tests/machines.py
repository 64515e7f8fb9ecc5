"""The three machines of docs/grow.md: a primary and two replicas, a Sentinel beside each.

They are real processes, with the files of deploy/redis/.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.certificates import LocalTls
from tests.deploy.files import with_replacements
from tests.helpers import free_ports, needs, short_folder, until

#: The name of the primary in the configuration of the Sentinels.
PRIMARY_NAME = "voteweb"
REDIS = Path(__file__).parents[1] / "deploy" / "redis"
#: Seconds for which a primary without replicas takes votes, as in the file.
(MAX_LAG,) = map(
    float, re.findall(r"^min-replicas-max-lag (\d+)$", (REDIS / "replicated.conf").read_text(), re.MULTILINE)
)
#: What differs from the file here: no passwords, and a sync begins at once instead of waiting for more replicas.
DIFFERENCES = ("--requirepass", "", "--masterauth", "", "--repl-diskless-sync-delay", "0")


class RedisProcess:
    """A ``redis-server`` or a Sentinel; it keeps its port and its folder when it is started again."""

    def __init__(self, folder: Path, port: int, tls: LocalTls | None = None, *, program: str = "redis-server") -> None:
        self.folder, self.port, self._program = folder, port, program
        self.folder.mkdir()
        self.process: subprocess.Popen[bytes] | None = None
        self.tls = tls
        options: dict[str, Any] = tls.client_options() if tls else {}
        self.client = redis.Redis(
            port=port, decode_responses=True, socket_timeout=2.0, retry=Retry(NoBackoff(), 0), protocol=3, **options
        )

    def start(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [self._program, *arguments, *self._addresses(), "--logfile", "log"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
        )
        until(self.is_up)

    def _addresses(self) -> Sequence[str]:
        if self.tls:  # servers that look up localhost may get either address
            return "--port", "0", "--tls-port", str(self.port), "--bind", "127.0.0.1", "-::1"
        return "--port", str(self.port), "--bind", "127.0.0.1"

    def is_up(self) -> bool:
        with suppress(redis.RedisError):
            return bool(self.client.ping())
        return False

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        assert self.process
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
        self.client.close()


class Server(RedisProcess):
    """A database server of the site."""

    def start(self, *arguments: str) -> None:
        # A copy: when the primary changes, Sentinel makes each server write into its file.
        shutil.copy(REDIS / "replicated.conf", self.folder)
        if self.tls:
            with open(self.folder / "replicated.conf", "a", encoding="utf-8") as file:
                file.write(f"replica-announce-ip localhost\n{self.tls.server_lines()}")
        super().start("replicated.conf", *DIFFERENCES, *arguments)

    def replicate(self, port: int) -> None:
        """Become a replica of the server at *port*, and return when all data have arrived."""
        self.client.replicaof("localhost" if self.tls else "127.0.0.1", port)
        until(self.is_replica)

    def is_primary(self) -> bool:
        return self._role()[0] == "master"

    def is_replica(self, primary: "Server | None" = None) -> bool:
        """Tell whether it is an up-to-date replica of *primary*, or of any server."""
        role, *details = self._role()
        if role != "slave":
            return False
        _, port, state, _ = details
        return state == "connected" and (primary is None or port == primary.port)

    def _role(self) -> list[Any]:
        with suppress(redis.RedisError):
            return list(self.client.role())
        return [""]


class Machines:
    """The three machines; ``url`` is the setting with which voteweb finds the primary.

    With *tls* all speak only TLS, and tell their name, localhost, in place of the address.
    """

    def __init__(self, folder: Path, *, down_after: float, tls: LocalTls | None = None) -> None:
        ports = free_ports(6)
        self.servers = [Server(folder / f"server{port}", port, tls) for port in ports[:3]]
        self.sentinels = [RedisProcess(folder / f"sentinel{port}", port, tls) for port in ports[3:]]
        scheme, self._host = ("rediss+sentinel", "localhost") if tls else ("redis+sentinel", "127.0.0.1")
        self.url = f"{scheme}://{','.join(f'{self._host}:{port}' for port in ports[3:])}/{PRIMARY_NAME}"
        self._down_after, self._tls = down_after, tls

    def start(self) -> None:
        for server in self.servers:
            server.start()
        primary, *replicas = self.servers
        for replica in replicas:
            replica.replicate(primary.port)
        for sentinel in self.sentinels:
            (sentinel.folder / "sentinel.conf").write_text(self._sentinel_file(primary.port))
            sentinel.start("sentinel.conf", "--sentinel")
        until(self.is_ready)

    def _sentinel_file(self, port: int) -> str:
        """Return the file of a Sentinel, with the port of the primary and times for tests."""
        replacements = {
            "10.0.0.1 6379 2": f"{self._host} {port} 2",
            f"sentinel auth-pass {PRIMARY_NAME} replace-this-password\n": "",
            f"milliseconds {PRIMARY_NAME} 5000": f"milliseconds {PRIMARY_NAME} {self._down_after * 1000:.0f}",
            f"timeout {PRIMARY_NAME} 10000": f"timeout {PRIMARY_NAME} 5000",
            f"syncs {PRIMARY_NAME} 1": f"syncs {PRIMARY_NAME} 2",
        }
        text = with_replacements((REDIS / "sentinel.conf").read_text(), replacements)
        names = "sentinel resolve-hostnames yes\nsentinel announce-hostnames yes\n"
        return f"{self._tls.server_lines()}{names}{text}" if self._tls else text

    def stop(self) -> None:
        for process in (*self.sentinels, *self.servers):
            process.kill()

    def is_ready(self) -> bool:
        """Tell whether every Sentinel knows the others, and both replicas are up to date."""
        return all(self._is_complete(sentinel) for sentinel in self.sentinels) and all(
            replica.is_replica() for replica in self.replicas()
        )

    def _is_complete(self, sentinel: RedisProcess) -> bool:
        with suppress(redis.RedisError):
            state: Any = sentinel.client.sentinel_master(PRIMARY_NAME)
            replicas = sentinel.client.sentinel_slaves(PRIMARY_NAME)
            return (
                (state["num-other-sentinels"], state["flags"]) == (2, {"master"})
                and len(replicas) == 2
                and all(replica["flags"] == {"slave"} and replica["master-link-status"] == "ok" for replica in replicas)
            )
        return False

    def primary(self) -> Server:
        """Return the server that the Sentinel with the newest configuration names: another may not have heard of it."""
        named: dict[int, int] = {}
        for sentinel in self.sentinels:
            with suppress(redis.RedisError):
                state: Any = sentinel.client.sentinel_master(PRIMARY_NAME)
                _, port = sentinel.client.sentinel_get_master_addr_by_name(PRIMARY_NAME)
                named[state["config-epoch"]] = int(port)
        return next(server for server in self.servers if server.port == named[max(named)])

    def replicas(self) -> list[Server]:
        primary = self.primary()
        return [server for server in self.servers if server is not primary]

    def recover(self) -> None:
        """Start dead servers again, and return when Sentinel has made two of the three up-to-date replicas.

        By default Sentinel takes ten seconds to see that the old primary is back, and ten more to reconfigure it.
        """
        for server in self.servers:
            if not server.is_running():
                server.start()
        self._set_periods(info=500, publish=250)
        until(self.is_ready)
        self._set_periods(info=10_000, publish=2_000)

    def _set_periods(self, *, info: int, publish: int) -> None:
        """Set how often the Sentinels ask the servers and announce themselves, in milliseconds."""
        for sentinel in self.sentinels:
            sentinel.client.execute_command("SENTINEL", "DEBUG", "info-period", info, "publish-period", publish)


@contextmanager
def machines(*, down_after: float, tls: LocalTls | None = None) -> Iterator[Machines]:
    """Yield three machines whose primary is replaced when it has been silent for *down_after* seconds."""
    needs(shutil.which("redis-server"), "a redis-server on PATH")
    with short_folder() as folder:
        deployment = Machines(folder, down_after=down_after, tls=tls)
        try:
            deployment.start()
            yield deployment
        finally:
            deployment.stop()
