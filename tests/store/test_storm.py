"""Storms: everything that members and moderators can do, all at once."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.conftest import MakeStore
from tests.helpers import until
from tests.store.examination import broken, ids, run
from tests.store.queries import read_articles
from tests.store.storm import ACTIONS, StoreStorm, check_comments
from voteweb.core import config

pytestmark = pytest.mark.heavy


def test_the_data_stay_sound_and_add_up_in_a_storm(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_RANKED", 3)
    monkeypatch.setattr(config, "BEST_STEP", 2)
    monkeypatch.setattr(config, "MERGE_DELAY_SECONDS", 0)
    store = make_store(good_votes=4, vote_score=21_600.0, max_groups=3, lift_days=1)
    storm = StoreStorm(store)
    storm.start()
    findings = []
    end = time.monotonic() + 1.5
    while time.monotonic() < end or (time.monotonic() < end + 60 and storm.acts.keys() != ACTIONS):
        findings += broken(store)
    storm.stop()
    assert findings == []
    assert broken(store) == []
    articles = read_articles(store, storm.votes)
    assert {id: article.votes for id, article in articles.items()} == dict(storm.votes)
    assert run(store, "ZCARD", "time:") == sum(article.is_listed for article in articles.values())
    assert len(articles) == storm.acts["post"]
    assert store.account_deletion.unfinished() == []
    assert storm.acts.keys() == ACTIONS
    check_comments(storm)


def test_a_program_killed_in_a_storm_leaves_nothing_half_done(make_store: MakeStore, server_url: str) -> None:
    store = make_store(good_votes=4, vote_score=21_600.0, max_groups=3)
    for seed in range(3):
        before = int(run(store, "GET", "article:") or 0)
        storm = subprocess.Popen([sys.executable, "-m", "tests.store.storm", server_url, str(seed), store.keys.prefix])
        try:
            until(lambda before=before: int(run(store, "GET", "article:") or 0) > before + 20)
        finally:
            os.kill(storm.pid, signal.SIGKILL)
            storm.wait()
        assert broken(store) == []
        for name in store.account_deletion.unfinished():
            store.account_deletion.finish(name)
            assert (ids(store, f"posted:{name}"), ids(store, f"gone:{name}")) == ([], [])
        list(store.group_merges.steps())
        assert run(store, "EXISTS", "merging:", "planned-merges:") == 0
        assert broken(store) == []
