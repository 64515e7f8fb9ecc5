"""Snapshots: what an article's hash and every place that may hold it contain, read at one instant."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from voteweb.core import config, links
from voteweb.store import decoding
from voteweb.store.article_lists import SiteLists, site_lists
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import LEFT_OUT, Keys, article_member
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner


class KeyFields(NamedTuple):
    """The fields that an article's keys are named after, as stored; None for a missing one."""

    groups: str | None
    poster: str | None
    link: str | None
    time: str | None

    @property
    def group_names(self) -> list[str]:
        """The names of the article's groups."""
        return list(dict.fromkeys((self.groups or "").split()))

    def poster_key(self, keys: Keys) -> str:
        """Return the key of the poster, also if nobody is named."""
        return keys.user(self.poster or config.DELETED_MEMBER)

    def link_key(self, keys: Keys) -> str:
        """Return the key under whose link the article is found."""
        return keys.link(links.digest(self.link or ""))

    def site_lists(self, keys: Keys) -> SiteLists:
        """Return the rankings of the site that may hold the article."""
        time = finite_number(self.time)
        return site_lists(keys, time if time is not None and abs(time) < config.MAX_TIME else 0.0, self.link or "")

    def rankings(self, keys: Keys) -> list[str]:
        """Return the keys of the rankings that may hold the article."""
        poster = self.poster or ""
        kinds = (keys.group_by_time, keys.group_by_score, keys.top_of_group)
        of_groups = [key(name) for name in self.group_names for key in kinds]
        site = self.site_lists(keys).keys
        return [*site, *of_groups, keys.posted(poster), keys.gone(poster), keys.held_articles(), self.link_key(keys)]


class Membership(NamedTuple):
    """Whether a group that an article names exists, and whether its set holds the article."""

    exists: bool
    holds: bool


class Snapshot(NamedTuple):
    """One article at the unix time ``now``."""

    now: float
    id: int
    key_fields: KeyFields
    #: The fields of :data:`voteweb.store.decoding.FIELDS`, as stored.
    values: list[str | None]
    base: str | None
    voters: int
    poster_exists: bool
    has_thread: bool
    groups: dict[str, Membership]
    #: The article's score in each ranking that may hold it, or None.
    scores: dict[str, str | None]
    #: What the best article that a ranking by votes left out is worth, or None.
    left_out: dict[str, str | None]

    def field(self, name: str) -> str | None:
        """Return one of the fields of :data:`voteweb.store.decoding.FIELDS`, as stored."""
        return self.values[decoding.FIELDS.index(name)]

    @property
    def member(self) -> str:
        """The member that stands for the article in sets and rankings."""
        return article_member(self.id)

    @property
    def existing_groups(self) -> list[str]:
        """Those of the article's groups that exist."""
        return [name for name, group in self.groups.items() if group.exists]


def snapshot_commands(keys: Keys, id: int, fields: KeyFields) -> list[Command]:
    """Return the commands whose replies :func:`parse_snapshot` takes."""
    key, member = keys.article(id), article_member(id)
    return [
        ("HMGET", key, *KeyFields._fields),
        ("HMGET", key, *decoding.FIELDS, "base"),
        ("SCARD", keys.voted(id)),
        ("HEXISTS", fields.poster_key(keys), "id"),
        ("EXISTS", keys.thread(id)),
        *(("SISMEMBER", keys.groups(), group) for group in fields.group_names),
        *(("SISMEMBER", keys.group(group), member) for group in fields.group_names),
        *(("ZMSCORE", ranking, member, LEFT_OUT) for ranking in fields.rankings(keys)),
    ]


def parse_snapshot(keys: Keys, now: float, id: int, fields: KeyFields, replies: Sequence[Any]) -> Snapshot | None:
    """Return the snapshot that *replies* make; None if the article has other groups, poster or link by now."""
    present, (*values, base), voters, poster_exists, has_thread, *rest = replies
    if KeyFields(*present) != fields:
        return None
    names = fields.group_names
    remaining = iter(rest)
    exist, hold = list(islice(remaining, len(names))), list(islice(remaining, len(names)))
    groups = {
        name: Membership(bool(exists), bool(holds)) for name, exists, holds in zip(names, exist, hold, strict=True)
    }
    places = dict(zip(fields.rankings(keys), remaining, strict=True))
    scores = {key: score for key, (score, _) in places.items()}
    left_out = {key: worth for key, (_, worth) in places.items()}
    return Snapshot(
        now, id, fields, values, base, voters, bool(poster_exists), bool(has_thread), groups, scores, left_out
    )


def take_snapshots(scanner: Scanner, ids: Sequence[int]) -> Iterator[tuple[int, Snapshot | None]]:
    """Yield each of *ids* with its snapshot, or with None if the article changed while it was read."""
    keys = scanner.site_keys
    stored = scanner.run_atomic([("HMGET", keys.article(id), *KeyFields._fields) for id in ids])
    fields_of = {id: KeyFields(*fields) for id, fields in zip(ids, stored, strict=True)}
    commands_of = {id: snapshot_commands(keys, id, fields) for id, fields in fields_of.items()}
    commands = [command for commands in commands_of.values() for command in commands]
    (seconds, _), *replies = scanner.run_atomic([("TIME",), *commands])
    remaining = iter(replies)
    for id, fields in fields_of.items():
        own_replies = list(islice(remaining, len(commands_of[id])))
        yield id, parse_snapshot(keys, float(seconds), id, fields, own_replies)
