"""Put another list in place of one: written beside it in bounded steps, and renamed unless the list has changed."""

from collections.abc import Sequence

from voteweb.core import config
from voteweb.core.validation import new_submission_token
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.keys import Keys

#: Items that one command carries: with 10,000 it would take 3 ms of Redis.
_ITEMS_AT_ONCE = 2_000


def replacement(keys: Keys, key: str, seen: Sequence[str], items: Sequence[str]) -> tuple[tuple[Command, ...], Command]:
    """Return the commands that write *items* beside the list *key*, and the one that puts them in its place.

    That answers "again" if the list has another size, first or last item than those *seen*, or if an answer was lost
    and some were written twice.
    """
    made, prepare = keys.ordering(new_submission_token()), list[Command]()
    for batch in batched(items, _ITEMS_AT_ONCE):
        prepare += [("RPUSH", made, *batch), ("EXPIRE", made, config.DONE_SECONDS)]
    reads = [("LLEN", key), ("LINDEX", key, 0), ("LINDEX", key, -1), ("LLEN", made)]
    replace: list[Command] = [("RENAME", made, key), ("PERSIST", key)] if items else [("UNLINK", key)]
    ends = (seen[0], seen[-1]) if seen else (None, None)
    return tuple(prepare), guarded(keys, reads, [len(seen), *ends, len(items)], replace)
