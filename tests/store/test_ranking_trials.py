"""Trials of weights on a real server: what is read step by step gives the page of all articles."""

import random
import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from voteweb.core import config
from voteweb.core.ranking import score
from voteweb.core.ranking_trial import change_weights
from voteweb.core.settings import Settings
from voteweb.store.articles.listings import try_weights


@pytest.fixture
def settings(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A site with small pages, rankings by votes and steps."""
    for name, value in (("MAX_RANKED", 5), ("TRIAL_STEP", 3), ("TRIAL_STEPS", 2)):
        monkeypatch.setattr(config, name, value)
    return settings


def test_steps_find_the_page_or_say_that_they_did_not(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store, now = make_store(page_size=4), time.time()
    chance = random.Random(4)
    articles = [
        factories.imported(store, title=f"Title {n}", time=now - n * 86_400 / 3, votes=int(chance.paretovariate(0.6)))
        for n in range(1, 41)
    ]
    site = Settings(page_size=4)
    for good_votes in (2, 200):
        tried = change_weights(site, good_votes)
        ranked = sorted(articles, key=lambda article: -score(article.time, article.votes, tried.vote_score, 0))
        trial = try_weights(store.context, store.listings, tried, now)
        assert trial.is_exact
        assert [row.article.id for row in trial.rows] == [article.id for article in ranked[:4]]
    assert trial.articles == 40
    monkeypatch.setattr(config, "MAX_TRIAL_ARTICLES", 6)
    trial = try_weights(store.context, store.listings, change_weights(site, 2), now)
    assert (trial.is_exact, trial.read, trial.articles) == (False, 6, 6)
    assert trial.span == pytest.approx(2 * 86_400, abs=1)
