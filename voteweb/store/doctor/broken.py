"""What the doctor finds: broken invariants, each with the command that mends it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

#: Seconds by which a stored number may differ from the formula: far above rounding, far below any vote.
TOLERANCE = 0.001


class Broken(NamedTuple):
    """A broken invariant: the key that is wrong, and how.

    ``mend`` holds the words of the command that puts it right, unless it is right by then; where there is none, or
    where it cannot help, ``why_not`` says why no machine can mend this.
    """

    key: str
    what: str
    mend: tuple[Any, ...] = ()
    why_not: str = ""


def placed(key: str, member: str, stored: Any, wanted: float | None, mend: tuple[Any, ...] = ()) -> Iterator[Broken]:
    """Compare the number under which *member* stands in *key* with the one it should have; None: not there."""
    if wanted is None:
        if stored is not None:
            yield Broken(key, f"holds {member}, which does not belong there", mend)
    elif stored is None:
        yield Broken(key, f"lacks {member}", mend)
    elif abs(float(stored) - wanted) > TOLERANCE:
        yield Broken(key, f"has {member} at {float(stored):.3f} instead of {wanted:.3f}", mend)
