"""Redis Cluster: its URL, and the pool of connections to the node that has the site's slot.

All keys of a site are in one slot, so that its commands go over one pool to one node, as under Sentinel. While the slot
moves, neither node has all keys, and commands fail at once. Of redis-py's cluster support nothing is used: its pipeline
takes four times as long as ours, and its look-up of the nodes asks one silent node after the other without a limit.
"""

import random
import threading
import time
from collections import deque
from collections.abc import Collection
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import redis
from redis.crc import key_slot
from redis.exceptions import MovedError

from voteweb.store.connection.sentinel import IDLE_CHECK_SECONDS, Address, parse_hosts
from voteweb.store.connection.tls import is_tls
from voteweb.store.connection.transport import Pool
from voteweb.store.schema.keys import Keys

#: The schemes of a cluster's URL, without and with TLS.
SCHEMES = ("redis+cluster", "rediss+cluster")
#: The port of a node whose address names none.
DEFAULT_PORT = 6_379
#: Nodes that one look-up asks at most: with each silent, it still ends in time.
ASKED_NODES = 2
#: Seconds for which a look-up holds, also one that failed: more than the pause between two attempts.
LOOK_UP_SECONDS = 0.1


class ClusterUrl(NamedTuple):
    """Some nodes of the cluster, and the credentials for all."""

    nodes: tuple[Address, ...]
    credentials: dict[str, str | None]


def parse(url: str) -> ClusterUrl:
    """Parse ``redis+cluster://[user:password@]host[:port],host[:port],…[/][0]``, or ``rediss+cluster``.

    Raises ValueError. A cluster has no database but 0.
    """
    parts = urlsplit(url)
    options = parse_qs(parts.query, strict_parsing=bool(parts.query))
    if parts.path not in ("", "/", "/0") or options not in ({}, {"db": ["0"]}):
        raise ValueError("there is more than hosts")
    return ClusterUrl(*parse_hosts(parts.netloc, DEFAULT_PORT))


class SlotOwner:
    """Which node of a cluster has one slot; thread-safe.

    Nothing is contacted before the address is asked for. *options* are those of a client of one node.
    """

    def __init__(self, addresses: Collection[Address], slot: int, options: dict[str, Any]) -> None:
        self._addresses = addresses
        self._slot = slot
        self._options = options
        self._lock = threading.Lock()
        self._found: Address | redis.RedisError = redis.ConnectionError("no node was asked")
        self._valid_until = 0.0
        self._remember(addresses)

    def _remember(self, known: Collection[Address]) -> None:
        """Ask the *known* nodes from now on; after them those of the URL, as others may have replaced all of these.

        Any may be the first: one that is cut off from the others tells what was.
        """
        others = [address for address in self._addresses if address not in known]
        self._to_ask = deque(random.sample([*known], len(known)) + others)  # nosec B311

    def address(self) -> Address:
        """Return the address of the node; raise RedisError when no node tells it in time."""
        with self._lock:
            if time.monotonic() >= self._valid_until:
                self._found = self._look_up()
                self._valid_until = time.monotonic() + LOOK_UP_SECONDS
            if isinstance(self._found, redis.RedisError):
                raise type(self._found)(str(self._found))
            return self._found

    def _look_up(self) -> Address | redis.RedisError:
        """Return the address of the node, or why none of those that were asked tells it."""
        problem: redis.RedisError = redis.ConnectionError("no node has the slot")
        for _ in range(min(ASKED_NODES, len(self._to_ask))):
            host, port = self._to_ask[0]
            self._to_ask.rotate(-1)
            try:
                with redis.Redis(host, port, **self._options) as client:
                    ranges = client.execute_command("CLUSTER SLOTS")
            except redis.RedisError as error:
                problem = error
                continue
            # A node without an address is on the host that was asked.
            nodes = {(first, last): [(row[0] or host, row[1]) for row in rows] for first, last, *rows in ranges}
            for (first, last), (primary, *_) in nodes.items():
                if first <= self._slot <= last:
                    self._remember({address for addresses in nodes.values() for address in addresses})
                    return primary
        return problem

    def follow(self, error: MovedError) -> None:
        """Take the node that *error* names for the owner: nodes that are asked next may not know it yet."""
        with self._lock:
            self._found = error.host, error.port
            self._valid_until = time.monotonic() + LOOK_UP_SECONDS if error.host else 0.0


class SlotConnection(redis.Connection):
    """A connection to the node that has a slot."""

    def __init__(self, *, owner: SlotOwner, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        self._owner = owner

    def connect_check_health(self, check_health: bool = True, retry_socket_connect: bool = True) -> None:
        """Connect to the node, unless there is a connection.

        It may take no longer for its greeting than for accepting: one that is silent leaves time for another.
        """
        if self.is_connected:
            return
        command_timeout, self.socket_timeout = self.socket_timeout, self.socket_connect_timeout
        try:
            self.host, self.port = self._owner.address()
            super().connect_check_health(check_health, retry_socket_connect)
        finally:
            self.socket_timeout = command_timeout
        self.update_current_socket_timeout(command_timeout)


class SlotTlsConnection(SlotConnection, redis.SSLConnection):
    """A connection with TLS."""


class SlotPool(Pool):
    """Connections to the node that has a slot."""

    def __init__(self, owner: SlotOwner, **options: Any) -> None:
        self._owner = owner
        super().__init__(owner=owner, **options)

    def follow(self, error: MovedError) -> None:
        """Connect to the node that *error* names from now on."""
        self._owner.follow(error)
        self.disconnect(inuse_connections=False)


def primary(url: str, options: dict[str, Any], *, keys: Keys, attempt_seconds: float) -> redis.Redis:
    """Return a client of the primary that has *keys* in the cluster at *url*; nothing is sent yet.

    *options* are those of every client. A look-up or the way to a node may take *attempt_seconds*, so that another can
    be tried in time. Raises ValueError.
    """
    parsed = parse(url)
    common = options | parsed.credentials
    seconds = attempt_seconds / ASKED_NODES
    look_up = common | {"socket_timeout": seconds, "socket_connect_timeout": seconds, "ssl": is_tls(url)}
    owner = SlotOwner(parsed.nodes, key_slot(keys.prefix.encode()), look_up)
    # A primary that hung and was replaced accepts writes after it wakes, until it has heard of its successor.
    common |= {"socket_connect_timeout": attempt_seconds, "health_check_interval": IDLE_CHECK_SECONDS}
    connection_class = SlotTlsConnection if is_tls(url) else SlotConnection
    return redis.Redis.from_pool(SlotPool(owner, connection_class=connection_class, **common))
