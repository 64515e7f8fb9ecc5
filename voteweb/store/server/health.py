"""The database server: what prevents a start, what may lose data, which program it is, and how much the site holds."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import redis

from voteweb.core import clock, config
from voteweb.core.errors import ConfigError, DataLost, Unavailable
from voteweb.store.connection.unavailable import BrokenData
from voteweb.store.schema.keys import key_type
from voteweb.store.schema.values import finite_number
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.leases import Leases
from voteweb.store.site.site_settings import SiteSettings

#: The oldest version whose commands the store uses.
MIN_VERSION = (7, 0)
#: The share of its memory at which a server that evicts nothing is nearly full.
MEMORY_WARNING_SHARE = 0.9
#: Seconds between two looks whether the append-only file has been rewritten: 20,000 articles take half a second.
REWRITE_CHECK_SECONDS = 0.05


class Health(NamedTuple):
    """The health of a site: "ok", "degraded" (it serves, but needs an operator) or "down", and the reasons."""

    status: str
    reasons: list[str]


class Engine(NamedTuple):
    """The server program, and the id of this run of it; both empty if it does not tell."""

    program: str
    run: str


class Counts(NamedTuple):
    """How much a site holds; members who have left do not count."""

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


class BackupFacts(NamedTuple):
    """The unix time as of which a backup was made, and its size in bytes."""

    time: float
    size: int


class HealthChecks(StorePart):
    """The database of one site; each check and each question sends a bounded number of commands."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._leases, self._site_settings = Leases(context), SiteSettings(context)
        keys = context.keys
        #: Keys that every site has unless it is new: a wrong type means that another program owns them.
        self._common_keys = (
            keys.last_article_id(), keys.last_user_id(), keys.by_time(), keys.by_score(), keys.good(), keys.groups(),
            keys.users(), keys.reports(), keys.log_entries(), keys.comments(), keys.top(), keys.group_aliases(),
            keys.domain_rules(), keys.held(), keys.admins(), keys.jobs(), keys.schema(), keys.changes(),
        )  # fmt: skip
        self._warnings: list[str] = []
        self._warnings_until = 0.0

    def refuse_old(self) -> None:
        """Raise ConfigError when the server is too old for the store's commands; silent if it does not tell."""
        version = str(self._info().get("redis_version", ""))
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if numbers and numbers < MIN_VERSION:
            raise ConfigError(
                "The database has version %(version)s, and voteweb needs 7.0 or newer. Install a newer Redis or "
                "Valkey, or set VOTEWEB_REDIS_URL to one.",
                version=version,
            )

    def refuse_unusable(self, *, allow_unfinished: bool = False) -> None:
        """Raise ConfigError if a cluster keeps the site on another node, or our user may not read its keys.

        Raises it also if a restore into this database began and did not end, unless *allow_unfinished*. Silent if the
        database is unavailable.
        """
        try:
            is_unfinished = self._connection.command("EXISTS", self._keys.restoring())
        except Unavailable as error:
            if isinstance(error.__cause__, redis.exceptions.MovedError):
                raise ConfigError(
                    "The database is a node of a cluster, which keeps the site on another node. Begin "
                    "VOTEWEB_REDIS_URL with redis+cluster:// or, with TLS, rediss+cluster://, and set VOTEWEB_SITE."
                ) from None
            return
        if is_unfinished and not allow_unfinished:
            raise ConfigError(
                "A restore into this database did not finish, so that it is not whole. Run `voteweb restore "
                "--again FILE`: it first deletes what that restore has written."
            )

    def refuse_foreign(self) -> None:
        """Raise ConfigError when another program stores something else under a key that every site has."""
        for key, kind in self._mistyped():
            raise ConfigError(
                "The database belongs to another program: its key %(key)s is a %(kind)s, where voteweb keeps a "
                "%(wanted)s. Give voteweb a database of its own: another number at the end of VOTEWEB_REDIS_URL, "
                "or another server.",
                key=key,
                kind=kind,
                wanted=key_type(self._keys, key),
            )

    def _mistyped(self) -> Iterator[tuple[str, str]]:
        """Yield those of the common keys that have another type, each with it."""
        types = self._connection.run([("TYPE", key) for key in self._common_keys])
        for key, kind in zip(self._common_keys, types, strict=True):
            if kind not in ("none", key_type(self._keys, key)):
                yield key, kind

    def _interruption(self) -> str:
        """Return why the data cannot be used, as an operator changed them after the site was started, or ""."""
        keys = (self._keys.restoring(), self._keys.migrating(), self._keys.schema())
        restoring, migrating, number = self._connection.run([("GET", key) for key in keys])
        if restoring:
            return "A restore did not finish"
        if migrating:
            return "A migration did not finish"
        if number not in (None, str(config.SCHEMA)):
            return "Another version of voteweb has converted the data: restart the site"
        return ""

    def warnings(self) -> list[str]:
        """Return what may lose data or prevents writes, and what to do, in words that anybody may read.

        Silent about what the server does not tell, or we are not allowed to ask.
        """
        info = self._info()
        return [*_memory_warnings(info), *_disk_warnings(info), *_clock_warnings(), *self._replication_warnings(info)]

    def _damage(self) -> list[str]:
        """Return which of the common keys have another type, in words that anybody may read."""
        advice = "run `voteweb doctor`, which says what to do"
        return [f"The data are damaged, key {key}: {advice}." for key, _ in self._mistyped()]

    def _replication_warnings(self, info: Mapping[str, Any]) -> Iterator[str]:
        if info.get("role") == "slave":
            yield "The server is a replica: nothing can be written. Set VOTEWEB_REDIS_URL to its primary."
        if info.get("redis_mode") == "cluster" and not self._connection.in_cluster:
            yield (
                "The server is a node of a cluster: the site stops when another node takes over. Begin "
                "VOTEWEB_REDIS_URL with redis+cluster:// or, with TLS, rediss+cluster://."
            )
        replicas, wanted = int(info.get("connected_slaves") or 0), self._connection.wait_replicas
        # A primary that is cut off answers no vote which waits for replicas. Without the setting, the field is missing.
        if replicas and not wanted and "min_slaves_good_slaves" not in info:
            yield (
                "min-replicas-to-write is 0: cut off from its replicas, the primary would go on taking votes, and "
                "lose them when another takes over. Set it, or VOTEWEB_WAIT_REPLICAS, to 1."
            )
        if replicas < wanted:
            yield f"VOTEWEB_WAIT_REPLICAS is {wanted}, but {replicas} are there: no vote can be answered."

    def health(self) -> Health:
        """Return the health of the database; it is pinged each time, but the warnings are cached for some seconds."""
        try:
            if reason := self._interruption():
                return Health("down", [reason])
            self._site_settings.read_switches(deadline=None)
            damage = self._damage()
            if time.monotonic() >= self._warnings_until:
                self._warnings = [*self.warnings(), *self._leases.warnings(), *self.backup_warnings()]
                self._warnings_until = time.monotonic() + config.HEALTH_SECONDS
        except DataLost as error:
            return Health("down", [str(error)])
        except Unavailable:
            return Health("down", ["Redis does not answer"])
        except BrokenData:
            return Health("down", self._damage() or ["The data are damaged: run `voteweb doctor`."])
        except redis.ResponseError:
            return Health("down", ["Redis refuses us"])
        reasons = [*damage, *self._warnings]
        return Health("degraded" if reasons else "ok", reasons)

    def record_backup(self, made: BackupFacts) -> None:
        """Record a backup that is complete and, if it has to be copied elsewhere, copied."""
        key, fields = self._keys.last_backup(), ("time", f"{made.time:.0f}", "size", made.size)
        self._connection.run([("UNLINK", key), ("HSET", key, *fields)], atomic=True)

    def last_backup(self) -> BackupFacts | None:
        """Return the last good backup; None if there never was one, or what is stored is none: the doctor tells."""
        try:
            made, size = map(finite_number, self._connection.command("HMGET", self._keys.last_backup(), "time", "size"))
        except redis.ResponseError:
            return None
        return None if made is None or size is None else BackupFacts(made, int(size))

    def backup_warnings(self) -> list[str]:
        """Return that the last backup is older than VOTEWEB_BACKUP_DAYS, if it is.

        Silent about a site that never had one: it may be saved in another way.
        """
        limit = self._settings.backup_days
        last = self.last_backup() if limit else None
        days = (clock.now() - last.time) / 86_400 if last else 0.0
        if days <= limit:
            return []
        return [f"The last good backup was made {days:.0f} days ago: see why `voteweb backup` fails, or does not run."]

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
        info = self._info("server")
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
        keys = self._keys
        return Counts(
            *self._connection.run([("ZCARD", keys.by_time()), ("ZCARD", keys.users()), ("SCARD", keys.groups())])
        )

    def sizes(self) -> Sizes:
        """Return what metrics show; costs the same on any site."""
        keys = self._keys
        articles, members, reports = self._connection.run(
            [("ZCARD", keys.by_time()), ("GET", keys.last_user_id()), ("ZCARD", keys.reports())]
        )
        info = self._info("memory")
        return Sizes(articles, int(members or 0), reports, info.get("used_memory"), int(info.get("maxmemory", 0)))

    def _info(self, *section: str) -> dict[str, Any]:
        """Return what the server says about itself, nothing if our rights do not allow to ask."""
        with suppress(redis.ResponseError):
            return dict(self._connection.retry_until_deadline(lambda: self._connection.client.info(*section)))
        return {}


