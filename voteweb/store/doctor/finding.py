"""Findings of the doctor: broken invariants, each with the command that repairs it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.rankings import Place, place_writes

#: Seconds by which a stored number may differ from the formula: far above rounding, far below any vote.
TOLERANCE = 0.001
BY_HAND = "the value is stored nowhere else: a backup may hold it; set the field with HSET"


class Finding(NamedTuple):
    """A broken invariant: the key that is wrong, and how.

    ``fix`` is the command that repairs it, unless something has changed by then, after the commands of ``prepare``. If
    there is none, ``why_not`` says why the doctor cannot repair this. ``now`` are the new values after a repair, where
    ``what`` does not name them. ``is_warning``: no invariant is broken, but an operator may want to know.
    """

    key: str
    what: str
    fix: Command = ()
    why_not: str = ""
    now: str = ""
    is_warning: bool = False
    prepare: tuple[Command, ...] = ()


def check_place(
    keys: Keys, key: str, member: str, stored: Any, wanted: Place, stray: str = "which does not belong there"
) -> Iterator[tuple[str, list[Command]]]:
    """Yield what is wrong with the place of *member* in *key*, with the writes that put it there or take it out.

    *stored* is what SISMEMBER or ZSCORE answered.
    """
    is_set = isinstance(stored, int) or isinstance(wanted, bool)
    is_there = bool(stored) if is_set else stored is not None
    writes = place_writes(keys, key, member, wanted)
    if wanted is None and is_there:
        yield f"holds {member}, {stray}", writes
    elif wanted is not None and not is_there:
        yield f"lacks {member}", writes
    elif wanted is not None and not is_set and abs(float(stored) - wanted) > TOLERANCE:
        yield f"has {member} at {float(stored):.3f} instead of {wanted:.3f}", writes
