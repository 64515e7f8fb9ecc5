"""Compute the score of an article and the end of its voting time, and explain both.

The front page and every "Top" list are ordered by :func:`score`. To change the weight of a vote, set
VOTEWEB_VOTE_SCORE or VOTEWEB_GOOD_VOTES. The formula is in Lua too (``score()`` in ``store/lua/common.lua``): change
both together. After either change, run ``voteweb rescore``.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from voteweb.core.models import Article, Order


def score(time: float, votes: int, vote_score: float) -> float:
    """Return the score of an article in seconds: unix *time* of publishing plus *vote_score* per vote.

    The formula is that of *Redis in Action*, chapter 1: a vote lifts an article as much as being posted
    *vote_score* seconds later would (432 = 86,400 / 200: 200 votes are worth one day).
    """
    return time + vote_score * votes


def voting_end(article: Article, voting_seconds: int) -> int:
    """Return the unix time at which voting on *article* ends: as stored with it when it was posted.

    Where a program after the book has stored it, without an end, that is *voting_seconds* after its publishing. It is
    in whole seconds, which take a third of the memory. voting_end() in common.lua is the same: change both together.
    """
    return article.closes if article.closes is not None else int(article.time + voting_seconds)


def comment_score(time: float, votes: int, comment_vote_score: float) -> float:
    """Return the score of a comment in seconds, by which siblings stand: the formula of :func:`score`.

    Nothing stores it: it is computed from what ``thread:<id>`` holds whenever a conversation is shown.
    """
    return time + comment_vote_score * votes


def ranking_value(article: Article, order: Order, vote_score: float) -> float:
    """Return the value by which *article* is sorted in a list of this *order*: its score or its publish time."""
    return article.time if order is Order.TIME else score(article.time, article.votes, vote_score)


def newest_first(tied: Iterable[Article]) -> list[Article]:
    """Return *tied* articles of one ranking value in their order: newest first, then by descending id."""
    return sorted(tied, key=lambda article: (article.time, article.id), reverse=True)


@dataclass(frozen=True, slots=True)
class ScoreExplanation:
    """The parts of an article's score, from which a reader can compute it.

    ``bonus`` is votes × ``vote_score`` in seconds; the others are unix times: ``posted`` of publishing,
    ``equivalent_time`` of a new article without votes and with the same score, ``voting_end`` of the last vote.
    """

    votes: int
    vote_score: float
    bonus: float
    posted: float
    equivalent_time: float
    voting_end: float


def explain(article: Article, vote_score: float, voting_seconds: int) -> ScoreExplanation:
    """Explain the score of *article* with *vote_score* seconds per vote."""
    return ScoreExplanation(
        votes=article.votes,
        vote_score=vote_score,
        bonus=vote_score * article.votes,
        posted=article.time,
        equivalent_time=score(article.time, article.votes, vote_score),
        voting_end=voting_end(article, voting_seconds),
    )
