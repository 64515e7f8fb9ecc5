"""The database server itself: whether it answers, and what it holds."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import redis

from voteweb.errors import ConfigError
from voteweb.models import Role
from voteweb.store import keys
from voteweb.store.connect import Connection


class Engine(NamedTuple):
    """The server program, and the word for this one run of it; both empty where it does not tell."""

    program: str
    run: str


class Counts(NamedTuple):
    """How much a site holds."""

    articles: int
    members: int
    groups: int


class Server:
    """The server behind one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def greet(self, patience: float) -> None:
        """Return when the server answers; raise Unavailable when it does not within *patience* seconds.

        Raises ConfigError when it answers, but does not let us in.
        """

        def attempt() -> None:
            try:
                self._connection.client.ping()
            except (redis.ResponseError, redis.AuthenticationError) as problem:  # the second is a ConnectionError
                raise ConfigError("The database refuses us: %(problem)s", problem=problem) from None

        self._connection.insist(attempt, deadline=patience)

    def engine(self) -> Engine:
        """Return which program answers, such as "valkey 9.1.2", and which run of it."""
        about: dict[str, Any] = {}
        with suppress(redis.ResponseError):
            about = self._connection.insist(lambda: self._connection.client.info("server"))
        name = about.get("server_name", "redis")
        version = about.get(f"{name}_version")
        return Engine(f"{name} {version}" if version else "", str(about.get("run_id", "")))

    def is_empty(self) -> bool:
        """Tell whether nobody has ever posted or joined here."""
        return not self._connection.command("EXISTS", keys.articles_count(), keys.users_count())

    def has_admin(self, besides: str = "") -> bool:
        """Tell whether any member who may enter is an admin, *besides* one.

        Looks at every key at worst, so it is for the start of a site and the end of an admin's account.
        """
        for found in self._members():
            names = [name for name in found if name != keys.user(besides)]
            facts = self._connection.pipeline([("HMGET", name, "role", "banned") for name in names]) if names else []
            if any(role == Role.ADMIN and (banned or "0") == "0" for role, banned in facts):
                return True
        return False

    def counts(self) -> Counts:
        """Return how many articles, members and groups there are; takes as long as looking at every key."""
        articles, groups = self._connection.pipeline([("ZCARD", keys.by_time()), ("SCARD", keys.groups())])
        return Counts(articles, self._count_members(), groups)

    def sizes(self) -> tuple[int, int]:
        """Return how many articles are listed, and the last number that a member was given; takes no time."""
        articles, members = self._connection.pipeline([("ZCARD", keys.by_time()), ("GET", keys.users_count())])
        return articles, int(members or 0)

    def _count_members(self) -> int:
        return len({name for names in self._members() for name in names})

    def _members(self) -> Iterator[list[str]]:
        """Yield the keys of all members, batch by batch; one may come twice."""
        cursor: int | str = 0
        seen_all = False
        while not seen_all:
            cursor, names = self._connection.command("SCAN", cursor, "MATCH", keys.user("?*"), "COUNT", 1000)
            yield names
            seen_all = int(cursor) == 0
