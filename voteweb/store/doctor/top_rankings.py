"""Check the bounds of rankings by votes; whether an article has its places in them is checked with the article."""

from collections.abc import Iterator
from itertools import chain

from voteweb.core import config
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.keys import LEFT_OUT
from voteweb.store.scanner import split_evenly


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that rankings by votes hold no more than they may, and nothing below what they left out.

    Comes before the articles: without a wrong mark of what it left out, a ranking wants them all.
    """
    keys = scanner.site_keys
    of_days = scanner.keys(keys.top_of_day("*"))
    rankings = chain([keys.top()], map(keys.top_of_group, scanner.groups()), of_days)
    yield from scanner.findings(rankings, _check)


def _check(scanner: SpoolingScanner, rankings: list[str]) -> Iterator[Finding]:
    commands: list[Command] = []
    for key in rankings:
        commands += [("ZCARD", key), ("ZREVRANK", key, LEFT_OUT)]
    replies = split_evenly(scanner.run_atomic(commands), len(rankings))
    for key, (count, above) in zip(rankings, replies, strict=True):
        if above is not None and above != count - 1:
            yield Finding(key, "holds articles below one that it left out", ("ZREM", key, LEFT_OUT))
        elif (count if above is None else above) > config.MAX_RANKED:
            yield Finding(key, f"holds more than {config.MAX_RANKED} articles", fixes.top(key))
