"""Check rankings and groups: every member is an article that belongs there, every key of a group has its group.

Whether an article has all its places is checked from the article; here is what cannot be seen from there.
"""

from collections.abc import Iterator
from itertools import chain
from math import isfinite

from voteweb.core import links, validation
from voteweb.core.config import LINK_SECONDS
from voteweb.core.ranking import day_name, day_number
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.keys import LEFT_OUT, Keys, article_id, is_article
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner, split_evenly

_FIELDS = ("title", "poster", "link", "groups", "time")
#: The nouns of rankings by votes.
_TOP = frozenset({"top", "top-day", "top-group"})


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check the members of every ranking and group."""
    keys, groups = scanner.site_keys, scanner.groups()
    yield from _check_group_keys(scanner, set(groups))
    yield from scanner.findings(groups, _check_titles)
    yield from scanner.unless_mistyped(_check_aliases(scanner, set(groups)))
    of_site = [keys.by_time(), keys.by_score(), keys.good(), keys.top(), keys.held_articles()]
    kinds = (keys.group_by_time, keys.group_by_score, keys.top_of_group)
    of_groups = [ranking(name) for name in groups for ranking in kinds]
    patterns = (keys.posted("*"), keys.gone("*"), keys.link("*"), keys.domain("*"), keys.top_of_day("*"))
    others = chain.from_iterable(scanner.keys(pattern) for pattern in patterns)
    sets = ((key, member) for key in map(keys.group, groups) for member in scanner.members(key))
    rankings = chain(scanner.ranking_members([*of_site, *of_groups]), scanner.ranking_members(others))
    yield from scanner.findings(chain(sets, rankings), _check_members)
    yield from scanner.findings(scanner.keys(keys.link("*")), _check_lifetimes)


def _check_members(scanner: Scanner, places: list[tuple[str, str]]) -> Iterator[Finding]:
    """Check that each member of these sets and rankings is an article that belongs there."""
    keys = scanner.site_keys
    places = [place for place in places if place[1] != LEFT_OUT or keys.split(place[0])[0] not in _TOP]
    for key, member in places:
        if not is_article(member):
            yield Finding(key, f"holds {member}, which is no article", fixes.remove_member(keys, key, member))
    places = [(key, member) for key, member in places if is_article(member)]
    commands: list[Command] = []
    for key, member in places:
        look_up = "SISMEMBER" if keys.split(key)[0] == "group" else "ZSCORE"
        commands += [("HMGET", keys.article(article_id(member)), *_FIELDS), (look_up, key, member)]
    replies = split_evenly(scanner.run_atomic(commands), len(places))
    for (key, member), (values, present) in zip(places, replies, strict=True):
        if present in (None, 0):  # removed since it was found
            continue
        fields = dict(zip(_FIELDS, values, strict=True))
        stray = _stray(keys, key, fields)
        if stray:
            field, why = stray
            article = keys.article(article_id(member))
            fix = fixes.remove_stray_member(key, member, article, field, fields[field])
            yield Finding(key, f"holds {member}, {why}", fix)


def _stray(keys: Keys, key: str, fields: dict[str, str | None]) -> tuple[str, str] | None:
    """Return the field that says that an article does not belong into *key*, and why in words; None if it does."""
    noun, name = keys.split(key)
    if fields["title"] is None:
        return "title", "which is no article"
    if noun in ("posted", "gone"):
        poster = fields["poster"] or ""
        is_theirs = key in (keys.posted(poster), keys.gone(poster))
        return None if is_theirs else ("poster", f"which {poster or 'nobody'} posted")
    if noun == "link":
        link = fields["link"]
        return None if link and keys.link(links.digest(link)) == key else ("link", "which has another link")
    if noun == "domain":
        is_theirs = links.listed_domain(fields["link"] or "") == name
        return None if is_theirs else ("link", "which has another link")
    if noun == "top-day":
        time = finite_number(fields["time"])
        is_theirs = time is None or day_name(day_number(time)) == name
        return None if is_theirs else ("time", "which was published on another day")
    groups = (fields["groups"] or "").split()
    return ("groups", f"whose groups are {' '.join(groups) or 'none'}") if name and name not in groups else None


def _check_lifetimes(scanner: Scanner, link_keys: list[str]) -> Iterator[Finding]:
    """Check that these links are remembered as long as their newest article requires."""
    commands: list[Command] = []
    for key in link_keys:
        commands += [("PEXPIRETIME", key), ("ZREVRANGE", key, 0, 0, "WITHSCORES")]
    replies = split_evenly(scanner.run_atomic(commands), len(link_keys))
    for key, (expires, newest) in zip(link_keys, replies, strict=True):
        if newest and isfinite(newest[0][1]):  # else a finding about its article says so already
            fix_never, fix_early = fixes.expiry(key, newest[0][1])
            if expires == -1:
                yield Finding(key, "never expires", fix_never)
            elif expires < 1000 * (newest[0][1] + LINK_SECONDS - 1):
                yield Finding(key, "expires before a second posting is no longer a duplicate", fix_early)


def _check_titles(scanner: Scanner, groups: list[str]) -> Iterator[Finding]:
    """Check that these groups have a title; that of an imported one is its name."""
    keys = scanner.site_keys
    titles = scanner.run_atomic([("HGET", keys.group_info(name), "title") for name in groups])
    for name, title in zip(groups, titles, strict=True):
        key = keys.group_info(name)
        if title is None and scanner.is_group(name):
            yield Finding(key, f"has no title: it is {name} now", ("HSETNX", key, "title", name))
        elif not title:
            yield Finding(key, f"has an empty title: it is {name} now", fixes.field(key, "title", "", name))


def _check_aliases(scanner: Scanner, groups: set[str]) -> Iterator[Finding]:
    """Check that every alias leads to a group, and is none itself."""
    key = scanner.site_keys.group_aliases()
    (aliases,) = scanner.run_atomic([("HGETALL", key)])
    for alias, name in aliases.items():
        if name not in groups and not scanner.is_group(name):
            yield Finding(key, f"leads from {alias:.60} to {name:.60}, which is no group", ("HDEL", key, alias))
        elif alias in groups:
            yield Finding(key, f"leads from {alias:.60}, which is a group, to {name:.60}", ("HDEL", key, alias))


def _is_left_behind(scanner: Scanner, key: str, name: str) -> bool:
    """Tell whether a *key* of the group *name* is there without the group, which may just be made or deleted."""
    is_group, exists = scanner.run_atomic([("SISMEMBER", scanner.site_keys.groups(), name), ("EXISTS", key)])
    return bool(exists) and not is_group


def _check_group_keys(scanner: Scanner, groups: set[str]) -> Iterator[Finding]:
    """Check that every key of a group belongs to a group that exists."""
    keys = scanner.site_keys
    for pattern in (
        keys.group("*"),
        keys.group_info("*"),
        keys.group_by_time("*"),
        keys.group_by_score("*"),
        keys.top_of_group("*"),
    ):
        for key in scanner.keys(pattern):
            _, name = keys.split(key)
            if name and "+" not in name and name not in groups and _is_left_behind(scanner, key, name):
                what = f"belongs to no group: {keys.groups()} lacks {name}"
                if validation.accepts(validation.group_name, name):
                    yield Finding(key, what, fixes.group(keys, name, is_named=False))
                else:
                    yield Finding(key, what, why_not=f"{name} is no name for a group: another program made this key")
