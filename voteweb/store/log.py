"""The public log: what moderators and the command line did, kept for good, found by who, kind and whom."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from voteweb import config
from voteweb.models import Act, Entry, Page
from voteweb.store import keys
from voteweb.store.connect import Connection
from voteweb.store.trip import Reply, Trip

_FIELDS = ("kind", "who", "time", "about", "article", "title", "why", "added", "removed", "undone")


@dataclass(frozen=True, slots=True)
class Deed:
    """What is to be written about an act, by the script that does it."""

    kind: Act
    who: str
    about: str = ""
    article: int = 0
    title: str = ""
    why: str = ""
    #: The entry that this act takes back; 0 for none.
    undoes: int = 0
    more: dict[str, str] = field(default_factory=dict)


class Record(NamedTuple):
    """The part of a script's call that writes the log: its last keys and its first arguments."""

    keys: tuple[str, ...]
    arguments: tuple[int, str]


#: What a script is given when the act is not for the log.
UNLOGGED = Record((), (0, ""))


class Log:
    """The log of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def record(self, deed: Deed | None) -> Record:
        """Take an id for *deed* and return what the script that does it needs to write it; None: nothing to write."""
        if deed is None:
            return UNLOGGED
        id = self._connection.command("INCR", keys.log_count())
        words = {"kind": deed.kind.value, "who": deed.who, "about": deed.about, "title": deed.title, "why": deed.why}
        words |= deed.more
        if deed.article:
            words["article"] = str(deed.article)
        names = [keys.log_entry(id), *rankings(deed.kind, deed.who, deed.about)]
        if deed.undoes:
            words["undoes"] = str(deed.undoes)
            names.append(keys.log_entry(deed.undoes))
        return Record(tuple(names), (len(names), json.dumps({name: word for name, word in words.items() if word})))

    def ask(self, trip: Trip, number: int, *, who: str = "", kind: str = "", about: str = "") -> Reply[Page[Entry]]:
        """Queue the question for page *number* (from 1) of the log, newest first, of these acts only."""
        key = _ranking(who, kind, about)
        size = config.LOG_PAGE_SIZE
        start = (number - 1) * size
        gets = [word for name in _FIELDS for word in ("GET", f"*->{name}")]

        def read(answers: list[Any]) -> Page[Entry]:
            total, flat = answers
            width = 1 + len(_FIELDS)
            rows = [_entry(flat[at : at + width]) for at in range(0, len(flat), width)]
            return Page(tuple(row for row in rows if row), number, total, first=start + 1, more=total > start + size)

        return trip.ask(
            [
                ("ZCARD", key),
                ("SORT_RO", key, "BY", "nosort", "LIMIT", start, size, "GET", "#", *gets, "DESC"),
            ],
            read,
        )

    def get(self, id: int) -> Entry | None:
        """Return one entry, or None."""
        values = self._connection.command("HMGET", keys.log_entry(id), *_FIELDS)
        return _entry([keys.log_entry(id), *values])


def rankings(kind: str, who: str, about: str) -> list[str]:
    """Return the rankings that hold an entry of this *kind* by *who*, *about* somebody or nobody ("")."""
    found = [keys.log(), keys.log_by(who), keys.log_kind(kind), keys.log_kind(kind, who)]
    return [*found, keys.log_about(about)] if about else found


def _ranking(who: str, kind: str, about: str) -> str:
    if about:
        return keys.log_about(about)
    if kind:
        return keys.log_kind(kind, who)
    return keys.log_by(who) if who else keys.log()


def _entry(values: Sequence[str | None]) -> Entry | None:
    member, kind, who, time, about, article, title, why, added, removed, undone = values
    if member is None or kind is None or time is None:
        return None
    return Entry(
        id=int(member.partition(":")[2]),
        kind=Act(kind),
        who=who or "",
        time=float(time),
        about=about or "",
        article=int(article or 0),
        title=title or "",
        why=why or "",
        added=tuple((added or "").split()),
        removed=tuple((removed or "").split()),
        undone=undone is not None,
    )
