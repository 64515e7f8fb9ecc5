"""The score, its explanation with numbers computed by hand, and the example on /about."""

from dataclasses import replace

import pytest

from tests.rows import check_results
from voteweb.core.models import Article, Order
from voteweb.core.ranking import (
    ScoreExplanation,
    choose_example,
    day_name,
    day_number,
    explain,
    ranking_key,
    relevance,
    score,
    voting_end,
)
from voteweb.core.settings import Settings

YEAR = 365 * 86_400
BOOK, A_WEEK = Settings(), Settings(lift_days=7)


def article(id: int = 1, time: float = 1_000_000.0, votes: int = 1) -> Article:
    return Article(id=id, title="t", link="", text="", poster="ann", time=time, votes=votes)


def chosen(ranking: list[tuple[float, int]]) -> tuple[int, int] | None:
    """Return the places of the example in a *ranking* of articles, each given by its time and its votes."""
    example = choose_example([article(id, time, votes) for id, (time, votes) in enumerate(ranking)])
    return example and (example[0].id, example[1].id)


#: Functions, their arguments and what they return.
RESULTS = {
    score: [
        (article(1, 1332065417.47, 1), BOOK, pytest.approx(1332065849.47, abs=1e-6)),  # the example of the book
        (article(1, 1332075503.49, 528), BOOK, pytest.approx(1332303599.49, abs=1e-6)),  # 528 × 432 = 228,096
        (article(1, votes=0), Settings(vote_score=100), 1_000_000),  # the Go description: a new article
        (article(1, votes=3), A_WEEK, 1_001_296),
    ],
    relevance: [
        (1.5, 0, 0, pytest.approx(1.5)),
        (1.5, 6, 0, pytest.approx(4.5)),
        (1.5, 6, YEAR, pytest.approx(3.0)),  # a year counts as much as half the votes
        (1.5, 6, 30 * YEAR, pytest.approx(0.15)),
        (1.5, -6, 0, pytest.approx(1.5)),  # as another program may have stored them
    ],
    # When the article says, or a week after posting.
    voting_end: [
        (replace(article(time=1_000_000.5), closes=1_100_000), BOOK, 1_100_000),
        (article(time=1_000_000.5), BOOK, 1_604_800),
    ],
    # A newer article above one with more votes.
    chosen: [
        ([], None),
        ([(9, 5), (8, 5)], (0, 1)),
        ([(9, 40), (5, 30), (6, 2), (7, 1)], (1, 2)),
        ([(5, 30), (6, 2), (7, 1), (6, 2)], (2, 3)),
    ],
}


def test_functions_of_rankings(subtests: pytest.Subtests) -> None:
    check_results(subtests, RESULTS)


def test_explanation_has_every_part_of_the_score() -> None:
    # 12 votes × 432 s = 5,184 s = 1 h 26 min 24 s
    assert explain(article(votes=12), BOOK) == ScoreExplanation(
        vote_score=432,
        bonus=5_184,
        lift=5_184,
        equivalent_time=1_005_184,
        voting_end=1_604_800,
    )


def test_votes_lift_an_article_by_a_bounded_number_of_days() -> None:
    # 2,553 votes × 432 s = 12 days 18 h 21 min 36 s, of which 7 days count
    explanation = explain(article(votes=2_553), A_WEEK)
    assert (explanation.bonus, explanation.lift) == (1_102_896, 604_800)
    assert explanation.equivalent_time == 1_604_800


def test_value_is_that_of_the_order() -> None:
    values = [ranking_key(order, BOOK)(article(votes=2, time=1_000_000.5)) for order in Order]
    assert values == [1_000_864.5, 2 * 2**32 + 1_000_000, 1_000_000.5, 1_000_000]


def test_a_day_begins_at_midnight_utc() -> None:
    assert [day_name(day_number(time)) for time in (0, 86_399.9, 86_400, 1_763_769_600)] == [
        "1970-01-01", "1970-01-01", "1970-01-02", "2025-11-22",
    ]  # fmt: skip
