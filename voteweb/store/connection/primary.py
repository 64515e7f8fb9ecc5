"""The primary of a database under Sentinel or on a cluster: its URL, who tells where it is, and connections to it.

All keys of a site are in one slot of a cluster, so that its commands go over one pool to one node, as under Sentinel.
While the slot moves, neither node has all keys, and commands fail at once. redis-py's own support is not used: its
``Sentinel`` class can lose one of the Sentinels for good when two threads ask at once, its pipeline for clusters takes
four times as long as ours, and its look-up of the nodes asks one silent node after the other without a limit.
"""

import logging
import os
import random
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

import redis
from redis.crc import key_slot
from redis.exceptions import MovedError

from voteweb.store.connection.transport import Pool
from voteweb.store.schema.keys import Keys

_log = logging.getLogger("voteweb")

Address = tuple[str, int]
#: Asks one server, at the address, which is the primary; returns that, and who can be asked next time besides those of
#: the URL. Raises RedisError.
Ask = Callable[[redis.Redis, Address], tuple[Address, Collection[Address]]]

#: The schemes of URLs, without and with TLS, which is spoken to the Sentinels too.
SENTINEL_SCHEMES = ("redis+sentinel", "rediss+sentinel")
CLUSTER_SCHEMES = ("redis+cluster", "rediss+cluster")
#: The port of a Sentinel, and of a node of a cluster, whose address names none.
SENTINEL_PORT, NODE_PORT = 26_379, 6_379
#: Seconds after which an idle connection to the primary is pinged before it is used again.
IDLE_CHECK_SECONDS = 1
#: A silent server may take this share of a look-up, so that another can be asked.
SILENT_SHARE = 0.5
#: Seconds for which a look-up holds, also one that failed: more than the pause between two attempts.
LOOK_UP_SECONDS = 0.1
#: Seconds between two look-ups by the thread that watches: until then writes may go to a primary that was replaced.
WATCH_SECONDS = 1.0
#: The query parameters of a URL with Sentinels.
_OPTIONS = {"db", "sentinel_username", "sentinel_password"}


class PrimaryUrl(NamedTuple):
    """The Sentinels or nodes, the name by which Sentinels know the database, and how to log in to it and to them."""

    addresses: tuple[Address, ...]
    name: str
    options: dict[str, Any]
    look_up_options: dict[str, Any]


def parse(url: str) -> PrimaryUrl:
    """Parse ``redis+sentinel://[user:password@]host[:port],host[:port],…/name[?option=…]``, or with ``cluster``.

    The options are ``db`` (a number) and, for Sentinels that require them, ``sentinel_username`` and
    ``sentinel_password``. A cluster has neither name nor options, and no database but 0. Raises ValueError.
    """
    servers, parts = split_servers(url)
    in_cluster = url.startswith(CLUSTER_SCHEMES)
    credentials, _, hosts = servers.rpartition("@")
    user, _, password = credentials.partition(":")
    login: dict[str, Any] = {"username": unquote(user) or None, "password": unquote(password) or None}
    addresses = tuple(_parse_host(host, NODE_PORT if in_cluster else SENTINEL_PORT) for host in hosts.split(","))
    name = unquote(parts.path.removeprefix("/"))
    options = {key: values[-1] for key, values in parse_qs(parts.query, strict_parsing=bool(parts.query)).items()}
    if in_cluster:
        if name not in ("", "0") or options not in ({}, {"db": "0"}):
            raise ValueError("there is more than hosts")
        return PrimaryUrl(addresses, "", login, login)
    if not name or "/" in name:
        raise ValueError("the name is missing")
    if unknown := options.keys() - _OPTIONS:
        raise ValueError(f"there is no option {', '.join(sorted(unknown))}")
    look_up_login = {"username": options.get("sentinel_username"), "password": options.get("sentinel_password")}
    return PrimaryUrl(addresses, name, login | {"db": int(options.get("db", 0))}, look_up_login)


def split_servers(url: str) -> tuple[str, SplitResult]:
    """Return the credentials and hosts of *url*, and the URL without them.

    ``urlsplit`` refuses a list of hosts with an IPv6 address in it. Raises ValueError.
    """
    scheme, separator, rest = url.partition("://")
    servers, *after = re.split("(?=[/?#])", rest, maxsplit=1)
    return servers, urlsplit("".join((scheme, separator, *after)))


def _parse_host(text: str, default_port: int) -> Address:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError("a host is missing")
    parts.hostname.encode("idna")  # raises a ValueError for a name that no host can have
    return parts.hostname, parts.port or default_port


