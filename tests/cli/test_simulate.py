"""``voteweb simulate``: other weights are tried, and nothing is written."""

import json
import re
import time
from typing import Any

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.store.examination import run
from voteweb.store import Store, with_settings_in_force


@pytest.fixture
def site(store: Store) -> Store:
    """A site of 30 articles, the older the more votes: under the pure formula the newest leads, by a little."""
    for number in range(1, 31):
        hours = number * 3_600
        factories.imported(store, title=f"Title {number}", time=time.time() - hours, votes=number * 8)
    return store


def dump(store: Store) -> dict[str, Any]:
    """Return everything in the database, with when it expires."""
    client = store.connection.client
    return {key: (client.dump(key), client.expiretime(key)) for key in run(store, "KEYS", "*")}


def test_trial_shows_both_pages_and_writes_nothing(site: Store, invoke: Invoke) -> None:
    before = dump(with_settings_in_force(site))
    result = invoke("simulate", "--good-votes", 20, "--json")
    assert result.exit_code == 0, result.output
    trial = json.loads(result.output)
    assert [row["title"] for row in trial["first_page_today"][:2]] == ["Title 1", "Title 2"]
    assert [(row["title"], row["was"]) for row in trial["first_page"][:2]] == [("Title 30", None), ("Title 29", None)]
    assert (trial["today"]["vote_score"], trial["tried"]["vote_score"]) == (432, 4_320)
    text = invoke("simulate", "--good-votes", 20, "--comment-good-votes", 5).output
    assert "VOTEWEB_GOOD_VOTES: 200 today, 20 tried" in text
    assert re.search(r"^gone +1 +8 +1 h 0 min +Title 1$", text, re.MULTILINE)
    assert "A comment of 5 votes stays ahead of new ones: 12 h 0 min today, 1 d 0 h tried" in text
    assert dump(site) == before


@pytest.mark.usefixtures("store")
def test_an_empty_site_and_a_wrong_weight_are_told_in_words(invoke: Invoke) -> None:
    assert "There are too few articles" in invoke("simulate").output
    refused = invoke("simulate", "--good-votes", "0")
    assert refused.exit_code == 2
    assert "0 is not in the range 1<=x<=1000000" in refused.output
