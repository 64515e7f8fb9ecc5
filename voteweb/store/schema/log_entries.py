"""Entries of the moderation log: as an act hands them over, as they are read, and the lists that hold their ids."""

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from voteweb.core.models import LogAction, LogEntry
from voteweb.store.schema.fields import LOG_FIELDS, pack, unpack
from voteweb.store.schema.keys import Keys


def script_values(keys: Keys, entry: LogEntry | None) -> tuple[str, list[str]]:
    """Return an *entry* as a script takes it, and the keys of the log that hold it; nothing for an act without one.

    The script that carries out the act gives the entry an id and a time.
    """
    if entry is None or entry.part_of:
        return "", []
    log_keys = [keys.log_entries(), *log_indexes(keys, entry.kind, entry.who, entry.about)]
    return json.dumps([str(getattr(entry, name, "") or "") for name in LOG_FIELDS]), log_keys


def rewrite(keys: Keys, id: int, fields: Mapping[str, str]) -> tuple[Any, ...]:
    """Return the write that gives an entry these fields, spelled as by the script that writes entries."""
    return ("LSET", keys.log_entries(), id - 1, pack(fields).replace("/", "\\/"))


def new_token() -> str:
    """Return the token of one act: sent again with the same, it is not done again."""
    return secrets.token_urlsafe(9)


def log_indexes(keys: Keys, kind: str, who: str, about: str) -> list[str]:
    """Return the lists of ids that hold an entry of this *kind* by *who*, *about* somebody or nobody ("")."""
    indexes = [keys.log(), keys.log_by(who), keys.log_kind(kind), keys.log_kind(kind, who)]
    return [*indexes, keys.log_about(about)] if about else indexes


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: What reads each field of an entry that is no text.
_READ: dict[str, Callable[[str], Any]] = {
    "kind": LogAction, "undone": bool,
    **dict.fromkeys(("time", "until", "since"), float),
    **dict.fromkeys(("added", "removed"), _names),
    **dict.fromkeys(("article", "comment", "articles", "comments", "votes", "closed"), int),
    **dict.fromkeys(("undoes", "acts", "kept", "program"), int),
}  # fmt: skip


def log_entry(id: int, text: str) -> LogEntry | None:
    """Return the entry that *text* stores at the place of *id*, None if it stores none."""
    fields = unpack(text)
    if not fields.get("kind") or not fields.get("time"):
        return None
    read = {name: _READ.get(name, str)(value) for name, value in fields.items()}
    return LogEntry(id=id, **{"who": "", **read})
