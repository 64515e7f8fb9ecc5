"""Databases under Sentinel: their address, and who is the primary at this moment.

Of redis-py's own part for Sentinel only the pool of connections is used, which asks anew for every connection it
makes. Its ``Sentinel`` can lose one of the Sentinels for good when two threads ask at once, and takes replicas
that have lost their primary.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import parse_qs, unquote, urlsplit

import redis
from redis.sentinel import MasterNotFoundError, SentinelConnectionPool

T = TypeVar("T")

SCHEME = "redis+sentinel"
#: Where a Sentinel listens unless its address says otherwise.
DEFAULT_PORT = 26_379
#: Seconds after which a connection to the primary says hello before it is used again.
IDLE_CHECK_SECONDS = 1
#: What an address may say behind its question mark.
_OPTIONS = {"db", "sentinel_username", "sentinel_password"}


class Address(NamedTuple):
    """Where the Sentinels are, which database they are asked for, and what lets us in at both."""

    sentinels: tuple[tuple[str, int], ...]
    name: str
    database: dict[str, Any]
    watch: dict[str, Any]


def parse(url: str) -> Address:
    """Return what ``redis+sentinel://[user:password@]host[:port],host[:port],…/name[?option=…]`` says.

    The options are ``db`` (a number) and, for Sentinels that ask for it, ``sentinel_username`` and
    ``sentinel_password``. Raises ValueError.
    """
    parts = urlsplit(url)
    entrance, _, hosts = parts.netloc.rpartition("@")
    user, _, password = entrance.partition(":")
    name = unquote(parts.path.removeprefix("/"))
    if not hosts or not name or "/" in name:
        raise ValueError("hosts or name are missing")
    options = {key: values[-1] for key, values in parse_qs(parts.query, strict_parsing=bool(parts.query)).items()}
    if unknown := options.keys() - _OPTIONS:
        raise ValueError(f"there is no option {', '.join(sorted(unknown))}")
    return Address(
        sentinels=tuple(_place(each) for each in hosts.split(",")),
        name=name,
        database={
            "username": unquote(user) or None,
            "password": unquote(password) or None,
            "db": int(options.get("db", 0)),
        },
        watch={"username": options.get("sentinel_username"), "password": options.get("sentinel_password")},
    )


def _place(text: str) -> tuple[str, int]:
    found = urlsplit(f"//{text}")
    if not found.hostname:
        raise ValueError("a host is missing")
    return found.hostname, found.port or DEFAULT_PORT


class Sentinels:
    """The Sentinels of one database, asked one after the other until one knows; several threads may ask.

    Has the two methods that redis-py's pool of connections calls.
    """

    def __init__(self, clients: Sequence[redis.Redis]) -> None:
        self._clients = tuple(clients)
        self._best = 0

    def discover_master(self, name: str) -> tuple[str, int]:
        """Return the address of the primary; raise MasterNotFoundError when no Sentinel knows one that is up."""

        def ask(client: redis.Redis) -> tuple[str, int] | None:
            found = cast(tuple[str, int] | None, client.sentinel_get_master_addr_by_name(name))
            state = cast(dict[str, Any], client.sentinel_master(name))
            # While the other replicas are being turned to a new primary, the state is still the old one's.
            return found if found != _address(state) or not _is_down(state) else None

        return self._ask(name, ask)

    def discover_slaves(self, name: str) -> list[tuple[str, int]]:
        """Return the addresses of all replicas that are up and follow their primary."""

        def ask(client: redis.Redis) -> list[tuple[str, int]]:
            states = client.sentinel_slaves(name)
            return [_address(each) for each in states if not _is_down(each) and each["master-link-status"] == "ok"]

        return self._ask(name, ask)

    def _ask(self, name: str, question: Callable[[redis.Redis], T | None]) -> T:
        """Return the first answer that is one, beginning with the Sentinel that knew last."""
        why: list[str] = []
        first, count = self._best, len(self._clients)
        for at in ((first + step) % count for step in range(count)):
            try:
                answer = question(self._clients[at])
            except (redis.ConnectionError, redis.TimeoutError, redis.ResponseError) as problem:
                why.append(str(problem))
                continue
            if answer is not None:
                self._best = at
                return answer
            why.append("it is down")
        raise MasterNotFoundError(f"no primary for {name!r}: {'; '.join(dict.fromkeys(why))}")


def _address(state: dict[str, Any]) -> tuple[str, int]:
    return state["ip"], state["port"]


def _is_down(state: dict[str, Any]) -> bool:
    return bool(state["is_sdown"] or state["is_odown"] or state["is_disconnected"])


def clients(url: str, options: dict[str, Any], share: float) -> tuple[redis.Redis, redis.Redis]:
    """Return a client of the primary at *url* and one of its replicas; nothing is sent yet.

    *options* are those of every client; a Sentinel or a replica may take *share* seconds, so that another can
    still be asked. Raises ValueError.
    """
    address = parse(url)
    brief = options | {"socket_timeout": share, "socket_connect_timeout": share}
    watchers = [redis.Redis(host, port, **brief | address.watch) for host, port in address.sentinels]
    sentinels = Sentinels(watchers)
    pool: Callable[..., redis.ConnectionPool] = SentinelConnectionPool
    # A primary that hung, was given up and has just woken takes writes until it has looked around once.
    careful = options | {"health_check_interval": IDLE_CHECK_SECONDS}
    primary = pool(address.name, sentinels, is_master=True, **careful | address.database)
    replicas = pool(address.name, sentinels, is_master=False, **brief | address.database)
    return redis.Redis.from_pool(primary), redis.Redis.from_pool(replicas)
