"""Counts of acts: rate limits, and what happens on each UTC day.

An act is refused while too many were done recently, and refunded if it turns out not to count. Flask-Limiter would ask
Redis once for each window of a limit: three round trips for a vote instead of one. Here one script is queued in the
round trip that loads the viewer; for a vote it is part of the vote's own script. The counts of a day are made by the
scripts that do the acts, or read from rankings by time.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import blake2b
from math import ceil
from typing import Any, NamedTuple

from voteweb.core import clock, config
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import TooFast
from voteweb.core.names import name_key
from voteweb.core.ranking import day_name, day_number
from voteweb.core.rate_limits import Limit
from voteweb.core.settings import Settings
from voteweb.core.statistics import DayCounts
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.log_entries import new_token

_COUNT = re.compile(r"-?[0-9]{1,12}")


def queue_days(pipeline: Pipeline, keys: Keys, now: float, count: int) -> Future[tuple[DayCounts, ...]]:
    """Queue a read of the last *count* UTC days up to *now*, oldest first: three small commands for each."""
    today = day_number(now)
    days = range(today - count + 1, today + 1)
    counts = []
    for day in days:
        period = (day * 86_400, f"({(day + 1) * 86_400}")
        reads = [("ZCOUNT", key, *period) for key in (keys.by_time(), keys.users())]
        counts.append(pipeline.queue([*reads, ("HGETALL", keys.stats(day_name(day)))], partial(_counts, day_name(day))))
    return pipeline.then(lambda: tuple(day.result for day in counts))


def this_day() -> str:
    """Return this UTC day as ``2026-11-22``."""
    return day_name(day_number(clock.now()))


def count_act(keys: Keys, *fields: str) -> list[Command]:
    """Return the writes that count an act in these fields of this day's counters, which expire."""
    key = keys.stats(this_day())
    return [*(("HINCRBY", key, field, 1) for field in fields), ("EXPIRE", key, config.STATISTICS_SECONDS, "NX")]


def _counts(day: str, replies: Sequence[Any]) -> DayCounts:
    posts, sign_ups, fields = replies
    counts = {name: max(int(value), 0) for name, value in fields.items() if _COUNT.fullmatch(value)}
    waits = {int(name[5:]): count for name, count in counts.items() if re.fullmatch("wait-[0-9]{1,2}", name)}
    named = {name: counts.get(name, 0) for name in ("votes", "comments", "reports", "settled")}
    return DayCounts(day, posts=posts, sign_ups=sign_ups, waits=waits, **named)


#: A limit and whose acts it counts: a member's name, an address, or a name used to log in.
RateLimitHit = tuple[Limit, str]


class Quota(NamedTuple):
    """The acts that a limit accepts at once, and the seconds until it accepts as many as it ever does."""

    acts: int
    seconds: int


def member_hits(limits: Iterable[Limit], name: str) -> list[RateLimitHit]:
    """Return *limits* as those of the member *name*."""
    return [(limit, name_key(name)) for limit in limits]


