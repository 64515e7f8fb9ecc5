"""Charts: on /about how long a good article stays ahead of newer ones, with the site's own numbers; on /stats bars.

For each kind of act /stats has a row of bars, one a day, each row with a scale of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from voteweb.core.ranking import lift
from voteweb.core.settings import Settings

#: Size of the SVG of the ranking in its own units, and its part at the left and at the bottom that the labels need.
WIDTH, HEIGHT, MARGIN = 560.0, 300.0, 40.0
_TICKS = 5
#: How far the axes reach, as a multiple of the hours after which the lines of the good and the new article cross.
_REACH = 1.25
#: Size of the SVG of bars in its own units: the width of all bars, and the height of a row and of its highest bar.
BARS_WIDTH, ROW_HEIGHT, BAR_HEIGHT = 360.0, 64.0, 40.0
#: The part of a day's width that its bar fills.
_FILLED = 0.8


@dataclass(frozen=True, slots=True)
class Chart:
    """The score that an article starts with, by how much later than a good article it is posted.

    Both axes are in hours and end at ``span``. A good article keeps its score. A newer article without votes passes
    it when posted ``crossing`` hours later, one with ``typical_votes``, the median of the site's newest articles,
    ``lead`` hours sooner.
    """

    good_votes: int
    typical_votes: int
    crossing: float
    lead: float

    @property
    def span(self) -> float:
        """The hours at which the axes end."""
        return self.crossing * _REACH

    @property
    def ticks(self) -> tuple[tuple[float, float], ...]:
        """Hours on the horizontal axis and their positions."""
        return tuple((hours, self.x(hours)) for hours in (self.span / _TICKS * i for i in range(1, _TICKS + 1)))

    def x(self, hours: float) -> float:
        """Return the horizontal position of an article posted *hours* later, to a tenth."""
        return round(MARGIN + (WIDTH - MARGIN) * hours / self.span, 1)

    def y(self, hours: float) -> float:
        """Return the vertical position of a score worth *hours*, to a tenth."""
        return round((HEIGHT - MARGIN) * (1 - hours / self.span), 1)


def draw_chart(settings: Settings, newest_votes: Sequence[int]) -> Chart:
    """Return the chart for good articles.

    *newest_votes* are the votes of the site's newest articles; without any, a typical article has one vote.
    """
    typical_votes = int(median(newest_votes)) if newest_votes else 1
    crossing, lead = (lift(votes, settings) / 3600 for votes in (settings.good_votes, typical_votes))
    return Chart(settings.good_votes, typical_votes, crossing, lead)


class BarRow(NamedTuple):
    """A row of bars below its label, whose baseline is at ``label_y``; ``total`` is the sum, ``highest`` the most.

    Of each bar it has x and y of the upper left corner, and the height, in the units of the SVG; all are as wide as
    ``width``.
    """

    name: str
    total: int
    highest: int
    label_y: float
    width: float
    bars: tuple[tuple[float, float, float], ...]


def draw_rows(series: Sequence[tuple[str, Sequence[int]]]) -> tuple[BarRow, ...]:
    """Return a row for each name with its counts, oldest first; days without any have no bar."""
    rows = []
    for number, (name, counts) in enumerate(series, 1):
        bottom, highest, step = number * ROW_HEIGHT, max(counts, default=0), BARS_WIDTH / max(len(counts), 1)
        heights = [(at, BAR_HEIGHT * count / highest) for at, count in enumerate(counts) if count]
        bars = tuple((step * at, bottom - height, height) for at, height in heights)
        rows.append(BarRow(name, sum(counts), highest, bottom - BAR_HEIGHT - 6, step * _FILLED, bars))
    return tuple(rows)
