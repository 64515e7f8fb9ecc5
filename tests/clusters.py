"""A Redis or Valkey cluster of real processes: three primaries with a third of the slots each, and a replica of each.

They have the file deploy/redis/redis.conf.
"""

import shutil
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from tests.certificates import LocalTls
from tests.helpers import free_ports, needs, short_folder, until
from tests.machines import REDIS, RedisProcess

PRIMARIES = 3
#: What differs from the file: other primaries serve their slots while one is away, replicas sync and are named at once.
OPTIONS = (
    *("--cluster-enabled", "yes", "--cluster-require-full-coverage", "no"),
    *("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"),
)
#: With TLS a node tells this name in place of its address; redis-py would use the address of "localhost" after all.
NAME = "node.internal"
NAMED = ("--cluster-announce-hostname", NAME, "--cluster-preferred-endpoint-type", "hostname")
#: Milliseconds for which a node that starts or wakes up waits before it serves; it is the node timeout, if shorter.
START_TIMEOUT = 500
#: The row of a node in the reply of CLUSTER NODES: its id, flags, slots and so on.
Row = dict[str, Any]


class Node(RedisProcess):
    """A server of a cluster, with the id by which the others know it."""

    def __init__(self, folder: Path, port: int, bus_port: int, tls: LocalTls | None) -> None:
        super().__init__(folder, port, tls)
        self.bus_port = bus_port
        self.id = ""
        self.is_paused = False

    def start(self, *arguments: str) -> None:
        options = (*OPTIONS, "--cluster-port", str(self.bus_port), *arguments)
        if self.tls:
            (self.folder / "tls.conf").write_text(self.tls.server_lines())
            options = ("--include", "tls.conf", *NAMED, *options)
        super().start(str(REDIS / "redis.conf"), *options)
        self.id = self.command("CLUSTER MYID")

    def command(self, *arguments: Any) -> Any:
        """Run a raw command on this node."""
        return self.client.execute_command(*arguments)

    def pause(self) -> None:
        """Stop the process, which keeps its connections, until it is resumed."""
        self.signal(signal.SIGSTOP)
        self.is_paused = True

    def resume(self) -> None:
        self.signal(signal.SIGCONT)
        self.is_paused = False

    def view(self) -> dict[str, Row]:
        """Return what this node knows of each node, by their ids; nothing if it does not answer."""
        with suppress(redis.RedisError):
            return {row["node_id"]: row for row in self.command("CLUSTER NODES").values()}
        return {}

    def is_complete(self) -> bool:
        """Tell whether the cluster works in this node's view, and its own replication does."""
        with suppress(redis.RedisError):
            replication = self.client.info("replication")
            if replication["role"] == "slave":
                return replication["master_link_status"] == "up" and replication["slave_repl_offset"] > 0
            return self.command("CLUSTER INFO")["cluster_state"] == "ok" and replication["connected_slaves"] == 1
        return False


