"""The score, its explanation with numbers computed by hand, and the example on /about."""

from dataclasses import replace

import pytest

from voteweb.core.models import Article, Order
from voteweb.core.ranking import (
    ScoreExplanation,
    choose_example,
    day_name,
    day_number,
    explain,
    newest_first,
    ranking_key,
    relevance,
    score,
    voting_end,
)


def article(id: int = 1, time: float = 1_000_000.0, votes: int = 1) -> Article:
    return Article(id=id, title="t", link="", text="", poster="ann", time=time, votes=votes)


@pytest.mark.parametrize(
    ("time", "votes", "vote_score", "expected"),
    [
        (1332065417.47, 1, 432, 1332065849.47),  # the example article of the book
        (1332075503.49, 528, 432, 1332303599.49),  # 528 × 432 = 228,096
        (1_000_000, 0, 100, 1_000_000),  # the Go description: a new article
    ],
)
def test_score_is_the_time_plus_the_worth_of_all_votes(
    time: float, votes: int, vote_score: float, expected: float
) -> None:
    assert score(time, votes, vote_score, 0) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("votes", "years", "factor"),
    [
        (0, 0, 1.0),
        (6, 0, 3.0),
        (6, 1, 2.0),  # a year counts as much as half the votes
        (6, 30, 0.1),
        (-6, 0, 1.0),  # as another program may have stored them
    ],
)
def test_relevance_is_the_weight_of_words_by_votes_less_years(votes: int, years: float, factor: float) -> None:
    assert relevance(1.5, votes, years * 365 * 86_400) == pytest.approx(1.5 * factor)


def test_voting_ends_when_the_article_says_or_a_week_after_posting() -> None:
    assert voting_end(replace(article(time=1_000_000.5), closes=1_100_000), 604_800) == 1_100_000
    assert voting_end(article(time=1_000_000.5), 604_800) == 1_604_800


def test_explanation_has_every_part_of_the_score() -> None:
    # 12 votes × 432 s = 5,184 s = 1 h 26 min 24 s
    assert explain(article(votes=12), 432, 0, 604_800) == ScoreExplanation(
        votes=12,
        vote_score=432,
        bonus=5_184,
        lift=5_184,
        posted=1_000_000,
        equivalent_time=1_005_184,
        voting_end=1_604_800,
    )


def test_votes_lift_an_article_by_a_number_of_days_at_most() -> None:
    # 2,553 votes × 432 s = 12 days 18 h 21 min 36 s, of which 7 days count
    explanation = explain(article(votes=2_553), 432, 7 * 86_400, 604_800)
    assert (explanation.bonus, explanation.lift) == (1_102_896, 604_800)
    assert explanation.equivalent_time == 1_604_800
    assert score(1_000_000, 3, 432, 7 * 86_400) == 1_001_296


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order.TIME, 1_000_000.5),
        (Order.SECOND, 1_000_000),
        (Order.SCORE, 1_000_864.5),
        (Order.VOTES, 2 * 2**32 + 1_000_000),
    ],
)
def test_value_is_that_of_the_order(order: Order, expected: float) -> None:
    assert ranking_key(order, 432, 0)(article(votes=2, time=1_000_000.5)) == expected


def test_a_day_begins_at_midnight_utc() -> None:
    assert [day_name(day_number(time)) for time in (0, 86_399.9, 86_400, 1_763_769_600)] == [
        "1970-01-01", "1970-01-01", "1970-01-02", "2025-11-22",
    ]  # fmt: skip


def test_ties_are_ordered_by_time_and_descending_id() -> None:
    old, newer, newer_with_higher_id, newest = article(9, 5.0), article(2, 6.0), article(10, 6.0), article(1, 7.0)
    tied = [newer, old, newest, newer_with_higher_id]
    assert newest_first(tied) == [newest, newer_with_higher_id, newer, old]


@pytest.mark.parametrize(
    ("ranking", "chosen"),
    [
        ([], None),
        ([(9, 5), (8, 5)], (0, 1)),
        ([(9, 40), (5, 30), (6, 2), (7, 1)], (1, 2)),
        ([(5, 30), (6, 2), (7, 1), (6, 2)], (2, 3)),
    ],
)
def test_example_prefers_a_newer_article_above_one_with_more_votes(
    ranking: list[tuple[float, int]], chosen: tuple[int, int] | None
) -> None:
    """Each article is its time and its votes; an example is their two places."""
    articles = [Article(i, "t", "", "", "ann", time, votes) for i, (time, votes) in enumerate(ranking)]
    example = choose_example(articles)
    assert (example and (example[0].id, example[1].id)) == chosen