class RateLimits:
    """The rate limits of one site, by the settings in force, which *settings* returns."""

    def __init__(self, connection: Connection, settings: Callable[[], Settings]) -> None:
        self._connection = connection
        self._settings = settings
        #: The commands that count programs, which send many requests each: a list takes a tenth less.
        self._commands: BoundedCache[tuple[str, str, int], Command] = BoundedCache(config.HINT_CACHE_SIZE)
        self._secret = blake2b(settings().secret_key.encode()).digest()

    def queue_check(self, pipeline: Pipeline, *hits: RateLimitHit) -> Future[TooFast | None]:
        """Queue the question whether an act against *hits* would be accepted; the result is the refusal, or None."""
        return self.queue_hit(pipeline, hits, "asked")

    def queue_hit(
        self, pipeline: Pipeline, hits: Sequence[RateLimitHit], mode: str = "when-full"
    ) -> Future[TooFast | None]:
        """Queue one act to be counted against all *hits*; the result is the refusal, or None if it is accepted.

        A refused act counts against none of them.
        """
        if not hits or not self._settings().limits:
            return pipeline.then(lambda: None)

        def parse(reply: list[str]) -> TooFast | None:
            status, *values = reply
            return None if status == "counted" else self.to_error(hits, values)

        return pipeline.queue_one(self._hit_command(hits, mode), parse)

    def queue_quota(self, pipeline: Pipeline, hit: RateLimitHit) -> Future[tuple[TooFast | None, Quota]]:
        """Queue one act to be counted against *hit*; the result is the refusal, or None, and what is left then."""
        whole, interval, factor = self.quota(hit[0]), hit[0].interval, self._settings().limits
        if not factor:
            return pipeline.then(lambda: (None, whole))
        key = hit[0].kind, hit[1], factor
        command = self._commands.get(key) or self._commands.put(key, self._hit_command([hit], "when-full"))

        def parse(reply: list[str]) -> tuple[TooFast | None, Quota]:
            status, *values = reply
            if status != "counted":
                refusal = self.to_error([hit], values)
                return refusal, Quota(0, refusal.values["wait"])
            ahead = float(values[0])
            # A clock that has gone on for a microsecond must not take an act away.
            return None, Quota(int(whole.acts - ahead * factor / interval + 0.001), ceil(ahead))

        return pipeline.queue_one(command, parse)

    def quota(self, limit: Limit) -> Quota:
        """Return how many acts *limit* accepts in a row, and the seconds after which it accepts as many again."""
        return Quota(self._settings().limits * limit.burst, round(limit.burst * limit.interval))

    def _hit_command(self, hits: Sequence[RateLimitHit], mode: str) -> Command:
        return scripts.call(self._connection.keys, "hit_rate_limit", mode=mode, **self.script_values(hits))

    def script_values(self, hits: Sequence[RateLimitHit]) -> dict[str, Any]:
        """Return the values with which a script counts an act against *hits*, those of no limits if limits are off.

        If a limit is exceeded, the script answers with the values that :meth:`to_error` takes.
        """
        factor = self._settings().limits
        hits = hits if factor else ()
        rates = [number for limit, _ in hits for number in (factor * limit.burst, limit.interval / factor)]
        return {"limits": self._ids_of(hits), "rates": rates}

    @property
    def newcomer_seconds(self) -> int:
        """The seconds after signing up in which the limits of newcomers count; 0 if they never do."""
        return 86_400 * self._settings().newcomer_days if self._settings().limits else 0

    def newcomer_values(self, hits: Sequence[RateLimitHit]) -> dict[str, Any]:
        """Return the values with which a script counts an act against *hits*, among them those of newcomers."""
        return {"newcomer_seconds": self.newcomer_seconds, **self.script_values(hits)}

    def hit(self, hits: Sequence[RateLimitHit]) -> TooFast | None:
        """Count one act against all *hits*; return the refusal, or None if it is accepted."""
        return self._connection.read(self.queue_hit, hits)

    def to_error(self, hits: Sequence[RateLimitHit], values: Sequence[str]) -> TooFast:
        """Return the refusal that a script answered: the number of the hit, the seconds to wait, and the unix time."""
        number, wait, time = values
        limit, _ = hits[int(number) - 1]
        return limit.refusal(self._settings().limits, float(wait), float(time), self.newcomer_seconds)

    def refund(self, hits: Sequence[RateLimitHit]) -> None:
        """Take back one act that turned out not to count against *hits*."""
        factor = self._settings().limits
        if factor and hits:
            intervals = [limit.interval / factor for limit, _ in hits]
            self._connection.script(
                "refund_rate_limit", token=new_token(), limits=self._ids_of(hits), intervals=intervals
            )

    def _ids_of(self, hits: Sequence[RateLimitHit]) -> list[str]:
        """Return what the keys of *hits* have behind ``limit:``.

        They contain digests that only the site's secret can make: a reader of the database learns no visitor's
        address, and no password that somebody typed in place of the name.
        """
        return [f"{limit.kind}-{self.digest(owner)}" for limit, owner in hits]

    def remember_network(self, name: str, network: str) -> None:
        """Remember that the member *name* has logged in from *network*, for KNOWN_NETWORK_SECONDS."""
        self._connection.command("SET", self._known(name, network), "1", "EX", config.KNOWN_NETWORK_SECONDS)

    def knows_network(self, name: str, network: str) -> bool:
        """Tell whether the member *name* has logged in from *network* before."""
        return bool(self._connection.command("EXISTS", self._known(name, network)))

    def _known(self, name: str, network: str) -> str:
        return self._connection.keys.known_network(self.digest(f"{name_key(name)} {network}"))

    def digest(self, owner: str) -> str:
        """Return a digest of a name or network that only the site's secret can make."""
        return blake2b(owner.encode("utf-8", "replace"), digest_size=12, key=self._secret).hexdigest()
