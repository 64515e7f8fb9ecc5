"""The chart on /stats: for each kind of act a row of bars, one a day, each row with a scale of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

#: Size of the SVG in its own units: the width of all bars, and the height of a row and of its highest bar.
WIDTH, ROW_HEIGHT, BAR_HEIGHT = 360.0, 64.0, 40.0
#: The part of a day's width that its bar fills.
_FILLED = 0.8


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar in the units of the SVG, with its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class BarRow:
    """A row of bars below its label, whose baseline is at ``label_y``; ``total`` is the sum, ``highest`` the most."""

    name: str
    total: int
    highest: int
    label_y: float
    bars: tuple[Bar, ...]


def draw_rows(series: Sequence[tuple[str, Sequence[int]]]) -> tuple[BarRow, ...]:
    """Return a row for each name with its counts, oldest first; days without any have no bar."""
    return tuple(_row(number, name, counts) for number, (name, counts) in enumerate(series))


def _row(number: int, name: str, counts: Sequence[int]) -> BarRow:
    highest, top = max(counts, default=0), number * ROW_HEIGHT
    step = WIDTH / max(len(counts), 1)
    heights = [BAR_HEIGHT * count / highest if highest else 0.0 for count in counts]
    bars = [
        Bar(step * at, top + ROW_HEIGHT - height, step * _FILLED, height) for at, height in enumerate(heights) if height
    ]
    return BarRow(name, sum(counts), highest, top + ROW_HEIGHT - BAR_HEIGHT - 6, tuple(bars))