class Cluster:
    """The nodes of one cluster; ``url`` names all of them for voteweb.

    With *tls* they speak nothing else, and say that they are at NAME, which the test must look up.
    """

    def __init__(self, folder: Path, *, node_timeout: float, tls: LocalTls | None) -> None:
        ports = free_ports(4 * PRIMARIES)
        self.nodes = [
            Node(folder / f"node{port}", port, bus_port, tls)
            for port, bus_port in zip(ports[::2], ports[1::2], strict=True)
        ]
        scheme, host = ("rediss+cluster", NAME) if tls else ("redis+cluster", "127.0.0.1")
        self.url = f"{scheme}://{','.join(f'{host}:{node.port}' for node in self.nodes)}/"
        self._node_timeout = int(node_timeout * 1000)

    def start(self) -> None:
        for node in self.nodes:
            node.start("--cluster-node-timeout", str(START_TIMEOUT))
        primaries, replicas = self.nodes[:PRIMARIES], self.nodes[PRIMARIES:]
        for number, node in enumerate(self.nodes, 1):
            node.command("CLUSTER SET-CONFIG-EPOCH", number)
        for number, node in enumerate(primaries):
            first, end = (at * REDIS_CLUSTER_HASH_SLOTS // PRIMARIES for at in (number, number + 1))
            node.command("CLUSTER ADDSLOTSRANGE", first, end - 1)
        for node in self.nodes[1:]:
            node.command("CLUSTER MEET", "127.0.0.1", self.nodes[0].port, self.nodes[0].bus_port)
        until(lambda: all(len(node.view()) == len(self.nodes) for node in self.nodes))
        for primary, replica in zip(primaries, replicas, strict=True):
            replica.command("CLUSTER REPLICATE", primary.id)
        self.wait_until_ready()
        for node in self.nodes:
            node.client.config_set("cluster-node-timeout", self._node_timeout)

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()

    def recover(self) -> None:
        """Start dead nodes again, and return when each primary has its replica, in the view of all."""
        for node in self.nodes:
            if not node.is_running():
                node.start("--cluster-node-timeout", str(self._node_timeout))
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Return when all nodes run, know the same, and each primary has its replica."""
        until(lambda: all(node.is_complete() for node in self.nodes) and self._agrees())

    def _agrees(self) -> bool:
        return len({_summary(node.view()) for node in self.nodes}) == 1

    def _answering(self) -> Iterable[Node]:
        return (node for node in self.nodes if node.is_running() and not node.is_paused)

    def owner(self, key: str) -> Node:
        """Return the primary that has the slot of *key*: of those that claim it, the one whose claim is the newest."""
        slot = key_slot(key.encode())
        claims: list[tuple[int, str]] = []
        for node in self._answering():
            claims += ((int(row["epoch"]), id) for id, row in node.view().items() if _has_slot(row, slot))
        _, newest = max(claims)
        return next(node for node in self.nodes if node.id == newest)

    def replica(self, key: str) -> Node:
        """Return the replica of the primary that has the slot of *key*."""
        owner = self.owner(key)
        rows = owner.view()
        return next(node for node in self.nodes if rows[node.id]["master_id"] == owner.id)

    def others(self, key: str) -> list[Node]:
        """Return the primaries that do not have the slot of *key*."""
        owner = self.owner(key)
        return [
            node
            for node in self.nodes
            if node is not owner and "master" in (flags := owner.view()[node.id]["flags"]) and "fail" not in flags
        ]

    def fail_over(self, key: str) -> None:
        """Make the replica of the slot of *key* the primary by hand, and return when all nodes know."""
        replica = self.replica(key)
        replica.command("CLUSTER FAILOVER")
        self._wait_for_owner(key, replica)

    def move(self, key: str, target: Node, *, batch: int = 100) -> None:
        """Move the slot of *key* to the primary *target* as ``redis-cli --cluster reshard`` does."""
        self.begin_move(key, target)
        self.complete_move(key, target, batch=batch)

    def begin_move(self, key: str, target: Node) -> None:
        """Declare that the slot of *key* moves to *target*: keys that its owner lacks are asked for there."""
        slot, source = key_slot(key.encode()), self.owner(key)
        target.command("CLUSTER SETSLOT", slot, "IMPORTING", source.id)
        source.command("CLUSTER SETSLOT", slot, "MIGRATING", target.id)

    def move_keys(self, key: str, target: Node, count: int) -> int:
        """Move up to *count* keys of the slot of *key* to *target*; return how many there were."""
        source = self.owner(key)
        keys = source.command("CLUSTER GETKEYSINSLOT", key_slot(key.encode()), count)
        if keys:
            source.command("MIGRATE", "127.0.0.1", target.port, "", 0, 60_000, "KEYS", *keys)
        return len(keys)

    def complete_move(self, key: str, target: Node, *, batch: int = 100) -> None:
        """Move the keys that are left, then give the slot of *key* to *target*; return when all nodes know."""
        while self.move_keys(key, target, batch):
            pass
        slot, source = key_slot(key.encode()), self.owner(key)
        for node in (target, source):
            node.command("CLUSTER SETSLOT", slot, "NODE", target.id)
        self._wait_for_owner(key, target)

    def _wait_for_owner(self, key: str, owner: Node) -> None:
        slot = key_slot(key.encode())
        until(
            lambda: all(
                [id for id, row in node.view().items() if _has_slot(row, slot)] == [owner.id]
                for node in self._answering()
            ),
        )


def _has_slot(row: Row, slot: int) -> bool:
    return any(int(limits[0]) <= slot <= int(limits[-1]) for limits in row["slots"])


def _summary(view: dict[str, Row]) -> str:
    """Return who has which slots, and who replicates whom, in the view of a node that everybody else answers."""
    rows = ((id, row["flags"].replace("myself,", ""), row["master_id"], row["slots"]) for id, row in view.items())
    return str(sorted(rows))


@contextmanager
def cluster(*, node_timeout: float = 2.0, tls: LocalTls | None = None) -> Iterator[Cluster]:
    """Yield a cluster whose primaries are replaced after *node_timeout* seconds."""
    needs(shutil.which("redis-server"), "a redis-server on PATH")
    with short_folder() as folder:
        nodes = Cluster(folder, node_timeout=node_timeout, tls=tls)
        try:
            nodes.start()
            yield nodes
        finally:
            nodes.stop()
