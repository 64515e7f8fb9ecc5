"""The database server: whether it answers, which program it is, and how much the site holds."""

import time
from contextlib import suppress
from typing import Any, NamedTuple

import redis

from voteweb.core.errors import ConfigError
from voteweb.store.accounts.users import Users
from voteweb.store.site.context import Context, StorePart

#: Seconds between two looks whether the append-only file has been rewritten: 20,000 articles take half a second.
REWRITE_CHECK_SECONDS = 0.05


class Engine(NamedTuple):
    """The server program, and the id of this run of it; both empty if it does not tell."""

    program: str
    run: str


class Counts(NamedTuple):
    """How much a site holds."""

    articles: int
    members: int
    groups: int


class Sizes(NamedTuple):
    """Listed articles, the last id given to a member, things with open reports, and the server's memory in bytes.

    *memory* is None if the server does not tell, *max_memory* is 0 without a limit.
    """

    articles: int
    members: int
    open_reports: int = 0
    memory: int | None = None
    max_memory: int = 0


class ServerInfo(StorePart):
    """Facts about the server of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._users = Users(context)

    def wait_until_ready(self, timeout: float) -> None:
        """Return when the server answers; raise Unavailable when it does not within *timeout* seconds.

        Raises ConfigError when it answers but refuses us.
        """

        def attempt() -> None:
            try:
                self._connection.client.time()
            except (redis.ResponseError, redis.AuthenticationError) as error:  # the second is a ConnectionError
                raise ConfigError("The database refuses us: %(problem)s", problem=error) from None

        self._connection.retry_until_deadline(attempt, deadline=timeout)
        self._connection.ping()  # which sets the clock of this process

    def engine(self) -> Engine:
        """Return which program answers, such as "valkey 9.1.2", and which run of it."""
        info: dict[str, Any] = {}
        with suppress(redis.ResponseError):
            info = self._connection.retry_until_deadline(lambda: self._connection.client.info("server"))
        name = info.get("server_name", "redis")
        version = info.get(f"{name}_version")
        return Engine(f"{name} {version}" if version else "", str(info.get("run_id", "")))

    def rewrite_file(self) -> bool:
        """Have the embedded database write its append-only file anew, without what was deleted; tell whether it has."""
        self._wait_for_rewrite()  # one that has begun may have what was deleted
        self._connection.retry_until_deadline(self._connection.client.bgrewriteaof)
        return bool(self._wait_for_rewrite()["aof_last_bgrewrite_status"] == "ok")

    def _wait_for_rewrite(self) -> dict[str, Any]:
        while True:
            info = self._connection.retry_until_deadline(lambda: self._connection.client.info("persistence"))
            if not (info["aof_rewrite_in_progress"] or info["aof_rewrite_scheduled"]):
                return info
            time.sleep(REWRITE_CHECK_SECONDS)

    def is_empty(self) -> bool:
        """Tell whether nobody has ever posted or joined here."""
        return not self._connection.command("EXISTS", self._keys.last_article_id(), self._keys.last_user_id())

    def counts(self) -> Counts:
        """Return how many articles, members and groups there are; costs the same on any site."""
        articles, groups = self._connection.run([("ZCARD", self._keys.by_time()), ("SCARD", self._keys.groups())])
        return Counts(articles, self._users.count(), groups)

    def sizes(self) -> Sizes:
        """Return what metrics show; costs the same on any site."""
        keys = self._keys
        articles, members, reports = self._connection.run(
            [("ZCARD", keys.by_time()), ("GET", keys.last_user_id()), ("ZCARD", keys.reports())]
        )
        info: dict[str, Any] = {}
        with suppress(redis.ResponseError):
            info = self._connection.retry_until_deadline(lambda: self._connection.client.info("memory"))
        return Sizes(articles, int(members or 0), reports, info.get("used_memory"), int(info.get("maxmemory", 0)))
