"""The database server itself: whether it answers, what it holds, and whether it is set up for a site."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import redis

from voteweb.errors import ConfigError
from voteweb.models import Role
from voteweb.store import keys
from voteweb.store.connect import Connection

#: The oldest version whose commands the store uses.
OLDEST = (7, 0)
#: Settings that keep articles and voters in their compact forms, with the least value that does.
COMPACT = {"hash-max-listpack-value": 512, "set-max-intset-entries": 8192}


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

    def is_empty(self) -> bool:
        """Tell whether nobody has ever posted or joined here."""
        return not self._connection.command("EXISTS", keys.articles_count(), keys.users_count())

    def has_admin(self) -> bool:
        """Tell whether any member is an admin; looks at every key at worst, so ask once, at the start."""
        for names in self._members():
            roles = self._connection.pipeline([("HGET", name, "role") for name in names]) if names else []
            if Role.ADMIN.value in roles:
                return True
        return False

    def counts(self) -> Counts:
        """Return how many articles, members and groups there are; takes as long as looking at every key."""
        articles, groups = self._connection.pipeline([("ZCARD", keys.by_time()), ("SCARD", keys.groups())])
        return Counts(articles, self._count_members(), groups)

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

    def advice(self) -> list[str]:
        """Return what should be set otherwise on this server, in words; silent about what it does not tell."""
        client = self._connection.client
        about = self._ask(client.info)
        advice = []
        version = str(about.get("redis_version", ""))
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if numbers and numbers < OLDEST:
            advice.append(f"The server has version {version}; voteweb needs 7.0 or newer.")
        set_to = self._ask(lambda: client.config_get("maxmemory-policy", "save", "appendonly", *COMPACT))
        policy = set_to.get("maxmemory-policy") or about.get("maxmemory_policy") or "noeviction"
        if policy != "noeviction":
            advice.append(f"maxmemory-policy is {policy}: a full server would drop articles. Set it to noeviction.")
        if set_to.get("appendonly") == "no" and set_to.get("save") == "":
            advice.append("Nothing is kept on disk: a restart loses everything. Set appendonly to yes.")
        for name, least in COMPACT.items():
            if int(set_to.get(name) or least) < least:
                advice.append(f"{name} is {set_to[name]}: with {least} the data take far less memory.")
        return advice

    def _ask(self, question: Callable[[], Any]) -> dict[str, Any]:
        """Return the answer, or nothing where the server or our rights on it do not allow the question."""
        with suppress(redis.ResponseError):
            return dict(self._connection.insist(question))
        return {}
