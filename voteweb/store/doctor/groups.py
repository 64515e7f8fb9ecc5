"""Check rankings and groups: bounds and lifetimes of rankings, and that every key of a group has one."""

from collections.abc import Iterator
from itertools import chain
from math import isfinite

from voteweb.core import config, validation
from voteweb.core.config import LINK_SECONDS
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import Scanner, split_evenly
from voteweb.store.schema.keys import LEFT_OUT
from voteweb.store.schema.rankings import group_keys


def examine_bounds(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that rankings by votes hold no more than they may, and nothing below what they left out.

    Comes before the articles: without a wrong mark of what it left out, a ranking wants them all.
    """
    keys = scanner.site_keys
    of_days = scanner.keys(keys.top_of_day("*"))
    rankings = chain([keys.top()], map(keys.top_of_group, scanner.groups()), of_days)
    yield from scanner.findings(rankings, _check_bounds)


def _check_bounds(scanner: Scanner, rankings: list[str]) -> Iterator[Finding]:
    commands = [command for key in rankings for command in (("ZCARD", key), ("ZREVRANK", key, LEFT_OUT))]
    replies = split_evenly(scanner.run_atomic(commands), len(rankings))
    for key, (count, above) in zip(rankings, replies, strict=True):
        if above is not None and above != count - 1:
            yield Finding(key, "holds articles below one that it left out", ("ZREM", key, LEFT_OUT))
        elif (count if above is None else above) > config.MAX_RANKED:
            fix = scripts.call("repair_top", [key], [config.MAX_RANKED])
            yield Finding(key, f"holds more than {config.MAX_RANKED} articles", fix)


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all groups, and how long links are remembered."""
    groups = scanner.groups()
    yield from _check_group_keys(scanner, set(groups))
    yield from scanner.findings(groups, _check_titles)
    yield from scanner.unless_mistyped(_check_aliases(scanner, set(groups)))
    yield from scanner.findings(scanner.keys(scanner.site_keys.link("*")), _check_lifetimes)


def _check_lifetimes(scanner: Scanner, link_keys: list[str]) -> Iterator[Finding]:
    """Check that these links are remembered as long as their newest article requires."""
    commands: list[Command] = []
    for key in link_keys:
        commands += [("PEXPIRETIME", key), ("ZREVRANGE", key, 0, 0, "WITHSCORES")]
    replies = split_evenly(scanner.run_atomic(commands), len(link_keys))
    for key, (expires, newest) in zip(link_keys, replies, strict=True):
        if newest and isfinite(newest[0][1]):  # else a finding about its article says so already
            at = int(newest[0][1]) + 1 + LINK_SECONDS
            if expires == -1:
                yield Finding(key, "never expires", ("EXPIREAT", key, at, "NX"))
            elif expires < 1000 * (newest[0][1] + LINK_SECONDS - 1):
                what = "expires before a second posting is no longer a duplicate"
                yield Finding(key, what, ("EXPIREAT", key, at, "GT"))


def _check_titles(scanner: Scanner, groups: list[str]) -> Iterator[Finding]:
    """Check that these groups have a title; that of an imported one is its name."""
    keys = scanner.site_keys
    titles = scanner.run_atomic([("HGET", keys.group_info(name), "title") for name in groups])
    for name, title in zip(groups, titles, strict=True):
        key = keys.group_info(name)
        if not title and scanner.is_group(name):
            reads = [("HGET", key, "title"), ("SISMEMBER", keys.groups(), name)]
            what = f"has {'no' if title is None else 'an empty'} title: it is {name} now"
            yield Finding(key, what, guarded(keys, reads, [title, 1], [("HSET", key, "title", name)]))


def _check_aliases(scanner: Scanner, groups: set[str]) -> Iterator[Finding]:
    """Check that every alias leads to a group, and is none itself."""
    key = scanner.site_keys.group_aliases()
    for alias, name in scanner.command("HGETALL", key).items():
        is_lost = name not in groups and not scanner.is_group(name)
        if is_lost or alias in groups:
            what = f"leads from {alias:.60} to {name:.60}: " + (
                "there is no such group" if is_lost else "both are groups"
            )
            yield Finding(key, what, ("HDEL", key, alias))


def _check_group_keys(scanner: SpoolingScanner, groups: set[str]) -> Iterator[Finding]:
    """Check that every key of a group belongs to one; a group that has a title is made, the rest of another deleted."""
    keys = scanner.site_keys
    for key in chain.from_iterable(map(scanner.keys, [keys.group_info("*"), *group_keys(keys, ["*"])])):
        _, name = keys.split(key)
        if not name or "+" in name or name in groups:
            continue
        reads: list[Command] = [("SISMEMBER", keys.groups(), name), ("EXISTS", keys.group_info(name))]
        is_group, has_info, exists = scanner.run_atomic([*reads, ("EXISTS", key)])  # it may just be made or deleted
        if is_group or not exists:
            continue
        repair: Command = ("SADD", keys.groups(), name) if has_info else ("UNLINK", *group_keys(keys, [name]))
        fix, why_not = guarded(keys, reads, [0, has_info], [repair]), ""
        if not validation.accepts(validation.group_name, name):
            fix, why_not = (), f"{name} is no name for a group: another program made this key"
        yield Finding(key, f"belongs to no group: {keys.groups()} lacks {name}", fix, why_not)
