"""Try other weights of the ranking on the articles of a site, without changing anything.

Weights are settings: VOTEWEB_GOOD_VOTES, VOTEWEB_LIFT_DAYS and VOTEWEB_COMMENT_GOOD_VOTES. The formula is that of
:mod:`voteweb.core.ranking`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import nlargest
from typing import Any, NamedTuple

from voteweb.core import config
from voteweb.core.errors import N_, Invalid
from voteweb.core.models import Article
from voteweb.core.ranking import lift, score
from voteweb.core.settings import Settings

#: The settings that can be tried, with the least and the most of each.
WEIGHTS = {
    "good_votes": (1, config.MAX_GOOD_VOTES),
    "lift_days": (0, config.MAX_LIFT_DAYS),
    "comment_good_votes": (1, config.MAX_GOOD_VOTES),
}
#: The settings that say in seconds what a vote is worth, by the weights from which they are computed.
_WORTH = {"good_votes": "vote_score", "comment_good_votes": "comment_vote_score"}
#: Votes of the articles and of the comments whose time ahead of newer ones is worked out.
ARTICLE_VOTES = (5, 20, 100, 500)
COMMENT_VOTES = (1, 5, 20)
#: The votes that one in so many articles has reached are told; the third is the rule for a good article.
ONE_IN = (2, 10, 20, 100)
_GOOD_ONE_IN = 20
#: The first vote is the poster's own.
_MIN_GOOD_VOTES = 2


class Stay(NamedTuple):
    """How many seconds a row of *votes* stays in front under the settings of today, and under those tried."""

    votes: int
    today: float
    tried: float


class Row(NamedTuple):
    """An article on the first page under the weights tried; ``was`` is its rank on the first page of today, or 0."""

    article: Article
    was: int


class Sample(NamedTuple):
    """The ``articles`` of the last ``span`` seconds; all that is worked out is worked out from them."""

    articles: tuple[Article, ...]
    span: float


class Trial(NamedTuple):
    """The result of trying other weights.

    ``today`` is the first page as readers see it, ``rows`` that under the weights tried. ``is_exact`` tells whether no
    article but the ``read`` newest ones can belong to ``rows``. ``stays`` are of articles, ``comment_leads`` of
    comments. ``reached`` has pairs of k and the votes that one in k articles of the sample has, youngest articles left
    out; ``suggested`` are the votes of a good article by the rule, None for too few articles.
    """

    tried: Settings
    today: tuple[Article, ...]
    rows: tuple[Row, ...]
    is_exact: bool
    read: int
    sample: Sample
    stays: tuple[Stay, ...]
    comment_leads: tuple[Stay, ...]
    reached: tuple[tuple[int, int], ...]
    suggested: int | None


def change_weights(settings: Settings, **weights: int | None) -> Settings:
    """Return *settings* with these weights; None keeps that of today. Raises ConfigError for one out of range."""
    changes: dict[str, Any] = {name: weight for name, weight in weights.items() if weight is not None}
    changes |= {worth: 0.0 for name, worth in _WORTH.items() if name in changes}
    return replace(settings, **changes)


def parse_weight(name: str, typed: str) -> int | None:
    """Return the weight *name* as it was *typed*, None for an empty text; raise Invalid unless it can be tried."""
    least, most = WEIGHTS[name]
    if not typed:
        return None
    weight = int(typed) if typed.isascii() and typed.isdigit() and len(typed) <= len(str(most)) else -1
    if not least <= weight <= most:
        raise Invalid(N_("Please type a whole number from %(min)s to %(max)s."), min=least, max=most)
    return weight


class FirstPage:
    """The first page under some weights, found from the newest and the most voted articles of a site.

    An article that is in neither part has at most *votes_left_out* votes, those of the best one that is not among the
    most voted, and is older than the oldest of the newest. Its score is at most that time and the lift of these votes:
    once the last row of the page has more, no such article can belong to the page.
    """

    def __init__(self, settings: Settings, most_voted: Iterable[Article], votes_left_out: int) -> None:
        self._settings = settings
        self._max_lift = lift(max(votes_left_out, 0), settings)
        self._bound = math.inf
        self.rows: list[Article] = []
        self.read = 0
        self._add(most_voted)

    def add(self, articles: Sequence[Article], *, is_last: bool) -> None:
        """Take the next newest *articles* into account; after the last ones there are no others."""
        self._add(articles)
        self.read += len(articles)
        oldest = min((article.time for article in articles), default=math.inf)
        self._bound = -math.inf if is_last else min(self._bound, oldest + self._max_lift)

    @property
    def is_final(self) -> bool:
        """Whether no article that was not added can belong to the page."""
        is_full = len(self.rows) == self._settings.page_size
        return self._bound == -math.inf or (is_full and self._place(self.rows[-1])[0] > self._bound)

    def _add(self, articles: Iterable[Article]) -> None:
        known = {article.id: article for article in (*self.rows, *articles)}
        self.rows = nlargest(self._settings.page_size, known.values(), self._place)

    def _place(self, article: Article) -> tuple[float, float, int]:
        return score(article, self._settings), article.time, article.id


def stay_seconds(votes: int, sample: Sample, settings: Settings) -> float:
    """Return for how long an article of *votes* stands on the first page, 0 for not at all.

    It assumes that articles go on to be posted as often as those of the *sample*, and with their votes, and that each
    has its votes from the beginning. Ours has the lift L and is posted at the time 0. Articles with the lift l stand
    above it if they are posted after L - l: by the time t, there are (t - (L - l)) / span of them. The result is the t
    at which they fill the page: the sum is linear between such times, so that it is solved piece by piece.
    """
    own = lift(votes, settings)
    starts = sorted(own - lift(article.votes, settings) for article in sample.articles)
    total = 0.0
    for count, start in enumerate(starts, 1):
        total += start
        end = (settings.page_size * sample.span + total) / count
        if count == len(starts) or end <= starts[count]:
            return max(end, 0.0)
    return 0.0


def votes_reached(articles: Iterable[Article]) -> tuple[tuple[int, int], ...]:
    """Return, for each k of ONE_IN for which there are enough *articles*, the votes that one in k of them has."""
    votes = sorted((article.votes for article in articles), reverse=True)
    return tuple((k, votes[len(votes) // k - 1]) for k in ONE_IN if len(votes) >= k)


def evaluate(
    settings: Settings, tried: Settings, today: Sequence[Article], page: FirstPage, sample: Sample, now: float
) -> Trial:
    """Return the trial of the settings *tried* at unix time *now*; *page* is what they make of the site's articles."""
    ranks = {article.id: rank for rank, article in enumerate(today, 1)}
    settled = [article for article in sample.articles if article.time < now - config.TRIAL_SETTLED_SECONDS]
    reached = votes_reached(settled)
    good = dict(reached).get(_GOOD_ONE_IN)
    return Trial(
        tried=tried,
        today=tuple(today),
        rows=tuple(Row(article, ranks.get(article.id, 0)) for article in page.rows),
        is_exact=page.is_final,
        read=page.read,
        sample=sample,
        stays=tuple(
            Stay(votes, stay_seconds(votes, sample, settings), stay_seconds(votes, sample, tried))
            for votes in ARTICLE_VOTES
            if sample.articles
        ),
        comment_leads=tuple(
            Stay(votes, votes * settings.comment_vote_score, votes * tried.comment_vote_score)
            for votes in COMMENT_VOTES
        ),
        reached=reached,
        suggested=None if good is None else min(max(good, _MIN_GOOD_VOTES), config.MAX_GOOD_VOTES),
    )
