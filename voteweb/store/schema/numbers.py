"""Read stored numbers: another program may have stored a text in their place."""

from math import isfinite


def finite_number(text: str | None) -> float | None:
    """Return the finite number that *text* spells, or None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if isfinite(number) else None
