"""The settings that shape stored scores, the switches of the site's admins, and the rule that is about a link."""

import json
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import redis

from voteweb.core import config, links, ranking, site_switches
from voteweb.core.errors import ConfigError, DataDamaged, StillRescoring, Unavailable
from voteweb.core.models import DomainRule, LogEntry, Role, User
from voteweb.core.settings import Settings, env_name
from voteweb.core.settings_in_force import (
    FIELDS,
    RESCORED,
    RESCORING,
    SINCE,
    SITE_ID,
    changes,
    not_in_force,
    stored_fields,
    with_stored,
)
from voteweb.core.site_switches import FACE, ON, TEXTS, SiteSwitches, Switch, SwitchName
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.values import article_of, finite_number, json_object, parse_rule, parse_switch
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.rows import read_rows


def read_rule(attempt: Attempt, link: str) -> DomainRule | None:
    """Return the rule about the host of a link, or else of the closest domain above it; None if there is none."""
    domains = links.rule_domains(link)
    stored = attempt.value("HMGET", attempt.keys.domain_rules(), *domains) if domains else ()
    return closest_rule(domains, stored)


def closest_rule(domains: Sequence[str], stored: Sequence[str | None]) -> DomainRule | None:
    """Return the first rule of these *domains*, of which *stored* are the texts; None if there is none."""
    rules = (parse_rule(domain, text) for domain, text in zip(domains, stored, strict=True) if text)
    return next((rule for rule in rules if rule), None)


#: Articles whose scores tell what a vote was worth.
_SAMPLE = 500
#: Values of a vote, and limits of days, that are compared by how many of these scores they explain.
_CANDIDATES = 10
#: Seconds that a stored score may differ from a computed one, as sums of floating-point numbers do.
_TOLERANCE = 0.01
_MAX_LIFT = 86_400 * config.MAX_LIFT_DAYS
_MIN_WORTH, _MAX_WORTH = (Settings.__dataclass_fields__["vote_score"].metadata[bound] for bound in ("min", "max"))


class Rescored(NamedTuple):
    """How many of the listed articles have been seen since a change of the weights."""

    seen: int
    total: int


