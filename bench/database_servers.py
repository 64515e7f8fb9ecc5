"""Database servers with ports: one alone, or the nodes of a cluster. Both have the options of ``voteweb run``."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS as SLOTS
from redis.crc import key_slot

from bench.constants import HOST
from bench.machine import assigned_cores, on_core
from bench.processes import START_TIMEOUT
from voteweb.cli.run import free_address
from voteweb.embedded.engines import MIN_VERSION, Engine, choose_engine, record_engine
from voteweb.embedded.server import OPTIONS
from voteweb.store.schema.keys import Keys

#: How often a server is started, each time with other ports.
MAX_STARTS = 3
#: Options of the embedded database that a server with a port does not have.
_LOCAL_OPTIONS = {"port", "unixsocketperm", "daemonize"}


@dataclass(frozen=True, slots=True)
class DatabaseServers:
    """The processes of a database and its address, which is VOTEWEB_REDIS_URL."""

    url: str
    ports: tuple[int, ...]
    pids: tuple[int, ...]

    def node_of(self, site: str) -> int:
        """Return the number of the node that has the slot of *site*."""
        return key_slot(Keys.of_site(site).prefix.encode()) * len(self.ports) // SLOTS

    def site_on(self, node: int) -> str:
        """Return the name of a site whose slot the node with this number has."""
        return next(name for number in range(SLOTS) if self.node_of(name := f"site{number}") == node)


@contextmanager
def single_server(folder: Path, engine: str) -> Iterator[DatabaseServers]:
    """Run one server, "valkey" (the bundled one) or "redis" (the system's), with its data in *folder*."""
    with ExitStack() as stack:
        port, pid = _start(stack, folder, engine)
        yield DatabaseServers(f"redis://{HOST}:{port}/0", (port,), (pid,))


@contextmanager
def cluster(folder: Path, engine: str, nodes: int) -> Iterator[DatabaseServers]:
    """Run a cluster of so many *nodes*, each with as many slots and without a replica, as :func:`single_server` does.

    Raises RuntimeError when they do not find each other.
    """
    with ExitStack() as stack:
        servers = [_start(stack, folder / str(node), engine, is_node=True) for node in range(nodes)]
        ports, pids = zip(*servers, strict=True)
        clients: list[Any] = [stack.enter_context(redis.Redis(HOST, port, decode_responses=True)) for port in ports]
        for node, client in enumerate(clients):
            # The first slot of a node is the lowest that node_of() gives to it.
            first, end = (-(-SLOTS * number // nodes) for number in (node, node + 1))
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, end - 1)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", node + 1)
            bus = client.config_get("cluster-port")["cluster-port"]
            clients[0].execute_command("CLUSTER MEET", HOST, ports[node], bus)
        deadline = time.monotonic() + START_TIMEOUT
        while not all(_is_complete(client, nodes) for client in clients):
            if time.monotonic() > deadline:
                raise RuntimeError("The nodes of the cluster do not find each other.")
            time.sleep(0.05)
        addresses = ",".join(f"{HOST}:{port}" for port in ports)
        yield DatabaseServers(f"redis+cluster://{addresses}/", ports, pids)


def _is_complete(client: Any, nodes: int) -> bool:
    state = client.execute_command("CLUSTER INFO")
    return bool(state["cluster_state"] == "ok" and int(state["cluster_known_nodes"]) == nodes)


def _start(stack: ExitStack, folder: Path, engine: str, *, is_node: bool = False) -> tuple[int, int]:
    """Start a server, which ends with *stack*, and return its port and its process; raise RuntimeError."""
    folder.mkdir(parents=True, exist_ok=True)
    record_engine(folder, Engine(engine, MIN_VERSION, folder))
    options = {name: value for name, value in OPTIONS.items() if name not in _LOCAL_OPTIONS}
    options |= {"bind": HOST, "dir": str(folder), "logfile": str(folder / "server.log")}
    for _ in range(MAX_STARTS):
        port, bus = (free_address(HOST, 0)[1] for _ in range(2))
        ports = {"port": str(port), **({"cluster-enabled": "yes", "cluster-port": str(bus)} if is_node else {})}
        arguments = [argument for name, value in (options | ports).items() for argument in (f"--{name}", value)]
        with on_core(assigned_cores()[0]):
            process = subprocess.Popen([choose_engine(folder).path, *arguments], stdin=subprocess.DEVNULL)
        stack.callback(process.wait, START_TIMEOUT)
        stack.callback(process.terminate)
        if _is_ready(port, process):
            return port, process.pid
    raise RuntimeError(f"A database server did not start: {folder / 'server.log'} says why.")


def _is_ready(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the server answers and tell whether it does, which another program that took its port prevents."""
    deadline = time.monotonic() + START_TIMEOUT
    with redis.Redis(HOST, port) as client:
        while time.monotonic() < deadline and process.poll() is None:
            try:
                return bool(client.ping())
            except redis.ConnectionError:  # also while it loads its data
                time.sleep(0.02)
    return False
