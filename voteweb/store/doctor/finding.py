"""Findings of the doctor: broken invariants, each with the command that repairs it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

#: Seconds by which a stored number may differ from the formula: far above rounding, far below any vote.
TOLERANCE = 0.001


class Finding(NamedTuple):
    """A broken invariant: the key that is wrong, and how.

    ``fix`` is the command that repairs it, unless it is right by then. If there is none, or it cannot help,
    ``why_not`` says why the doctor cannot repair this. ``now`` are the new values after a repair, where ``what`` does
    not name them. ``is_warning``: no invariant is broken, but an operator may want to know.
    """

    key: str
    what: str
    fix: tuple[Any, ...] = ()
    why_not: str = ""
    now: str = ""
    is_warning: bool = False


def check_placement(
    key: str, member: str, stored: Any, wanted: float | None, fix: tuple[Any, ...] = ()
) -> Iterator[Finding]:
    """Compare the score that *member* has in *key* with the one it should have; None: it is not a member."""
    if wanted is None:
        if stored is not None:
            yield Finding(key, f"holds {member}, which does not belong there", fix)
    elif stored is None:
        yield Finding(key, f"lacks {member}", fix)
    elif abs(float(stored) - wanted) > TOLERANCE:
        yield Finding(key, f"has {member} at {float(stored):.3f} instead of {wanted:.3f}", fix)