class SiteSettings(StorePart):
    """The settings and the switches of one site that are in its data."""

    def read_settings(self) -> Settings:
        """Return the settings in force, as far as the data have them; the others are those of the environment."""
        try:
            return with_stored(self._settings, self._connection.command(*read_command(self._keys)))
        except DataDamaged:  # a key of another type, which the doctor names
            return self._settings

    def take_settings(self, *, writes: bool = True) -> None:
        """Put the stored settings in force.

        With *writes*, the data take from the environment what they lack, and a new id. Raises ConfigError if stored
        scores tell of other settings than the environment. If the database is away, refuses us or has lost the data,
        the settings are those of the environment until a later start.
        """
        context, key = self._context, self._keys.site()
        with suppress(Unavailable, redis.ResponseError):
            stored, is_restoring, (now, _) = self._connection.run([*context.queries(), ("TIME",)])
            context.refuse_lost(stored, is_restoring)
            fields = stored_fields(self._settings)
            if not fields.keys() <= stored.keys():
                refuse_other_scores(self._connection, self._settings)
            fields |= {SINCE: str(now), SITE_ID: context.site_id or secrets.token_hex(8)}
            missing = [("HSETNX", key, field, value) for field, value in fields.items() if field not in stored]
            if writes and missing:
                # Of two processes that start at once, the second finds all fields of the first.
                *_, stored = self._connection.run([*missing, ("HGETALL", key)], atomic=True)
                context.refuse_lost(stored, is_restoring)
            self._put_in_force(stored)

    def change_settings(
        self, change: Callable[[Settings], Settings], entry: LogEntry, *, actor: User | None = None
    ) -> bool:
        """Put in force all at once what *change* makes of the settings; tell whether that changes anything.

        If it changes the places of articles, they are to be rescored then; another change waits for the end of that.
        Raises StillRescoring, LoggedOut, and NotAllowed unless *actor* is an admin.
        """
        key = self._keys.site()

        def decide(attempt: Attempt) -> list[Command]:
            stored, mark = attempt.read(read_command(self._keys), ("HGET", key, RESCORING))
            before = with_stored(self._settings, stored)
            after = change(before)
            fields = stored_fields(after)
            if stored == list(fields.values()):
                return []
            if mark is not None:
                raise StillRescoring
            changed = changes(before, after).items()
            attempt.removed = " ".join(f"{field}={old}" for field, (old, _) in changed)
            attempt.added = " ".join(f"{field}={new}" for field, (_, new) in changed)
            fields[SINCE] = attempt.now
            if before.weights != after.weights:
                fields |= {RESCORING: attempt.now, RESCORED: "0"}
            return [("HSET", key, *(text for pair in fields.items() for text in pair))]

        return commit(self._connection, decide, actor=actor, role=Role.ADMIN, entry=entry)

    def queue_rescored(self, pipeline: Pipeline) -> Future[Rescored | None]:
        """Queue a read of how far the rescoring is after a change of the weights; None if there is none."""

        def parse(replies: list[Any]) -> Rescored | None:
            (mark, seen), total = replies
            return Rescored(min(int(finite_number(seen) or 0), total), total) if mark else None

        commands: list[Command] = [("HMGET", self._keys.site(), RESCORING, RESCORED), ("ZCARD", self._keys.by_time())]
        return pipeline.queue(commands, parse)

    def unfinished_change(self) -> str | None:
        """Return the mark of a change after which not all articles are rescored, None if they are."""
        mark: str | None = self._connection.command("HGET", self._keys.site(), RESCORING)
        return mark

    def write_while(self, mark: str, write: Command) -> None:
        """Do *write* if the change of this *mark* is the unfinished one."""
        read = ("HGET", self._keys.site(), RESCORING)
        commit(self._connection, lambda attempt: [write] if attempt.read(read) == [mark] else [], remembers=False)

    @act(Role.ADMIN, when_full=True)
    def set_switch(
        self, attempt: Attempt, name: SwitchName, value: str, entry: LogEntry, *, actor: User
    ) -> list[Command] | None:
        """Set a switch to *value* with the words of *entry*, or clear it with the value "".

        Raises LoggedOut, and NotAllowed unless *actor* is an admin.
        """
        key = self._keys.site()
        stored = attempt.value("HGET", key, name.value)
        switch = json_object(stored)
        if (switch.get("value"), switch.get("words")) == (value, entry.why) or not (value or stored):
            return None
        attempt.added = ON if value and name in FACE else value  # the log copies no words of the face
        switch = {"value": value, "words": entry.why, "by": entry.who, "time": attempt.now}
        return [("HSET", key, name.value, json.dumps(switch)) if value else ("HDEL", key, name.value)]

    @act(Role.ADMIN)
    def set_text(
        self, attempt: Attempt, name: SwitchName, text: str, entry: LogEntry, *, actor: User
    ) -> list[Command] | None:
        """Put the *text* of a page in force, "" for that of the program, and keep it with those before it.

        Raises LoggedOut, and NotAllowed unless *actor* is an admin.
        """
        key, texts = self._keys.site(), self._keys.page_texts(name)
        stored, newest = attempt.read(("HGET", key, name.value), ("ZREVRANGE", texts, 0, 0))
        last = json_object(newest[0] if newest else None)
        is_newest = text == last.get("words")
        if (is_newest and stored) or not (text or stored):
            return None
        if not text:
            return [("HDEL", key, name.value)]
        # The newest stays the newest if the database's clock was put back.
        time = max(float(attempt.now), (finite_number(str(last.get("time"))) or 0.0) + 0.001)
        attempt.added, switch = ON, {"value": ON, "words": "", "by": entry.who, "time": time}
        add = ("ZADD", texts, time, json.dumps(switch | {"words": text}))
        versions = [] if is_newest else [add, ("ZREMRANGEBYRANK", texts, 0, -2 - config.EARLIER_TEXTS)]
        return [("HSET", key, name.value, json.dumps(switch)), *versions]

    def queue_texts(self, pipeline: Pipeline, name: str) -> Future[tuple[Switch, ...]]:
        """Queue a read of the texts that admins wrote for a page, the newest first."""
        texts = ("ZREVRANGE", self._keys.page_texts(name), 0, -1)
        return pipeline.queue_one(texts, lambda stored: tuple(filter(None, map(parse_switch, stored))))

    def queue_switches(self, pipeline: Pipeline) -> Future[SiteSwitches]:
        return pipeline.queue_one(("HGETALL", self._keys.site()), _switches)

    def read_switches(self, *, deadline: float | None = 0) -> SiteSwitches:
        """Return all switches, and take the database's time; raise Unavailable, and DataLost if the data are gone.

        The settings that were read with them are put in force, so that a change reaches each process, and the first
        articles of the front page are kept. No switch is set in a key of another type, which the doctor names, and no
        article is first in one: no page must fail for it. With the *deadline* 0 the database is asked once.
        """
        context, stored = self._context, dict[str, str]()
        front = read_rows(self._keys, self._keys.by_score(), 0, config.FRONT_TITLES + 1, decoding.FIELDS)
        for more in ([front], []):  # the switches hold although a ranking is damaged
            with suppress(DataDamaged):
                queries = [*context.queries(), *more]
                stored, is_restoring, *replies = self._connection.run_and_compare_clocks(*queries, deadline=deadline)
                context.refuse_lost(stored, is_restoring)
                rows = tuple(row for reply in replies for row in decoding.rows(reply) if row)
                context.front = context.front if context.front == rows else rows
                break
        switches = self._put_in_force(stored)
        self._read_texts(switches, deadline)
        return switches

    def _read_texts(self, switches: SiteSwitches, deadline: float | None) -> None:
        """Read the texts of pages again if the switches say that there are others."""
        context, shown = self._context, {name: switches[name] for name in TEXTS if name in switches}
        if context.shown == shown:
            return
        replies = list[Any]()
        with suppress(DataDamaged):  # a key of another type, which the doctor names
            reads = [("ZREVRANGE", self._keys.page_texts(name), 0, 0) for name in shown]
            replies = self._connection.run(reads, deadline=deadline) if reads else []
        newest = {name: parse_switch(stored[0]) for name, stored in zip(shown, replies, strict=False) if stored}
        context.shown, context.texts = shown, {name: text.words for name, text in newest.items() if text}

    def _put_in_force(self, stored: dict[str, str]) -> SiteSwitches:
        """Put the settings *stored* in force as the switches stored with them override them; return these switches."""
        switches = _switches(stored)
        self._context.put_in_force(with_stored(self._context.unswitched, map(stored.get, FIELDS)), switches)
        return switches


