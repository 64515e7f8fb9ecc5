"""The public log of what moderators and the command line did, kept for good and indexed by who, kind and whom."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from voteweb.core import config
from voteweb.core.models import LogAction, LogEntry, Page
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import Keys, log_entry_id, log_entry_member

_FIELDS = ("kind", "who", "time", "about", "article", "title", "why", "added", "removed", "undone")


@dataclass(frozen=True, slots=True)
class NewLogEntry:
    """An entry to be written by the script that carries out the act."""

    kind: LogAction
    who: str
    about: str = ""
    article: int = 0
    title: str = ""
    why: str = ""
    #: The id of the entry that this act undoes; 0 for none.
    undoes: int = 0


class LogArguments(NamedTuple):
    """The last keys and first arguments with which a script writes the log (see common.lua)."""

    keys: tuple[str, ...]
    arguments: tuple[int, str, str]


#: For acts that are not logged.
NOT_LOGGED = LogArguments((), (0, "", ""))


class ModerationLog:
    """The log of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def prepare(self, entry: NewLogEntry | None) -> LogArguments:
        """Reserve an id for *entry* and return what the script needs to write it; None is not logged."""
        if entry is None:
            return NOT_LOGGED
        id = self._connection.command("INCR", self._keys.last_log_entry_id())
        fields = {
            "kind": entry.kind.value,
            "who": entry.who,
            "about": entry.about,
            "title": entry.title,
            "why": entry.why,
            "article": str(entry.article or ""),
            "undoes": str(entry.undoes or ""),
        }
        keys = [self._keys.log_entry(id), *log_rankings(self._keys, entry.kind, entry.who, entry.about)]
        if entry.undoes:
            keys.append(self._keys.log_entry(entry.undoes))
        stored = json.dumps({name: value for name, value in fields.items() if value})
        return LogArguments(tuple(keys), (len(keys), log_entry_member(id), stored))

    def queue_page(
        self, pipeline: Pipeline, number: int, *, who: str = "", kind: str = "", about: str = ""
    ) -> Future[Page[LogEntry]]:
        """Queue a read of page *number* (from 1), newest first, filtered by moderator and kind or by subject."""
        key = self._ranking(who, kind, about)
        size = config.LOG_PAGE_SIZE
        start = (number - 1) * size
        patterns = [item for name in _FIELDS for item in ("GET", f"{self._keys.prefix}*->{name}")]

        def parse(replies: list[Any]) -> Page[LogEntry]:
            total, values = replies
            width = 1 + len(_FIELDS)
            entries = [_entry(values[at : at + width]) for at in range(0, len(values), width)]
            rows = tuple(entry for entry in entries if entry)
            return Page(rows, number, total, first_rank=start + 1, more=total > start + size)

        return pipeline.queue(
            [
                ("ZCARD", key),
                ("SORT_RO", key, "BY", "nosort", "LIMIT", start, size, "GET", "#", *patterns, "DESC"),
            ],
            parse,
        )

    def _ranking(self, who: str, kind: str, about: str) -> str:
        if about:
            return self._keys.log_about(about)
        if kind:
            return self._keys.log_kind(kind, who)
        return self._keys.log_by(who) if who else self._keys.log()

    def get(self, id: int) -> LogEntry | None:
        """Return one entry, or None."""
        values = self._connection.command("HMGET", self._keys.log_entry(id), *_FIELDS)
        return _entry([log_entry_member(id), *values])


def log_rankings(keys: Keys, kind: str, who: str, about: str) -> list[str]:
    """Return the keys of the rankings that hold an entry of this *kind* by *who*, *about* somebody or nobody ("")."""
    rankings = [keys.log(), keys.log_by(who), keys.log_kind(kind), keys.log_kind(kind, who)]
    return [*rankings, keys.log_about(about)] if about else rankings


def _entry(values: Sequence[str | None]) -> LogEntry | None:
    member, kind, who, time, about, article, title, why, added, removed, undone = values
    if member is None or kind is None or time is None:
        return None
    return LogEntry(
        id=int(log_entry_id(member)),
        kind=LogAction(kind),
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
