"""Entries of the moderation log: as an act hands them over, as they are stored, and the lists that hold their ids."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, fields

from voteweb.core.models import LogAction, LogEntry
from voteweb.store.schema.keys import Keys


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


def script_values(keys: Keys, entry: NewLogEntry | None) -> tuple[str, list[str]]:
    """Return an *entry* as a script takes it, and the keys of the log that hold it; nothing for an act without one."""
    if entry is None:
        return "", []
    stored = {field.name: str(getattr(entry, field.name) or "") for field in fields(entry)}
    log_keys = [keys.log_entries(), *log_indexes(keys, entry.kind, entry.who, entry.about)]
    return json.dumps([stored.get(name, "") for name in PACKED_FIELDS]), log_keys


def new_token() -> str:
    """Return the token of one act: sent again with the same, it is not done again."""
    return secrets.token_urlsafe(9)


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
