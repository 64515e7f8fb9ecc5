"""Check that sets and rankings hold only things that there are, and that may stand there."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from voteweb.store.accounts.users import member_places
from voteweb.store.connection.commit import guarded
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.looks import Fields
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import Scanner, split_evenly
from voteweb.store.schema.keys import LEFT_OUT, comment_of, invitation_digest, is_article
from voteweb.store.schema.nouns import TYPES
from voteweb.store.schema.numbers import finite_number
from voteweb.store.schema.rankings import BEST_NOUNS, Rankings, group_keys


class Kind(NamedTuple):
    """A kind of things: its name, the key of the hash for which a member stands, and some fields of that.

    ``belongs`` tells of a key and these fields whether the thing may stand in it.
    """

    name: str
    key: Callable[[str], str | None]
    fields: Sequence[str]
    belongs: Callable[[str, Fields], bool]


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check what articles, members and invitations are held where; of a thing itself, its own check tells more."""
    keys, groups = scanner.site_keys, scanner.groups()
    named = Rankings(keys).named

    def may_hold(key: str, fields: Fields) -> bool:
        noun, has_time = keys.split(key)[0], finite_number(fields["time"]) is not None
        is_free = noun in ("reports", "answers", "saved") or (noun == "top-day" and not has_time)
        return fields["title"] is not None and (is_free or key in named(fields))

    article = Kind(
        "article",
        lambda member: f"{keys.prefix}{member}" if is_article(member) else None,
        ("title", "poster", "link", "groups", "time"),
        may_hold,
    )
    member = Kind("member", keys.user, ("id", "name", "role", "since"), lambda *_: True)
    invitation = Kind(
        "invitation",
        lambda member: keys.invite(invitation_digest(member)) if invitation_digest(member) else None,
        ("by",),
        lambda key, fields: key == keys.invites(fields["by"] or ""),
    )
    of_groups = [key for key in group_keys(keys, groups) if TYPES[keys.split(key)[0]] == "zset"]
    of_site = [keys.by_time(), keys.by_score(), keys.good(), keys.top(), keys.held_articles(), keys.answers()]
    spell = (keys.posted, keys.gone, keys.link, keys.domain, keys.top_of_day, keys.saved)
    others = chain.from_iterable(scanner.keys(key("*")) for key in spell)
    lists = [*member_places(keys, {}), keys.leaving()]
    for kind, places in (
        (article, _in_sets(scanner, map(keys.group, groups))),
        (article, scanner.ranking_members(chain(of_site, [keys.reports()], of_groups, others))),
        (member, _in_sets(scanner, lists)),
        (
            Kind("conversation", keys.thread, ("last", "rev", "closes"), lambda *_: True),
            _in_sets(scanner, [keys.removing()]),
        ),
        (invitation, scanner.ranking_members(scanner.keys(keys.invites("*")))),
    ):
        checked = (place for place in places if not _is_no_thing(keys.split(place[0])[0], place[1]))
        yield from scanner.findings(checked, partial(_check, kind))


def _in_sets(scanner: Scanner, found: Iterator[str] | Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((key, member) for key in found for member in scanner.members(key))


def _is_no_thing(noun: str, member: str) -> bool:
    """Tell whether *member* is the mark of what a ranking left out, or a comment, which its own check looks at."""
    return (member == LEFT_OUT and noun in BEST_NOUNS) or (noun == "reports" and comment_of(member) is not None)


def _check(kind: Kind, scanner: Scanner, places: list[tuple[str, str]]) -> Iterator[Finding]:
    """Check these places, each with the thing at one instant."""
    keys = scanner.site_keys
    is_set = [TYPES[keys.split(key)[0]] == "set" for key, _ in places]
    reads = [
        (
            ("SISMEMBER" if of_set else "ZSCORE", key, member),
            ("HMGET", kind.key(member) or keys.article("?"), *kind.fields),
        )
        for (key, member), of_set in zip(places, is_set, strict=True)
    ]
    replies = split_evenly(scanner.run_atomic([read for pair in reads for read in pair]), len(places))
    for (key, member), of_set, (_, read), (place, values) in zip(places, is_set, reads, replies, strict=True):
        fields = dict(zip(kind.fields, values, strict=True))
        exists = any(value is not None for value in values)
        if (place if of_set else place is not None) and not (exists and kind.belongs(key, fields)):
            is_thing = exists and fields.get("title", "") is not None
            why = "which does not belong there" if is_thing else f"which is no {kind.name}"
            remove = ("SREM" if of_set else "ZREM", key, member)
            yield Finding(key, f"holds {member}, {why}", guarded(keys, [read], [values], [remove]))
