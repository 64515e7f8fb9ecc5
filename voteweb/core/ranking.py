"""The score of an article, the end of its voting time, and both in words that can be checked by hand."""

from collections.abc import Iterable
from dataclasses import dataclass

from voteweb.core.models import Article, Order


def score(time: float, votes: int, vote_score: float) -> float:
    """Return the score of an article in seconds: unix *time* of publishing plus *vote_score* per vote.

    The formula is that of *Redis in Action*, chapter 1: a vote lifts an article as much as being posted
    *vote_score* seconds later would (432 = 86,400 / 200: 200 votes are worth one day).
    """
    return time + vote_score * votes


def closes(time: float, voting_seconds: int) -> float:
    """Return the unix time at which voting ends for an article published at *time*."""
    return time + voting_seconds


def ranking_value(article: Article, order: Order, vote_score: float) -> float:
    """Return the number that places *article* in a list of this *order*: its score or its publish time."""
    return article.time if order is Order.TIME else score(article.time, article.votes, vote_score)


def newest_first(tied: Iterable[Article]) -> list[Article]:
    """Return articles of one place in their one order: the newer stands first, then the higher id."""
    return sorted(tied, key=lambda article: (article.time, article.id), reverse=True)


@dataclass(frozen=True, slots=True)
class ScoreExplanation:
    """Why an article stands where it does; every number can be checked by hand.

    ``lift`` seconds = votes × ``vote_score``; ``like`` is the unix time at which a new article without
    votes would have the same score; ``closes`` is the unix time at which voting ends.
    """

    votes: int
    vote_score: float
    lift: float
    posted: float
    like: float
    closes: float


def explain(article: Article, vote_score: float, voting_seconds: int) -> ScoreExplanation:
    """Return the standing of *article* under *vote_score* seconds per vote."""
    return ScoreExplanation(
        votes=article.votes,
        vote_score=vote_score,
        lift=vote_score * article.votes,
        posted=article.time,
        like=score(article.time, article.votes, vote_score),
        closes=closes(article.time, voting_seconds),
    )
