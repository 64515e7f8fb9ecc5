"""The picture on /about: how long a good article stays ahead of newer ones, in the site's own numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

#: Size of the drawing area in the units of the SVG, and of the margin that its words need.
WIDTH, HEIGHT, MARGIN = 560.0, 300.0, 40.0


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line from (x1, y1) to (x2, y2) in the units of the SVG."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Scores over the hours after a good article was posted, all measured from its posting.

    The good article keeps the score of its votes; what is posted later starts higher by its lateness. ``level``
    hours after the posting a new article without votes draws level with the good one, ``typical_level`` hours
    after it one with ``typical`` votes, the median of the site's newest articles; both in hours.
    """

    good_votes: int
    typical: int
    level: float
    typical_level: float
    span: float
    good: Line
    new: Line
    usual: Line
    ticks: tuple[tuple[float, float], ...]

    def x(self, hours: float) -> float:
        """Return where *hours* after the posting are on the horizontal axis."""
        return MARGIN + (WIDTH - MARGIN) * hours / self.span

    def y(self, hours: float) -> float:
        """Return where a score worth *hours* is on the vertical axis."""
        return _y(hours, self.span)


def draw_chart(good_votes: int, vote_score: float, votes_of_newest: Sequence[int]) -> Chart:
    """Return the chart for articles of *good_votes* votes at *vote_score* seconds each.

    *votes_of_newest* are the votes of the site's newest articles; none means a typical article has one.
    """
    typical = int(median(votes_of_newest)) if votes_of_newest else 1
    level = good_votes * vote_score / 3600
    lift = typical * vote_score / 3600
    span = level * 1.25
    step = span / 5
    return Chart(
        good_votes=good_votes,
        typical=typical,
        level=level,
        typical_level=max(level - lift, 0.0),
        span=span,
        good=Line(MARGIN, _y(level, span), WIDTH, _y(level, span)),
        new=Line(MARGIN, _y(0, span), WIDTH, _y(span, span)),
        usual=Line(
            MARGIN, _y(min(lift, span), span), MARGIN + (WIDTH - MARGIN) * max(span - lift, 0) / span, _y(span, span)
        ),
        ticks=tuple((step * i, MARGIN + (WIDTH - MARGIN) * i / 5) for i in range(1, 6)),
    )


def _y(hours: float, span: float) -> float:
    return (HEIGHT - MARGIN) * (1 - hours / span)
