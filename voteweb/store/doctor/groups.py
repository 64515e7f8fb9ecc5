"""Check rankings and groups: what cannot be seen from one article.

Their members are articles that belong there, they keep their bounds and lifetimes, and every key of a group has one.
"""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from math import isfinite

from voteweb.core import config, validation
from voteweb.core.config import LINK_SECONDS
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.articles import GROUP_NOUNS
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.looks import Fields, find_strays
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import Scanner, split_evenly
from voteweb.store.schema.keys import LEFT_OUT, Keys, is_article
from voteweb.store.schema.rankings import BEST_NOUNS, Rankings, group_keys
from voteweb.store.schema.values import finite_number

_FIELDS = ("title", "poster", "link", "groups", "time")


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
            fix = scripts.call(scanner.site_keys, "repair_top", ranking=key)
            yield Finding(key, f"holds more than {config.MAX_RANKED} articles", fix)


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check the members of every ranking and group, and all groups."""
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
    ranked = (
        place
        for place in scanner.ranking_members(chain(of_site, of_groups, others))
        if place[1] != LEFT_OUT or keys.split(place[0])[0] not in BEST_NOUNS
    )
    check = partial(find_strays, key_of=partial(article_key, keys), fields=_FIELDS, why=partial(_why_stray, keys))
    yield from scanner.findings(chain(sets, ranked), lambda scanner, places: check(scanner, places=places))
    yield from scanner.findings(scanner.keys(keys.link("*")), _check_lifetimes)


def article_key(keys: Keys, member: str) -> str | None:
    """Return the key of the article for which *member* stands, None if it stands for none."""
    return f"{keys.prefix}{member}" if is_article(member) else None


def _why_stray(keys: Keys, key: str, fields: Fields) -> str:
    """Return why an article with these *fields* does not belong into *key*, "" if it may."""
    if fields["title"] is None:
        return "which is no article"
    noun, _ = keys.split(key)
    if key in Rankings(keys).named(fields) or (noun == "top-day" and finite_number(fields["time"]) is None):
        return ""
    if noun in GROUP_NOUNS or noun == "top-group":
        return f"whose groups are {' '.join((fields['groups'] or '').split()) or 'none'}"
    if noun in ("posted", "gone"):
        return f"which {fields['poster'] or 'nobody'} posted"
    return "which was published on another day" if noun == "top-day" else "which has another link"


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
    (aliases,) = scanner.run_atomic([("HGETALL", key)])
    for alias, name in aliases.items():
        if name not in groups and not scanner.is_group(name):
            yield Finding(key, f"leads from {alias:.60} to {name:.60}, which is no group", ("HDEL", key, alias))
        elif alias in groups:
            yield Finding(key, f"leads from {alias:.60}, which is a group, to {name:.60}", ("HDEL", key, alias))


def _check_group_keys(scanner: Scanner, groups: set[str]) -> Iterator[Finding]:
    """Check that every key of a group belongs to one; a group that has a title is made, the rest of another deleted."""
    keys = scanner.site_keys
    kinds = (keys.group, keys.group_info, keys.group_by_time, keys.group_by_score, keys.top_of_group)
    for key in chain.from_iterable(scanner.keys(kind("*")) for kind in kinds):
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
