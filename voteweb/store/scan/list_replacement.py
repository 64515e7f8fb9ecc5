"""Put another list in place of one: written beside it in bounded steps, and renamed unless the list has changed."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.validation import new_submission_token
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.keys import Keys

#: Items that one command carries: with 10,000 it would take 3 ms of Redis.
_ITEMS_AT_ONCE = 2_000


class Ends(NamedTuple):
    """How many items a list has, and its first and its last; a list that changes gets others."""

    size: int
    first: str | None
    last: str | None


def ends_of(items: Sequence[str]) -> Ends:
    """Return what :func:`replacement` takes of a list with these *items*."""
    return Ends(len(items), *((items[0], items[-1]) if items else (None, None)))


def replacement(keys: Keys, key: str, seen: Ends, items: Iterable[str | int]) -> tuple[tuple[Command, ...], Command]:
    """Return the commands that write *items* beside the list *key*, and the one that puts them in its place.

    That answers "again" if the list is not as it was *seen*, or if an answer was lost and some were written twice.
    """
    made, count, prepare = keys.ordering(new_submission_token()), 0, []
    for batch in batched(items, _ITEMS_AT_ONCE):
        count += len(batch)
        prepare += [("RPUSH", made, *batch), ("EXPIRE", made, config.DONE_SECONDS)]
    reads = [("LLEN", key), ("LINDEX", key, 0), ("LINDEX", key, -1), ("LLEN", made)]
    replace: list[Command] = [("RENAME", made, key), ("PERSIST", key)] if count else [("UNLINK", key)]
    return tuple(prepare), guarded(keys, reads, [*seen, count], replace)
