"""Findings of the doctor: broken invariants, each with the command that repairs it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.rankings import Place, place_writes

#: Seconds by which a stored number may differ from the formula: far above rounding, far below any vote.
TOLERANCE = 0.001


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


class Problem(NamedTuple):
    """A wrong key of a thing, and the writes that repair it, together with all other problems of the thing."""

    key: str
    what: str
    writes: tuple[Command, ...] = ()


def check_place(keys: Keys, key: str, member: str, stored: Any, wanted: Place) -> Iterator[Problem]:
    """Yield what is wrong with the place of *member* in *key*; *stored* is what SISMEMBER or ZSCORE answered."""
    is_set = isinstance(stored, int) or isinstance(wanted, bool)
    is_there = bool(stored) if is_set else stored is not None
    writes = tuple(place_writes(keys, key, member, wanted))
    if wanted is None and is_there:
        yield Problem(key, f"holds {member}, which does not belong there", writes)
    elif wanted is not None and not is_there:
        yield Problem(key, f"lacks {member}", writes)
    elif wanted is not None and not is_set and abs(float(stored) - wanted) > TOLERANCE:
        yield Problem(key, f"has {member} at {float(stored):.3f} instead of {wanted:.3f}", writes)
