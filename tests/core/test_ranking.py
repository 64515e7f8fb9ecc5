"""The score and its explanation, by numbers worked out by hand."""

import pytest

from voteweb.core.models import Article, Order
from voteweb.core.ranking import ScoreExplanation, closes, explain, newest_first, ranking_value, score


def article(id: int = 1, time: float = 1_000_000.0, votes: int = 1) -> Article:
    return Article(id=id, title="t", link="", text="", poster="ann", time=time, votes=votes)


@pytest.mark.parametrize(
    ("time", "votes", "vote_score", "wanted"),
    [
        (1332065417.47, 1, 432, 1332065849.47),  # the book's own example article
        (1332075503.49, 528, 432, 1332303599.49),  # 528 × 432 = 228,096
        (1332075503.49, 200, 432, 1332161903.49),  # 200 votes: one day
        (1_000_000, 0, 100, 1_000_000),  # the Go description: a fresh article
        (1_000_000, 3, 100, 1_000_300),
        (1_000_000, 7, 86_400 / 7, 1_086_400),
    ],
)
def test_the_score_is_the_time_and_so_many_seconds_per_vote(
    time: float, votes: int, vote_score: float, wanted: float
) -> None:
    assert score(time, votes, vote_score) == pytest.approx(wanted, abs=1e-6)


def test_voting_closes_a_week_after_posting() -> None:
    assert closes(1_000_000.5, 604_800) == 1_604_800.5


def test_a_standing_can_be_checked_by_hand() -> None:
    # 12 votes × 432 s = 5,184 s = 1 h 26 min 24 s
    assert explain(article(votes=12), 432, 604_800) == ScoreExplanation(
        votes=12, vote_score=432, lift=5_184, posted=1_000_000, like=1_005_184, closes=1_604_800
    )


def test_an_article_without_votes_ranks_like_itself() -> None:
    standing = explain(article(votes=0), 100, 604_800)
    assert (standing.lift, standing.like) == (0, standing.posted)


@pytest.mark.parametrize(("order", "wanted"), [(Order.TIME, 1_000_000), (Order.SCORE, 1_000_864)])
def test_an_article_has_its_place_by_time_or_by_score(order: Order, wanted: float) -> None:
    assert ranking_value(article(votes=2), order, 432) == wanted


def test_of_a_tie_the_newer_stands_first_and_then_the_higher_number() -> None:
    old, newer, newer_yet, last = article(9, 5.0), article(2, 6.0), article(10, 6.0), article(1, 7.0)
    assert newest_first([newer, old, last, newer_yet]) == [last, newer_yet, newer, old]
