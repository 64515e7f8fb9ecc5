"""Storms: everything that members and moderators can do, all at once."""

import time

import pytest

from tests.conftest import MakeStore
from tests.store.examination import broken, run
from tests.store.queries import read_articles
from tests.store.storm import ACTIONS, StoreStorm, check_comments
from voteweb.core import config

pytestmark = pytest.mark.heavy


def test_the_data_stay_sound_and_add_up_in_a_storm(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_RANKED", 3)
    monkeypatch.setattr(config, "BEST_STEP", 2)
    store = make_store(good_votes=4, vote_score=21_600.0, max_groups=3, lift_days=1)
    storm = StoreStorm(store)
    storm.start()
    findings = []
    end = time.monotonic() + 1.5
    while time.monotonic() < end or (time.monotonic() < end + 60 and storm.acts.keys() != ACTIONS):
        findings += broken(store)
    storm.stop()
    assert storm.failures == []
    assert findings == []
    assert broken(store) == []
    articles = read_articles(store, storm.votes)
    assert {id: article.votes for id, article in articles.items()} == dict(storm.votes)
    assert run(store, "ZCARD", "time:") == sum(article.is_listed for article in articles.values())
    assert len(articles) == storm.acts["post"]
    assert store.account_deletion.unfinished() == []
    assert storm.acts.keys() == ACTIONS
    check_comments(storm)
