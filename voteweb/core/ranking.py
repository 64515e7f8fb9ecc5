"""Compute the score of an article and the end of its voting time, and explain both.

The front page and that of each group are ordered by :func:`score`. To change the weight of a vote, set
VOTEWEB_VOTE_SCORE or VOTEWEB_GOOD_VOTES, and run ``voteweb rescore --to-environment``. The formula is in Lua too
(``score()`` in ``rankings.lua``): change both together, then run ``voteweb rescore``.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from itertools import pairwise
from math import floor, log2
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.models import Article, Order
from voteweb.core.settings import Settings

#: In rankings by votes, this many seconds of publish time weigh as much as a vote: more than there are before 2106.
_SECONDS_PER_VOTE = 2**32
SECONDS_PER_DAY = 86_400
_SECONDS_PER_YEAR = 365 * SECONDS_PER_DAY
#: Old results without votes stand in the order of the weight of their words.
_MIN_RELEVANCE_FACTOR = 0.1
#: Levels of votes, from 4 to more than 6,000.
VOTE_LEVELS = range(3, 14)
_EPOCH = date(1970, 1, 1).toordinal()


def score(article: Article, settings: Settings) -> float:
    """Return the score of an article in seconds: the unix time of publishing plus VOTEWEB_VOTE_SCORE per vote.

    The formula is that of *Redis in Action*, chapter 1: a vote lifts an article as much as being posted so many seconds
    later would (432 = 86,400 / 200: 200 votes are worth one day). Votes lift it by VOTEWEB_LIFT_DAYS at most, if that
    is not 0.
    """
    return article.time + lift(article.votes, settings)


def lift(votes: int, settings: Settings) -> float:
    """Return by how many seconds *votes* lift an article."""
    seconds = settings.vote_score * votes
    return min(seconds, settings.max_lift) if settings.lift_days else seconds


def by_votes(votes: int, time: float) -> int:
    """Return the value of an article in rankings by votes: of those with as many votes, the newer stands first.

    by_votes() in rankings.lua is the same: change both together.
    """
    return votes * _SECONDS_PER_VOTE + int(time // 1)


def votes_in(value: float) -> int:
    """Return the votes in a *value* of rankings by votes."""
    return int(value // _SECONDS_PER_VOTE)


def vote_level(votes: int) -> int:
    """Return the level of *votes* by which search finds the most voted: a rounded log2, 0 for less than 4 votes.

    vote_level() in articles.lua is the same: change both together.
    """
    level = floor(log2(2 + max(votes, 0)) + 0.5)
    return min(level, VOTE_LEVELS[-1]) if level >= VOTE_LEVELS[0] else 0


def relevance(weight: float, votes: int, age: float) -> float:
    """Return the value by which a result of a search stands: *weight* of its words, *votes*, *age* in seconds.

    It is weight × (log2(2 + votes) − years), with a factor of at least 0.1: a year counts as much as half the votes.
    """
    return weight * max(log2(2 + max(votes, 0)) - age / _SECONDS_PER_YEAR, _MIN_RELEVANCE_FACTOR)


def day_number(time: float) -> int:
    """Return the UTC day of unix *time*, in days since 1970."""
    return int(time // SECONDS_PER_DAY)


def day_name(day: int) -> str:
    """Return a day, in days since 1970, as ``2026-11-22``."""
    return date.fromordinal(min(max(day + _EPOCH, 1), date.max.toordinal())).isoformat()


def voting_end(article: Article, settings: Settings) -> int:
    """Return the unix time at which voting on *article* ends: as stored with it when it was posted.

    Where a program after the book has stored it, without an end, that is VOTEWEB_VOTING_SECONDS after its publishing.
    It is in whole seconds, which take a third of the memory. voting_end() in rankings.lua is the same: change both
    together.
    """
    return article.closes if article.closes is not None else int(article.time + settings.voting_seconds)


def comment_votes(time: float, votes: int, now: float) -> int:
    """Return the votes that a comment of unix *time* stands with: at least NEW_COMMENT_VOTES while it is new."""
    return max(votes, config.NEW_COMMENT_VOTES) if now < time + config.NEW_COMMENT_SECONDS else votes


def comment_score(time: float, votes: int, comment_vote_score: float, now: float) -> float:
    """Return the score of a comment in seconds, by which siblings stand: the formula of :func:`score`.

    Nothing stores it: it is computed from what ``thread:<id>`` holds whenever a conversation is shown.
    """
    if now < time + config.NEW_COMMENT_SECONDS:  # to ask comment_votes() for each takes a tenth of a conversation
        votes = comment_votes(time, votes, now)
    return time + comment_vote_score * votes


def ranking_key(order: Order, settings: Settings) -> Callable[[Article], float]:
    """Return the function that returns the value by which an article is sorted in a list of this *order*."""
    match order:
        case Order.TIME:
            return lambda article: article.time
        case Order.SECOND:
            return lambda article: article.time // 1
        case Order.VOTES:
            return lambda article: by_votes(article.votes, article.time)
        case Order.SCORE:
            return lambda article: score(article, settings)


def newest_first(tied: Iterable[Article]) -> list[Article]:
    """Return *tied* articles of one ranking value in their order: newest first, then by descending id."""
    return sorted(tied, key=lambda article: (article.time, article.id), reverse=True)


class ScoreExplanation(NamedTuple):
    """The parts of an article's score, from which a reader can compute it.

    ``bonus`` is its votes × ``vote_score`` in seconds, of which ``lift`` counts; the others are unix times:
    ``equivalent_time`` of a new article without votes and with the same score, ``voting_end`` of the last vote.
    """

    vote_score: float
    bonus: float
    lift: float
    equivalent_time: float
    voting_end: float


def explain(article: Article, settings: Settings) -> ScoreExplanation:
    return ScoreExplanation(
        vote_score=settings.vote_score,
        bonus=settings.vote_score * article.votes,
        lift=lift(article.votes, settings),
        equivalent_time=score(article, settings),
        voting_end=voting_end(article, settings),
    )


def choose_example(articles: Sequence[Article]) -> tuple[Article, Article] | None:
    """Return two neighbours of a ranking by score, the higher one first; None for fewer than two articles.

    That is the first newer article above one with more votes; without such a pair an older one above one with fewer
    votes, else the first two.
    """
    pairs = list(pairwise(articles))
    newer = (pair for pair in pairs if pair[0].time > pair[1].time and pair[0].votes < pair[1].votes)
    older = (pair for pair in pairs if pair[0].time < pair[1].time and pair[0].votes > pair[1].votes)
    return next(newer, None) or next(older, None) or next(iter(pairs), None)
