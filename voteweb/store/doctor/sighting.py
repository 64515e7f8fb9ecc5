"""What the database says of one article, in its own hash and in every place that may hold it, at one instant."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from voteweb import config, links
from voteweb.store import keys, rows
from voteweb.store.look import Look


class Facts(NamedTuple):
    """What an article's keys are named after, as it is stored; None for a field that is missing."""

    groups: str | None
    poster: str | None
    link: str | None

    @property
    def names(self) -> list[str]:
        """The names of the article's groups."""
        return list(dict.fromkeys((self.groups or "").split()))

    @property
    def owner(self) -> str:
        """The key of the poster, also where nobody is named."""
        return keys.user(self.poster or config.NOBODY)

    @property
    def link_key(self) -> str:
        """The key under whose link the article is found."""
        return keys.link(links.digest(self.link or ""))

    @property
    def rankings(self) -> list[str]:
        """The rankings that may hold the article."""
        poster = self.poster or ""
        of_groups = [spell(name) for name in self.names for spell in (keys.group_by_time, keys.group_by_score)]
        site = [keys.by_time(), keys.by_score(), keys.good()]
        return [*site, *of_groups, keys.posted(poster), keys.gone(poster), self.link_key]


class Membership(NamedTuple):
    """Whether a group that an article names exists, and whether its set holds the article."""

    exists: bool
    holds: bool


class Sighting(NamedTuple):
    """One article as it was seen at the unix time ``now``."""

    now: float
    name: str
    facts: Facts
    #: The fields of :data:`voteweb.store.rows.FIELDS`, as stored.
    values: list[str | None]
    base: str | None
    voters: int
    is_member: bool
    groups: dict[str, Membership]
    #: Of each ranking that may hold the article its number there, or None.
    stands: dict[str, str | None]

    @property
    def known(self) -> list[str]:
        """The article's groups that exist."""
        return [name for name, group in self.groups.items() if group.exists]


def questions(name: str, facts: Facts) -> list[tuple[Any, ...]]:
    """Return the commands whose answers :func:`seen` takes."""
    return [
        ("HMGET", name, *Facts._fields),
        ("HMGET", name, *rows.FIELDS, "base"),
        ("SCARD", keys.voted(keys.article_id(name))),
        ("HEXISTS", facts.owner, "id"),
        *(("SISMEMBER", keys.groups(), group) for group in facts.names),
        *(("SISMEMBER", keys.group(group), name) for group in facts.names),
        *(("ZSCORE", key, name) for key in facts.rankings),
    ]


def seen(now: float, name: str, facts: Facts, answers: Sequence[Any]) -> Sighting | None:
    """Return what *answers* say of an article; None where it has other groups, poster or link by now."""
    after, (*values, base), voters, is_member, *rest = answers
    if Facts(*after) != facts:
        return None
    names = facts.names
    told = iter(rest)
    exist, inside = list(islice(told, len(names))), list(islice(told, len(names)))
    groups = {name: Membership(bool(a), bool(b)) for name, a, b in zip(names, exist, inside, strict=True)}
    stands = dict(zip(facts.rankings, told, strict=True))
    return Sighting(now, name, facts, values, base, voters, bool(is_member), groups, stands)


def look_at(look: Look, names: Sequence[str]) -> Iterator[tuple[str, Sighting | None]]:
    """Yield each of *names* with its sighting, or with None where the article changed while it was looked at."""
    facts = [Facts(*each) for each in look.at_once([("HMGET", name, *Facts._fields) for name in names])]
    asked = [questions(name, each) for name, each in zip(names, facts, strict=True)]
    (seconds, _), *answers = look.at_once([("TIME",), *(words for each in asked for words in each)])
    told = iter(answers)
    for name, each, commands in zip(names, facts, asked, strict=True):
        yield name, seen(float(seconds), name, each, list(islice(told, len(commands))))
