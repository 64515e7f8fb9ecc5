"""Whether the database is fit for a site: what forbids to start on it, what may lose data, what could be better."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import redis

from voteweb.core import config
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.store.connection.connection import Connection
from voteweb.store.key_types import key_type

#: The oldest version whose commands the store uses.
MIN_VERSION = (7, 0)
#: Settings that keep articles and voters in their compact forms, with the least value that does.
COMPACT_ENCODING = {"hash-max-listpack-value": 512, "set-max-intset-entries": 8192}
#: Keys looked at for those of another program: a fraction of a millisecond, however many there are.
SAMPLE = 1_000
#: The share of its memory at which a server that evicts nothing is nearly full.
MEMORY_WARNING_SHARE = 0.9


class Health(NamedTuple):
    """How a site is: "ok", "degraded" (it serves, but something needs an operator) or "down", and why."""

    status: str
    reasons: list[str]


class HealthChecks:
    """The checks of the database of one site; each asks a bounded number of questions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = keys = connection.keys
        #: Keys that every site has unless it is new: a wrong type means that another program owns them.
        self._common_keys = (
            keys.articles_count(), keys.users_count(), keys.by_time(), keys.by_score(), keys.good(), keys.groups(),
            keys.reports(), keys.log(),
        )  # fmt: skip
        self._kept: list[str] = []
        self._kept_until = 0.0

    def refuse_old(self) -> None:
        """Raise ConfigError when the server is too old for the store's commands; silent where it does not say."""
        version = str(self._info().get("redis_version", ""))
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if numbers and numbers < MIN_VERSION:
            raise ConfigError(
                "The database has version %(version)s, and voteweb needs 7.0 or newer. Install a newer Redis or "
                "Valkey, or set VOTEWEB_REDIS_URL to one.",
                version=version,
            )

    def refuse_foreign(self) -> None:
        """Raise ConfigError when another program keeps something else under a key that every site has."""
        kinds = self._connection.run([("TYPE", key) for key in self._common_keys])
        for key, kind in zip(self._common_keys, kinds, strict=True):
            if kind not in ("none", key_type(self._keys, key)):
                raise ConfigError(
                    "The database belongs to another program: its key %(key)s is a %(kind)s, where voteweb keeps a "
                    "%(wanted)s. Give voteweb a database of its own: another number at the end of VOTEWEB_REDIS_URL, "
                    "or another server.",
                    key=key,
                    kind=kind,
                    wanted=key_type(self._keys, key),
                )

    def refuse_unfinished(self) -> None:
        """Raise ConfigError where a restore into this database began and did not end.

        Silent about a database that is away or refuses us: that is told when it is used.
        """
        with suppress(Unavailable):
            if self._is_unfinished():
                raise ConfigError(
                    "A restore into this database did not finish, so that it is not whole. Empty it (FLUSHDB; of the "
                    "embedded database, delete the data directory) and run `voteweb restore` again."
                )

    def _is_unfinished(self) -> bool:
        with suppress(redis.ResponseError):
            return bool(self._connection.command("EXISTS", self._keys.restoring()))
        return False

    def warnings(self) -> list[str]:
        """Return what may lose data or keeps members from writing, and what to do, in words fit for everybody's eyes.

        Silent about what the server does not tell, or our rights on it do not let us ask.
        """
        about = self._info()
        set_to = self._settings("maxmemory-policy", "save", "appendonly", "min-replicas-to-write")
        found = []
        policy = set_to.get("maxmemory-policy") or about.get("maxmemory_policy") or "noeviction"
        if policy != "noeviction":
            found.append(f"maxmemory-policy is {policy}: a full server would drop articles. Set it to noeviction.")
        limit, used = int(about.get("maxmemory") or 0), int(about.get("used_memory") or 0)
        if limit and used >= MEMORY_WARNING_SHARE * limit:
            found.append(f"The server has used {used / limit:.0%} of its maxmemory: when it is full, nobody can post.")
        if set_to.get("appendonly") == "no" and set_to.get("save") == "":
            found.append("Nothing is kept on disk: a restart loses everything. Set appendonly to yes.")
        if "err" in (about.get("aof_last_write_status"), about.get("rdb_last_bgsave_status")):
            found.append("The server cannot write to its disk: see whether it is full, and the server's log.")
        if about.get("role") == "slave":
            found.append("The server is a replica: nothing can be written. Set VOTEWEB_REDIS_URL to its primary.")
        replicas = int(about.get("connected_slaves") or 0)
        if replicas and set_to.get("min-replicas-to-write") == "0":
            found.append(
                "min-replicas-to-write is 0: cut off from its replicas, the primary would go on taking votes, and "
                "lose them when another takes over. Set it to 1."
            )
        if replicas < self._connection.wait:
            found.append(
                f"VOTEWEB_WAIT_REPLICAS is {self._connection.wait}, but {replicas} are there: no vote can be answered."
            )
        stranger = self._stranger()
        if stranger:
            found.append(
                f"Another program keeps keys in this database, {stranger}: what it deletes may be ours. "
                "Give voteweb a database of its own."
            )
        return found

    def hints(self) -> list[str]:
        """Return what would save memory, in words."""
        set_to = self._settings(*COMPACT_ENCODING)
        return [
            f"{name} is {set_to[name]}: with {least} the data take far less memory."
            for name, least in COMPACT_ENCODING.items()
            if int(set_to.get(name) or least) < least
        ]

    def health(self) -> Health:
        """Return how the database is: whether it answers is asked each time, the warnings are kept for some seconds."""
        try:
            self._connection.ping()
            if self._is_unfinished():
                return Health("down", ["A restore did not finish"])
            if time.monotonic() >= self._kept_until:
                self._kept = self.warnings()
                self._kept_until = time.monotonic() + config.HEALTH_SECONDS
        except Unavailable:
            return Health("down", ["Redis does not answer"])
        except redis.ResponseError:
            return Health("down", ["Redis refuses us"])
        return Health("degraded" if self._kept else "ok", list(self._kept))

    def _stranger(self) -> str:
        """Return how keys of another program look, "" when a sample holds none; never a whole key, which may tell."""
        sample: list[str] = []
        with suppress(redis.ResponseError):
            _, sample = self._connection.command("SCAN", 0, "MATCH", f"{self._keys.prefix}*", "COUNT", SAMPLE)
        for key in sample:
            if not self._keys.is_ours(key):
                noun = self._keys.split(key)[0]
                return f"such as {noun}:…" if ":" in key and noun.isascii() and noun.isalpha() else "of other names"
        return ""

    def _info(self) -> dict[str, Any]:
        return self._ask(self._connection.client.info)

    def _settings(self, *names: str) -> dict[str, Any]:
        return self._ask(lambda: self._connection.client.config_get(*names))

    def _ask(self, question: Callable[[], Any]) -> dict[str, Any]:
        """Return the answer, or nothing where the server or our rights on it do not allow the question."""
        with suppress(redis.ResponseError):
            return dict(self._connection.retry_until_deadline(question))
        return {}
