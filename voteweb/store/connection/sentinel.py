"""Databases under Sentinel: their URL, and which server is the primary at the moment.

Of redis-py's Sentinel support only the connection pool is used, which looks up the primary for every new connection.
Its ``Sentinel`` class can lose one of the Sentinels for good when two threads ask at once.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qs, unquote, urlsplit

import redis
from redis.sentinel import MasterNotFoundError, SentinelConnectionPool

from voteweb.store.connection.tls import is_tls

Address = tuple[str, int]

#: The schemes of a URL, without and with TLS, which is spoken to the Sentinels too.
SCHEMES = ("redis+sentinel", "rediss+sentinel")
#: The port of a Sentinel whose address names none.
DEFAULT_PORT = 26_379
#: Seconds after which an idle connection to the primary is pinged before it is used again.
IDLE_CHECK_SECONDS = 1
#: One silent Sentinel may take this share of a look-up, so that another can be asked.
SENTINEL_SHARE = 0.5
#: The query parameters of a URL.
_OPTIONS = {"db", "sentinel_username", "sentinel_password"}


class SentinelUrl(NamedTuple):
    """The Sentinels, the name of the database they watch, and the credentials for both."""

    sentinels: tuple[Address, ...]
    name: str
    database_options: dict[str, Any]
    sentinel_options: dict[str, Any]


def parse(url: str) -> SentinelUrl:
    """Parse ``redis+sentinel://[user:password@]host[:port],host[:port],…/name[?option=…]``, or ``rediss+sentinel``.

    The options are ``db`` (a number) and, for Sentinels that require them, ``sentinel_username`` and
    ``sentinel_password``. Raises ValueError.
    """
    parts = urlsplit(url)
    sentinels, credentials = parse_hosts(parts.netloc, DEFAULT_PORT)
    name = unquote(parts.path.removeprefix("/"))
    if not name or "/" in name:
        raise ValueError("the name is missing")
    options = {key: values[-1] for key, values in parse_qs(parts.query, strict_parsing=bool(parts.query)).items()}
    if unknown := options.keys() - _OPTIONS:
        raise ValueError(f"there is no option {', '.join(sorted(unknown))}")
    return SentinelUrl(
        sentinels=sentinels,
        name=name,
        database_options=credentials | {"db": int(options.get("db", 0))},
        sentinel_options={"username": options.get("sentinel_username"), "password": options.get("sentinel_password")},
    )


def parse_hosts(text: str, default_port: int) -> tuple[tuple[Address, ...], dict[str, Any]]:
    """Parse ``[user:password@]host[:port],host[:port],…`` into addresses and credentials; raise ValueError."""
    credentials, _, hosts = text.rpartition("@")
    user, _, password = credentials.partition(":")
    addresses = tuple(_parse_host(host, default_port) for host in hosts.split(","))
    return addresses, {"username": unquote(user) or None, "password": unquote(password) or None}


def _parse_host(text: str, default_port: int) -> Address:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError("a host is missing")
    parts.hostname.encode("idna")  # raises a ValueError for a name that no host can have
    return parts.hostname, parts.port or default_port


class Sentinels:
    """The Sentinels of one database, asked one after the other until one answers; thread-safe.

    After *seconds* a look-up asks no other. Has the method that redis-py's connection pool calls.
    """

    def __init__(self, clients: Sequence[redis.Redis], *, seconds: float) -> None:
        self._clients = tuple(clients)
        self._seconds = seconds
        #: Where the next look-up begins: with the Sentinel that answered last, or after the last that did not.
        self._next = 0

    def discover_master(self, name: str) -> Address:
        """Return the address of the primary; raise MasterNotFoundError when no Sentinel tells one in time."""
        until = time.monotonic() + self._seconds
        reasons: list[str] = []
        first, count = self._next, len(self._clients)
        for at in ((first + step) % count for step in range(count)):
            if time.monotonic() >= until:
                break
            try:
                if address := _primary(self._clients[at], name):
                    self._next = at
                    return address
                reasons.append("the primary is down")
            except (redis.ConnectionError, redis.TimeoutError, redis.ResponseError) as error:
                reasons.append(str(error))
            self._next = (at + 1) % count
        raise MasterNotFoundError(f"no primary for {name!r}: {'; '.join(dict.fromkeys(reasons))}")


def _primary(client: redis.Redis, name: str) -> Address | None:
    """Return the address of the primary as one Sentinel knows it, None if it is down."""
    address = cast(Address | None, client.sentinel_get_master_addr_by_name(name))
    state = cast(dict[str, Any], client.sentinel_master(name))
    is_down = state["is_sdown"] or state["is_odown"] or state["is_disconnected"]
    # While the replicas are being switched to a new primary, the state is still that of the old one.
    return None if is_down and address == (state["ip"], state["port"]) else address


def primary(url: str, options: dict[str, Any], attempt_seconds: float) -> redis.Redis:
    """Return a client of the primary at *url*; nothing is sent yet.

    *options* are those of every client. A look-up may take *attempt_seconds*, so that another can be tried in time.
    Raises ValueError.
    """
    parsed = parse(url)
    seconds = attempt_seconds * SENTINEL_SHARE
    options = options | {"ssl": is_tls(url)}
    short = options | {"socket_timeout": seconds, "socket_connect_timeout": seconds} | parsed.sentinel_options
    sentinels = Sentinels([redis.Redis(*address, **short) for address in parsed.sentinels], seconds=attempt_seconds)
    pool: Callable[..., redis.ConnectionPool] = SentinelConnectionPool
    # A primary that hung and was replaced accepts writes after it wakes, until it has heard of its successor.
    pinged = options | {"health_check_interval": IDLE_CHECK_SECONDS} | parsed.database_options
    return redis.Redis.from_pool(pool(parsed.name, sentinels, is_master=True, **pinged))
