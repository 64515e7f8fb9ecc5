"""Trials of weights: the page they would give, how long articles stay on it, and the votes that suit them."""

import random
from dataclasses import replace

import pytest

from voteweb.core.models import Article
from voteweb.core.ranking_trial import (
    FirstPage,
    Sample,
    change_weights,
    evaluate,
    stay_seconds,
    votes_reached,
)
from voteweb.core.settings import Settings

DAY = 86_400
NOW = 20_000 * DAY
SETTINGS = Settings(good_votes=200, page_size=25)


def article(id: int, age: float, votes: int) -> Article:
    return Article(id=id, title="t", link="", text="", poster="ann", time=NOW - age, votes=votes)


def test_stay_follows_from_votes_and_time_to_fill_a_page() -> None:
    a_day_without_votes = Sample(tuple(article(id, 0, 0) for id in range(50)), DAY)
    assert stay_seconds(0, a_day_without_votes, SETTINGS) == pytest.approx(DAY / 2)
    assert stay_seconds(100, a_day_without_votes, SETTINGS) == pytest.approx(DAY)
    assert stay_seconds(500, a_day_without_votes, replace(SETTINGS, lift_days=1)) == pytest.approx(1.5 * DAY)
    # Of 50 articles a day, half have 100 votes: ours without votes meets 12.5 of them at once, and 25 after a quarter.
    half = Sample(tuple(article(id, 0, 100 * (id % 2)) for id in range(50)), DAY)
    assert stay_seconds(0, half, SETTINGS) == pytest.approx(DAY / 4)
    all_voted = Sample(tuple(article(id, 0, 200) for id in range(50)), DAY)
    assert stay_seconds(0, all_voted, SETTINGS) == 0


@pytest.mark.parametrize("good_votes", [1, 50, 200, 5_000])
@pytest.mark.parametrize("lift_days", [0, 2])
def test_page_is_that_of_all_articles_once_it_is_final(good_votes: int, lift_days: int) -> None:
    chance = random.Random(good_votes)
    articles = [article(id, id * 3_000, int(chance.paretovariate(0.9))) for id in range(1, 3_001)]
    settings = change_weights(SETTINGS, good_votes=good_votes, lift_days=lift_days)
    by_votes = sorted(articles, key=lambda article: -article.votes)
    page = FirstPage(settings, by_votes[:100], by_votes[100].votes)
    for first in range(0, 3_000, 50):
        page.add(articles[first : first + 50], is_last=first == 2_950)
        if page.is_final:
            break
    whole = FirstPage(settings, articles, 0)
    assert [row.id for row in page.rows] == [row.id for row in whole.rows]


def test_good_votes_are_those_that_one_in_twenty_articles_reached() -> None:
    settled = tuple(article(id, 2 * DAY, id) for id in range(1, 101))
    assert votes_reached(settled) == ((2, 51), (10, 91), (20, 96), (100, 100))
    young = tuple(article(200 + id, 3_600, 5_000) for id in range(50))
    sample = Sample(settled + young, 3 * DAY)
    page = FirstPage(SETTINGS, sample.articles, 0)
    trial = evaluate(SETTINGS, SETTINGS, sample.articles[:25], page, sample, NOW)
    assert (len(trial.sample.articles), trial.suggested) == (150, 96)
    assert evaluate(SETTINGS, SETTINGS, (), page, Sample(young, DAY), NOW).suggested is None


def test_a_weight_that_is_left_out_stays() -> None:
    settings = Settings(vote_score=600, comment_vote_score=700)
    assert change_weights(settings) == settings
    assert change_weights(settings, lift_days=2, comment_good_votes=5).vote_score == 600
    assert change_weights(settings, good_votes=100).vote_score == 864
