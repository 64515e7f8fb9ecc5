"""Statistics: what happens on each UTC day, counted by the scripts that do it or read from rankings by time."""

import re
from collections.abc import Mapping
from typing import Any

from voteweb.core import clock, config
from voteweb.core.ranking import day_name, day_number
from voteweb.core.statistics import DayCounts
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scan.scanner import split_evenly
from voteweb.store.schema.keys import Keys

_COUNT = re.compile(r"-?[0-9]{1,12}")


def queue_days(pipeline: Pipeline, keys: Keys, now: float, count: int) -> Future[tuple[DayCounts, ...]]:
    """Queue a read of the last *count* UTC days up to *now*, oldest first: three small commands for each."""
    today = day_number(now)
    days = range(today - count + 1, today + 1)
    commands: list[Command] = []
    for day in days:
        period = (day * 86_400, f"({(day + 1) * 86_400}")
        commands += [
            ("ZCOUNT", keys.by_time(), *period),
            ("ZCOUNT", keys.users(), *period),
            ("HGETALL", keys.stats(day_name(day))),
        ]

    def parse(replies: list[Any]) -> tuple[DayCounts, ...]:
        parts = split_evenly(replies, count)
        return tuple(_counts(day_name(day), *part) for day, part in zip(days, parts, strict=True))

    return pipeline.queue(commands, parse)


def this_day() -> str:
    """Return this UTC day as ``2026-11-22``."""
    return day_name(day_number(clock.now()))


def count_act(keys: Keys, *fields: str) -> list[Command]:
    """Return the writes that count an act in these fields of this day's counters, which expire."""
    key = keys.stats(this_day())
    return [*(("HINCRBY", key, field, 1) for field in fields), ("EXPIRE", key, config.STATISTICS_SECONDS, "NX")]


def _counts(day: str, posts: int, sign_ups: int, fields: Mapping[str, str]) -> DayCounts:
    counts = {name: max(int(value), 0) for name, value in fields.items() if _COUNT.fullmatch(value)}
    waits = {int(name[5:]): count for name, count in counts.items() if re.fullmatch("wait-[0-9]{1,2}", name)}
    named = {name: counts.get(name, 0) for name in ("votes", "comments", "reports", "settled")}
    return DayCounts(day, posts=posts, sign_ups=sign_ups, waits=waits, **named)