def _switches(stored: dict[str, str]) -> SiteSwitches:
    read = {SwitchName(name): parse_switch(text) for name, text in stored.items() if name in set(SwitchName)}
    return site_switches.switches({name: switch for name, switch in read.items() if switch})


def read_command(keys: Keys) -> Command:
    """Return the command that reads the fields of the settings."""
    return ("HMGET", keys.site(), *FIELDS)


def settings_of(attempt: Attempt, settings: Settings) -> Settings:
    """Return the settings in force for a guarded commit: *settings* with the values of the data."""
    try:
        return with_stored(settings, attempt.value(*read_command(attempt.keys)))
    except DataDamaged:  # a key of another type, which the doctor names: scripts take these values, too
        return settings


#: The votes of articles, and by how many seconds they lift each.
_Lifts = Sequence[tuple[int, float]]


def refuse_other_scores(connection: Connection, settings: Settings) -> None:
    """Raise ConfigError if other values than those of *settings* explain more of the stored scores.

    The score of one article may be damaged: it tells nothing.
    """
    scored = _read_scores(connection)
    told = _told(scored, settings)
    if _explained(scored, told) <= _explained(scored, settings) + 1:
        return
    raise ConfigError(
        "The scores of the articles were computed with %(told)s, and the environment says another: %(wanted)s. Start "
        "with %(told)s. `voteweb rescore --to-environment` changes them afterwards.",
        told=" and ".join(f"{env_name(name)}={getattr(told, name)}" for name in ("vote_score", "lift_days")),
        wanted=", ".join(f"{env_name(name)}={value}" for name, value in not_in_force(settings, told).items()),
    )


def _read_scores(connection: Connection) -> _Lifts:
    """Return how far votes lift those of the best articles that voteweb wrote."""
    keys = connection.keys
    best = connection.command("ZREVRANGE", keys.by_score(), 0, _SAMPLE - 1, "WITHSCORES")
    ids = [(id, float(score)) for member, score in best if (id := article_of(member))]
    if not ids:
        return []
    replies = connection.run([("HMGET", keys.article(id), "time", "votes", "base") for id, _ in ids])
    scored = []
    for (_, score), (time, votes, base) in zip(ids, replies, strict=True):
        published, count = finite_number(time), finite_number(votes)
        if base is not None and published is not None and count is not None and count > 0:
            scored.append((int(count), score - published))
    return scored


def _told(scored: _Lifts, settings: Settings) -> Settings:
    """Return *settings* with the value of a vote, and the limit of days, that explain most of the scores."""
    worths = Counter(round(lift / votes, 4) for votes, lift in scored).most_common(_CANDIDATES)
    limits = Counter(round(lift) for _, lift in scored if round(lift) % 86_400 == 0)
    days = [0, *(lift // 86_400 for lift, _ in limits.most_common(_CANDIDATES) if 0 < lift <= _MAX_LIFT)]
    return max(
        (
            replace(settings, vote_score=worth, lift_days=day)
            for worth in (settings.vote_score, *(worth for worth, _ in worths if _MIN_WORTH <= worth <= _MAX_WORTH))
            for day in days
        ),
        key=lambda told: _explained(scored, told),
    )


def _explained(scored: _Lifts, settings: Settings) -> int:
    return sum(abs(lift - ranking.lift(votes, settings)) < _TOLERANCE for votes, lift in scored)
