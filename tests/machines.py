"""Three machines as README has them: a primary, two replicas, and a Sentinel beside each, all real processes."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.helpers import needs, until

NAME = "voteweb"
#: What README sets on every server; syncs begin at once instead of waiting for more replicas to come.
OPTIONS = {
    "appendonly": "yes",
    "save": "",
    "hash-max-listpack-value": "512",
    "set-max-intset-entries": "8192",
    "min-replicas-to-write": "1",
    "min-replicas-max-lag": "10",
    "repl-diskless-sync-delay": "0",
}


class Process:
    """A server or a Sentinel, which keeps its port and its folder when it is started again."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.folder.mkdir()
        self.process: subprocess.Popen[bytes] | None = None
        self.client = redis.Redis(
            port=port, decode_responses=True, socket_timeout=2.0, retry=Retry(NoBackoff(), 0), protocol=3
        )

    def start(self, *words: str) -> None:
        self.process = subprocess.Popen(
            ["redis-server", *words, "--port", str(self.port), "--bind", "127.0.0.1", "--logfile", "log"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
        )
        until(self.is_up, patience=30)

    def is_up(self) -> bool:
        with suppress(redis.RedisError):
            return bool(self.client.ping())
        return False

    def signal(self, number: signal.Signals) -> None:
        assert self.process
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
        self.client.close()


class Server(Process):
    """A Redis with its data."""

    def start(self, *words: str) -> None:
        set_up = [word for name, value in OPTIONS.items() for word in (f"--{name}", value)]
        super().start(*set_up, *words)

    def follow(self, port: int) -> None:
        """Become a replica of the server at *port*, and return when it has all."""
        self.client.replicaof("127.0.0.1", port)
        until(self.follows, patience=30)

    def leads(self) -> bool:
        """Tell whether it is a primary."""
        return self._role()[0] == "master"

    def follows(self, primary: "Server | None" = None) -> bool:
        """Tell whether it has all of this *primary*, or of any."""
        role = self._role()
        return role[0] == "slave" and role[3] == "connected" and (primary is None or role[2] == primary.port)

    def _role(self) -> list[Any]:
        with suppress(redis.RedisError):
            return list(self.client.role())
        return [""]


class Machines:
    """The three of them; ``url`` is how voteweb finds its way."""

    def __init__(self, folder: Path, *, down_after: float) -> None:
        ports = free_ports(6)
        self.servers = [Server(folder / f"server{port}", port) for port in ports[:3]]
        self.sentinels = [Process(folder / f"sentinel{port}", port) for port in ports[3:]]
        self.url = f"redis+sentinel://{','.join(f'127.0.0.1:{port}' for port in ports[3:])}/{NAME}"
        self._down_after = down_after

    def start(self) -> None:
        for server in self.servers:
            server.start()
        primary, *replicas = self.servers
        for replica in replicas:
            replica.follow(primary.port)
        for sentinel in self.sentinels:
            (sentinel.folder / "sentinel.conf").write_text(
                f"sentinel monitor {NAME} 127.0.0.1 {primary.port} 2\n"
                f"sentinel down-after-milliseconds {NAME} {self._down_after * 1000:.0f}\n"
                f"sentinel failover-timeout {NAME} 5000\n"
                f"sentinel parallel-syncs {NAME} 2\n"
            )
            sentinel.start("sentinel.conf", "--sentinel")
        until(self.is_ready, patience=60)

    def stop(self) -> None:
        for each in (*self.sentinels, *self.servers):
            each.kill()

    def is_ready(self) -> bool:
        """Tell whether every Sentinel knows the others, and both replicas in their place and up to date."""
        return all(self._is_complete(sentinel) for sentinel in self.sentinels) and all(
            server.follows() for server in self.servers if server is not self.primary()
        )

    def _is_complete(self, sentinel: Process) -> bool:
        with suppress(redis.RedisError):
            state: Any = sentinel.client.sentinel_master(NAME)
            replicas = sentinel.client.sentinel_slaves(NAME)
            return (
                (state["num-other-sentinels"], state["flags"]) == (2, {"master"})
                and len(replicas) == 2
                and all(each["flags"] == {"slave"} and each["master-link-status"] == "ok" for each in replicas)
            )
        return False

    def primary(self) -> Server:
        """Return the primary of which the Sentinels tell."""
        for sentinel in self.sentinels:
            with suppress(redis.RedisError):
                _, port = sentinel.client.sentinel_get_master_addr_by_name(NAME)
                return next(server for server in self.servers if server.port == int(port))
        raise AssertionError("no Sentinel answers")

    def replicas(self) -> list[Server]:
        primary = self.primary()
        return [server for server in self.servers if server is not primary]

    def heal(self) -> None:
        """Start again whatever is dead, and return when Sentinel has put everything in its place.

        Left alone it takes ten seconds to see that the old primary is back, and ten more to say that it follows.
        """
        for server in self.servers:
            if server.process is None or server.process.poll() is not None:
                server.start()
        self._hurry(info=500, publish=250)
        until(self.is_ready, patience=60)
        self._hurry(info=10_000, publish=2_000)

    def _hurry(self, *, info: int, publish: int) -> None:
        for sentinel in self.sentinels:
            sentinel.client.execute_command("SENTINEL", "DEBUG", "info-period", info, "publish-period", publish)


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens at."""
    with ExitStack() as held:
        taken = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in taken:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in taken]


@contextmanager
def machines(*, down_after: float) -> Iterator[Machines]:
    """Yield three machines whose primary is given up *down_after* seconds after it fell silent."""
    needs(shutil.which("redis-server"), "a redis-server on PATH")
    folder = Path(tempfile.mkdtemp(prefix="vw-", dir="/tmp"))
    found = Machines(folder, down_after=down_after)
    try:
        found.start()
        yield found
    finally:
        found.stop()
        shutil.rmtree(folder, ignore_errors=True)
