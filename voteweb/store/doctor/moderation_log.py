"""Check the public log: every entry is in all its rankings, and every ranking holds only its entries."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from voteweb.core.models import LogAction
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding, check_placement
from voteweb.store.keys import log_entry_id, log_entry_member
from voteweb.store.moderation_log import log_rankings
from voteweb.store.scanner import Scanner, batched, finite_number

_FIELDS = ("kind", "who", "about", "time", "undoes")
_KINDS = frozenset(action.value for action in LogAction)


class _Entry(NamedTuple):
    """A complete entry: where it must be indexed, and the entry that it undoes ("" for none)."""

    key: str
    member: str
    time: float
    rankings: list[str]
    undone_key: str


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all entries and their rankings."""
    keys = scanner.site_keys
    for batch in batched(scanner.keys(keys.log_entry("[0-9]*"))):
        yield from _check_entries(scanner, batch)
    patterns = (keys.log_by("*"), keys.log_kind("*"), keys.log_about("*"))
    rankings = chain([keys.log()], *(scanner.keys(pattern) for pattern in patterns))
    for places in batched(scanner.ranking_members(rankings)):
        yield from _check_members(scanner, places)


def _check_entries(scanner: Scanner, entry_keys: list[str]) -> Iterator[Finding]:
    """Check these entries. Their fields never change, so they may be read a moment before their rankings."""
    keys = scanner.site_keys
    stored = scanner.run_atomic([("HMGET", key, *_FIELDS) for key in entry_keys])
    complete = []
    for key, (kind, who, about, time, undoes) in zip(entry_keys, stored, strict=True):
        written = finite_number(time)
        if kind not in _KINDS or not who or written is None:
            why_not = "the value is stored nowhere else: set the field with HSET, then repair again"
            yield Finding(key, "has no kind, no time, or nobody who did it", why_not=why_not)
            continue
        member, rankings = log_entry_member(keys.split(key)[1]), log_rankings(keys, kind, who, about or "")
        complete.append(_Entry(key, member, written, rankings, keys.log_entry(undoes) if undoes else ""))
    yield from _check_places(scanner, complete)


def _check_places(scanner: Scanner, entries: list[_Entry]) -> Iterator[Finding]:
    commands: list[Command] = []
    for entry in entries:
        commands += [("ZSCORE", ranking, entry.member) for ranking in entry.rankings]
        if entry.undone_key:
            commands += [("HEXISTS", entry.undone_key, "kind"), ("HEXISTS", entry.undone_key, "undone")]
    replies = iter(scanner.run_atomic(commands))
    for entry in entries:
        for ranking in entry.rankings:
            fix = fixes.index_entry(entry.key, entry.member, ranking, "time")
            yield from check_placement(ranking, entry.member, next(replies), entry.time, fix)
        if entry.undone_key:
            exists, is_undone = next(replies), next(replies)
            if not is_undone:
                what = f"is undone by {entry.member}, but does not say so"
                undo = ("HSET", entry.undone_key, "undone", "1") if exists else ()
                yield Finding(entry.undone_key, what, undo, "there is no such entry")


def _check_members(scanner: Scanner, places: list[tuple[str, str]]) -> Iterator[Finding]:
    """Check that each member of these rankings is an entry that belongs there."""
    keys = scanner.site_keys
    for key, member in places:
        if not log_entry_id(member):
            yield Finding(key, f"holds {member}, which is no entry", fixes.remove_member(keys, key, member))
    places = [(key, member) for key, member in places if log_entry_id(member)]
    entry_keys = [keys.log_entry(log_entry_id(member)) for _, member in places]
    stored = scanner.run_atomic([("HMGET", entry_key, "kind", "who", "about") for entry_key in entry_keys])
    for (key, member), entry_key, (kind, who, about) in zip(places, entry_keys, stored, strict=True):
        fix = fixes.remove_stray_member(key, member, entry_key, "kind", kind)
        if kind is None:
            yield Finding(key, f"holds {member}, which is no entry", fix)
        elif key not in log_rankings(keys, kind, who or "", about or ""):
            yield Finding(key, f"holds {member}, which does not belong there", fix)