def _memory_warnings(info: Mapping[str, Any]) -> Iterator[str]:
    policy = info.get("maxmemory_policy") or "noeviction"
    if policy != "noeviction":
        yield f"maxmemory-policy is {policy}: a full server would drop articles. Set it to noeviction."
    limit, used = int(info.get("maxmemory") or 0), int(info.get("used_memory") or 0)
    if limit and used >= MEMORY_WARNING_SHARE * limit:
        yield f"The server has used {used / limit:.0%} of its maxmemory: when it is full, nobody can post."


def _clock_warnings() -> Iterator[str]:
    difference = clock.difference()
    if abs(difference) >= config.CLOCK_SECONDS:
        side = "behind" if difference > 0 else "ahead of"
        yield (
            f"The clock of this machine is {abs(difference):,.0f} s {side} the database's, by which voteweb goes. "
            "Synchronize both, for example with chrony."
        )


def _disk_warnings(info: Mapping[str, Any]) -> Iterator[str]:
    # INFO does not tell whether snapshots are made, but when the last one was, at first when the server was started.
    unsaved = clock.now() - int(info.get("rdb_last_save_time") or 0)
    is_only_in_memory = info.get("aof_enabled") == 0 and info.get("rdb_changes_since_last_save")
    if is_only_in_memory and not info.get("connected_slaves") and unsaved >= config.UNSAVED_SECONDS:
        yield f"Nothing was kept on disk for {unsaved / 3_600:.0f} hours: a restart loses it. Set appendonly to yes."
    if "err" in (info.get("aof_last_write_status"), info.get("rdb_last_bgsave_status")):
        yield "The server cannot write to its disk: see whether it is full, and the server's log."
