"""Entries of the moderation log: as an act hands them over, as they are stored, and the lists that hold their ids."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.models import LogAction, LogEntry
from voteweb.store.schema.keys import Keys

#: Ids that no act of the log has: so many at most, and so many more for each act.
MAX_EMPTY_PLACES = 100_000
MAX_EMPTY_PLACES_PER_ACT = 20


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
    #: The number of the comment of the article, 0 for none.
    comment: int = 0
    #: How many articles and comments a ban removes, or its end restores.
    articles: int = 0
    comments: int = 0


class LogArguments(NamedTuple):
    """The last keys and first arguments with which a script is done once and writes the log (see acts.lua)."""

    keys: tuple[str, ...]
    arguments: tuple[int, int, str]


#: For acts that are not logged, and that are harmless when they are repeated.
NOT_REMEMBERED = LogArguments((), (0, 0, ""))


#: The fields of an entry, in the order in which it is stored: a JSON array of strings, without empty ones at its end.
PACKED_FIELDS = (
    "kind", "who", "time", "about", "article", "title", "why", "added", "removed", "undoes", "undone",
    "comment", "articles", "comments", "until",
)  # fmt: skip


def pack(fields: Mapping[str, str]) -> str:
    """Return the text that stores an entry with these fields."""
    values = [fields.get(name, "") for name in PACKED_FIELDS]
    while values and not values[-1]:
        values.pop()
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def unpack(text: str) -> dict[str, str]:
    """Return the fields that *text* stores, but empty ones; none for the place of an id that no act has."""
    try:
        values = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return {}
    return {name: value for name, value in zip(PACKED_FIELDS, values, strict=False) if value}


def log_arguments(keys: Keys, entry: NewLogEntry | None) -> LogArguments:
    """Return what a script needs for one act, with the *entry* that it logs; None is not logged."""
    if entry is None:
        return not_logged(keys)
    stored = {field.name: str(getattr(entry, field.name) or "") for field in fields(entry)}
    log_keys = [keys.log_entries(), *log_indexes(keys, entry.kind, entry.who, entry.about)]
    return _act(keys, log_keys, json.dumps([stored.get(name, "") for name in PACKED_FIELDS]))


def not_logged(keys: Keys) -> LogArguments:
    """Return what a script needs for one act that is not logged."""
    return _act(keys, [], "")


def _act(keys: Keys, log_keys: Sequence[str], entry: str) -> LogArguments:
    """Return the arguments of one act under a token of its own: sent again with the same, it is not done again."""
    act_keys = (keys.done(secrets.token_urlsafe(9)), *log_keys)
    return LogArguments(act_keys, (len(act_keys), config.DONE_SECONDS, entry))


def has_too_many_gaps(count: int, last_id: int) -> bool:
    """Tell whether so many ids up to *last_id* have none of the *count* acts that something else wrote them.

    Acts that were refused used up ids, and each place without an act takes two bytes.
    """
    return last_id - count > MAX_EMPTY_PLACES + MAX_EMPTY_PLACES_PER_ACT * count


def log_indexes(keys: Keys, kind: str, who: str, about: str) -> list[str]:
    """Return the lists of ids that hold an entry of this *kind* by *who*, *about* somebody or nobody ("")."""
    indexes = [keys.log(), keys.log_by(who), keys.log_kind(kind), keys.log_kind(kind, who)]
    return [*indexes, keys.log_about(about)] if about else indexes


def log_entry(id: int, text: str) -> LogEntry | None:
    """Return the entry that *text* stores at the place of *id*, None if it stores none."""
    return _entry(id, unpack(text))


def _entry(id: int, fields: Mapping[str, str]) -> LogEntry | None:
    if not fields.get("kind") or not fields.get("time"):
        return None
    return LogEntry(
        id=id,
        kind=LogAction(fields["kind"]),
        who=fields.get("who", ""),
        time=float(fields["time"]),
        about=fields.get("about", ""),
        article=int(fields.get("article", 0)),
        title=fields.get("title", ""),
        why=fields.get("why", ""),
        added=tuple(fields.get("added", "").split()),
        removed=tuple(fields.get("removed", "").split()),
        undone=bool(fields.get("undone")),
        comment=int(fields.get("comment") or 0),
        articles=int(fields.get("articles") or 0),
        comments=int(fields.get("comments") or 0),
        until=float(fields.get("until") or 0),
    )
