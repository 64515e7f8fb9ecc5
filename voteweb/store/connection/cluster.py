"""Redis Cluster: the URL of a cluster, and the pool of connections to the node that has the site's slot.

All keys of a site are in one slot, so that its commands go over one pool to one node, as under Sentinel.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import redis
from redis.crc import key_slot
from redis.exceptions import AskError, MovedError

from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.connection.pool import Pool
from voteweb.store.connection.sentinel import IDLE_CHECK_SECONDS, parse_host
from voteweb.store.connection.slot_nodes import Address, SlotNodes
from voteweb.store.connection.tls import is_tls
from voteweb.store.connection.transport import replies_to, send
from voteweb.store.keys import Keys

#: The schemes of a cluster's URL, without and with TLS.
SCHEMES = ("redis+cluster", "rediss+cluster")
#: The port of a node whose address names none.
DEFAULT_PORT = 6_379


class ClusterUrl(NamedTuple):
    """Some nodes of the cluster, and the credentials for all."""

    nodes: tuple[Address, ...]
    credentials: dict[str, str | None]


def parse(url: str) -> ClusterUrl:
    """Parse ``redis+cluster://[user:password@]host[:port],host[:port],…[/][0]``, or ``rediss+cluster``.

    Raises ValueError. A cluster has no database but 0.
    """
    parts = urlsplit(url)
    credentials, _, hosts = parts.netloc.rpartition("@")
    user, _, password = credentials.partition(":")
    options = parse_qs(parts.query, strict_parsing=bool(parts.query))
    if not hosts or parts.path not in ("", "/", "/0") or options not in ({}, {"db": ["0"]}):
        raise ValueError("hosts are missing, or there is more than hosts")
    return ClusterUrl(
        nodes=tuple(parse_host(host, DEFAULT_PORT) for host in hosts.split(",")),
        credentials={"username": unquote(user) or None, "password": unquote(password) or None},
    )


class SlotConnection(redis.Connection):
    """A connection to the primary of a slot."""

    def __init__(self, *, nodes: SlotNodes, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        self._nodes = nodes
        self.has_moved = False

    def connect_check_health(self, check_health: bool = True, retry_socket_connect: bool = True) -> None:
        """Connect to the primary, unless there is a connection.

        It may take no longer for its greeting than for accepting: one that is silent leaves time for another.
        """
        if self.is_connected:
            return
        self.has_moved = False
        command_timeout, self.socket_timeout = self.socket_timeout, self.socket_connect_timeout
        try:
            self.host, self.port = self._nodes.primary()
            super().connect_check_health(check_health, retry_socket_connect)
        finally:
            self.socket_timeout = command_timeout
        self.update_current_socket_timeout(command_timeout)

    def read_response(self, *arguments: Any, **options: Any) -> Any:
        """Return the next reply; note where the slot is when the node says that it has it no longer."""
        try:
            return super().read_response(*arguments, **options)
        except MovedError as error:
            self.has_moved = True
            self._nodes.follow(error, self.host)
            raise


class SlotTlsConnection(SlotConnection, redis.SSLConnection):
    """A connection with TLS."""


class SlotPool(Pool):
    """Connections to the primary of a slot."""

    def __init__(self, nodes: SlotNodes, **options: Any) -> None:
        self._nodes = nodes
        super().__init__(nodes=nodes, **options)

    def release(self, connection: Any) -> None:
        """Take back a connection; one whose node has the slot no longer looks for another node."""
        if connection.has_moved:
            connection.disconnect()
        super().release(connection)

    def disconnect(self, inuse_connections: bool = True) -> None:
        """Disconnect all connections, or those that nobody uses."""
        super().disconnect(inuse_connections)
        if inuse_connections:
            self._nodes.close()

    def ask(self, error: AskError, commands: Sequence[Command]) -> list[Any]:
        """Return the replies to *commands*, which were answered with *error*, of the node that it names.

        Raises *error* if one reads more keys than the node knows of: it would take those on the way for missing.
        """
        if any(map(scripts.builds_keys, commands)):
            raise error
        client = self._nodes.client_of(error)
        asking = [sent for command in commands for sent in (("ASKING",), command)]
        replies = replies_to(client, asking)[1::2]
        if any(isinstance(reply, redis.exceptions.NoScriptError) for reply in replies):
            send(client, [("SCRIPT", "LOAD", source) for source in scripts.sources().values()])
            replies = replies_to(client, asking)[1::2]
        return replies


def primary(url: str, options: dict[str, Any], *, keys: Keys, attempt_seconds: float) -> redis.Redis:
    """Return a client of the primary that has *keys* in the cluster at *url*; nothing is sent yet.

    *options* are those of every client. A look-up or the way to a node may take *attempt_seconds*, so that another can
    be tried in time. Raises ValueError.
    """
    parsed = parse(url)
    common = options | parsed.credentials | {"socket_connect_timeout": attempt_seconds}
    slot = key_slot(keys.prefix.encode())
    short = common | {"socket_timeout": attempt_seconds, "ssl": is_tls(url)}
    nodes = SlotNodes(parsed.nodes, slot, short, seconds=attempt_seconds)
    connection_class = SlotTlsConnection if is_tls(url) else SlotConnection
    # A primary that hung and was replaced accepts writes after it wakes, until it has heard of its successor.
    pinged = common | {"health_check_interval": IDLE_CHECK_SECONDS}
    return redis.Redis.from_pool(SlotPool(nodes, connection_class=connection_class, **pinged))