def ask_sentinel(name: str) -> Ask:
    """Return the question to a Sentinel for the primary of the database *name*."""

    def ask(client: redis.Redis, _: Address) -> tuple[Address, Collection[Address]]:
        try:
            address = cast(Address | None, client.sentinel_get_master_addr_by_name(name))
            state = cast(dict[str, Any], client.sentinel_master(name))
        except (redis.ResponseError, redis.AuthenticationError) as error:  # another may know it, and take us
            raise redis.ConnectionError(str(error)) from None
        is_down = state["is_sdown"] or state["is_odown"] or state["is_disconnected"]
        # While the replicas are being switched to a new primary, the state is still that of the old one.
        if address is None or (is_down and address == (state["ip"], state["port"])):
            raise redis.ConnectionError("the primary is down")
        return address, ()

    return ask


def ask_node(slot: int) -> Ask:
    """Return the question to a node of a cluster for the primary that has a slot."""

    def ask(client: Any, address: Address) -> tuple[Address, Collection[Address]]:
        ranges = client.execute_command("CLUSTER SLOTS")
        # A node without an address is on the host that was asked.
        nodes = {(first, last): [(row[0] or address[0], row[1]) for row in rows] for first, last, *rows in ranges}
        for (first, last), (primary, *_) in nodes.items():
            if first <= slot <= last:
                return primary, {address for addresses in nodes.values() for address in addresses}
        raise redis.ConnectionError("no node has the slot")

    return ask


class Finder:
    """Finds the primary by asking servers, one after the other, until one answers; thread-safe.

    Nothing is sent before the address is asked for. *options* are those of a client of one server. After *seconds* a
    look-up asks no other. Errors begin with *prefix*. ``on_answer`` is called after each look-up that finds the
    ``primary``. If ``is_watching``, a thread of this process looks it up every second, once its address was asked for.
    """

    def __init__(
        self, addresses: Sequence[Address], ask: Ask, options: dict[str, Any], *, seconds: float, prefix: str = ""
    ) -> None:
        self._addresses = addresses
        self._ask = ask
        self._options = options | dict.fromkeys(("socket_timeout", "socket_connect_timeout"), seconds * SILENT_SHARE)
        self._seconds = seconds
        self._prefix = prefix
        self.on_answer: Callable[[], None] = lambda: None
        self.is_watching = False
        #: The process whose thread watches, 0 for none, and what ends that thread.
        self._watcher, self._is_closed = 0, threading.Event()
        self._lock = threading.Lock()
        #: Those that a look-up asks: the server that answered last, or that behind the last that did not, is the first.
        self._to_ask = deque(addresses)
        self.primary: Address = ("", 0)
        self._error: redis.RedisError | None = None
        self._valid_until = 0.0

    def address(self) -> Address:
        """Return the address of the primary; raise RedisError when nobody tells it in time."""
        with self._lock:
            if self.is_watching and self._watcher != os.getpid():
                self._watcher, self._is_closed = os.getpid(), threading.Event()
                threading.Thread(target=self._watch, args=[self._is_closed], daemon=True).start()
            if time.monotonic() >= self._valid_until:
                self._learn(*self._look_up())
            if self._error:
                raise type(self._error)(str(self._error))
            return self.primary

    def _watch(self, is_closed: threading.Event) -> None:
        while not is_closed.wait(WATCH_SECONDS):
            try:
                self.check()
            except Exception:  # an answer as no Sentinel gives it: the next may be right
                _log.exception("Sentinel could not be asked for the primary")

    def check(self) -> None:
        """Look up the primary while nobody waits for it: a failure changes nothing."""
        known_until = self._valid_until
        primary, error = self._look_up()
        with self._lock:
            if not error and known_until == self._valid_until:  # else somebody has learned it since
                self._learn(primary, None)

    def close(self) -> None:
        """End the thread that watches; the next that asks for the address starts another."""
        self._watcher = 0
        self._is_closed.set()

    def _learn(self, primary: Address, error: redis.RedisError | None) -> None:
        """Take what a look-up found for the truth for a moment."""
        self.primary, self._error = primary, error
        self._valid_until = time.monotonic() + LOOK_UP_SECONDS
        if not error:
            self.on_answer()

    def _look_up(self) -> tuple[Address, redis.RedisError | None]:
        """Return the primary, or that of before and why none of those that were asked tells it."""
        until, problems = time.monotonic() + self._seconds, list[redis.RedisError]()
        for address in list(self._to_ask):
            if time.monotonic() >= until:
                break
            try:
                with redis.Redis(*address, **self._options) as client:
                    primary, known = self._ask(client, address)
            except redis.RedisError as error:
                problems.append(error)
                self._to_ask.rotate(-1)
                continue
            if known:
                # After these those of the URL, as others may have replaced all of these. Any may be the first: one that
                # is cut off from the others tells what was.
                others = [address for address in self._addresses if address not in known]
                self._to_ask = deque(random.sample([*known], len(known)) + others)  # nosec B311
            return primary, None
        return self.primary, type(problems[-1])(self._prefix + "; ".join(dict.fromkeys(map(str, problems))))

    def follow(self, error: MovedError) -> None:
        """Take the node that *error* names for the primary: nodes that are asked next may not know it yet."""
        with self._lock:
            self.primary, self._error = (error.host, error.port), None
            self._valid_until = time.monotonic() + LOOK_UP_SECONDS if error.host else 0.0


