"""Entries of the moderation log: as an act hands them over, as they are read, and the lists that hold their ids."""

import json
import secrets
from dataclasses import dataclass

from voteweb.core.models import LogAction, LogEntry
from voteweb.store.schema.fields import LOG_FIELDS, unpack
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
    #: How many votes a ban takes back, or its end gives back, and how many that cannot.
    votes: int = 0
    closed: int = 0
    #: The unix time from which on the acts of a member are undone, 0 for none.
    since: float = 0.0
    #: The id of the entry of an act that this one is a part of: this one is not logged. 0 for none.
    part_of: int = 0


def script_values(keys: Keys, entry: NewLogEntry | None) -> tuple[str, list[str]]:
    """Return an *entry* as a script takes it, and the keys of the log that hold it; nothing for an act without one."""
    if entry is None or entry.part_of:
        return "", []
    log_keys = [keys.log_entries(), *log_indexes(keys, entry.kind, entry.who, entry.about)]
    return json.dumps([str(getattr(entry, name, "") or "") for name in LOG_FIELDS]), log_keys


def new_token() -> str:
    """Return the token of one act: sent again with the same, it is not done again."""
    return secrets.token_urlsafe(9)


def log_indexes(keys: Keys, kind: str, who: str, about: str) -> list[str]:
    """Return the lists of ids that hold an entry of this *kind* by *who*, *about* somebody or nobody ("")."""
    indexes = [keys.log(), keys.log_by(who), keys.log_kind(kind), keys.log_kind(kind, who)]
    return [*indexes, keys.log_about(about)] if about else indexes


def log_entry(id: int, text: str) -> LogEntry | None:
    """Return the entry that *text* stores at the place of *id*, None if it stores none."""
    fields = unpack(text)
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
        votes=int(fields.get("votes") or 0),
        closed=int(fields.get("closed") or 0),
        undoes=int(fields.get("undoes") or 0),
        since=float(fields.get("since") or 0),
        acts=int(fields["acts"]) if "acts" in fields else None,
        kept=int(fields.get("kept") or 0),
    )