class PrimaryConnection(redis.Connection):
    """A connection to the primary."""

    def __init__(self, *, finder: Finder, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        self._finder = finder

    def connect_check_health(self, check_health: bool = True, retry_socket_connect: bool = True) -> None:
        """Connect to the primary, unless there is a connection.

        It may take no longer for its greeting than for accepting: one that is silent leaves time for another.
        """
        if self.is_connected:
            return
        command_timeout, self.socket_timeout = self.socket_timeout, self.socket_connect_timeout
        try:
            self.host, self.port = self._finder.address()
            # Without a ping before the greeting, which a server that is busy with a script refuses.
            super().connect_check_health(False, retry_socket_connect)
        finally:
            self.socket_timeout = command_timeout
        self.update_current_socket_timeout(command_timeout)

    def is_elsewhere(self) -> bool:
        """Tell whether it is connected to a server that is the primary no longer."""
        return self.is_connected and (self.host, self.port) != self._finder.primary

    def cut(self) -> None:
        """Make what a thread sends and reads fail as on a connection that the server has closed."""
        if sock := self._sock:
            with suppress(OSError):
                # Of a socket with TLS too, whose own shutdown() would end the encryption first.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


class PrimaryTlsConnection(PrimaryConnection, redis.SSLConnection):
    """A connection with TLS."""


class PrimaryPool(Pool):
    """Connections to the primary."""

    def __init__(self, finder: Finder, **options: Any) -> None:
        super().__init__(finder=finder, **options)
        self._finder = finder
        finder.on_answer = self.drop_others

    def drop_others(self) -> None:
        """End all connections to servers that are the primary no longer, also those that a thread uses."""
        known = [*self._lent, *(idle for idle, _ in [*self._ready])]
        if others := [connection for connection in known if connection.is_elsewhere()]:
            super().disconnect(inuse_connections=False)
        for connection in others:
            connection.cut()

    def disconnect(self, inuse_connections: bool = True) -> None:
        """Disconnect all connections and cease to watch the primary, or disconnect those that nobody uses."""
        if inuse_connections:
            self._finder.close()
        super().disconnect(inuse_connections)

    def follow(self, error: MovedError) -> None:
        """Connect to the node that *error* names from now on."""
        self._finder.follow(error)
        self.disconnect(inuse_connections=False)


def open_client(url: str, options: dict[str, Any], *, keys: Keys, attempt_seconds: float) -> redis.Redis:
    """Return a client of the primary at *url*, on a cluster of that which has *keys*; nothing is sent yet.

    *options* are those of every client. A look-up, or the way to a server, may take *attempt_seconds*, so that another
    can be tried in time. Raises ValueError.
    """
    parsed, with_tls = parse(url), url.startswith("rediss")
    ask = ask_sentinel(parsed.name) if parsed.name else ask_node(key_slot(keys.prefix.encode()))
    prefix = f"no primary for {parsed.name!r}: " if parsed.name else ""
    look_up = options | parsed.look_up_options | {"ssl": with_tls}
    finder = Finder(parsed.addresses, ask, look_up, seconds=attempt_seconds, prefix=prefix)
    finder.is_watching = bool(parsed.name)
    # A primary that hung and was replaced accepts writes after it wakes, until it has heard of its successor.
    pinged = {"socket_connect_timeout": attempt_seconds, "health_check_interval": IDLE_CHECK_SECONDS}
    connection_class = PrimaryTlsConnection if with_tls else PrimaryConnection
    pool = PrimaryPool(finder, connection_class=connection_class, **options | parsed.options | pinged)
    return redis.Redis.from_pool(pool)
