"""The best articles by votes: of the site's periods and of a group's, as pages and as feeds."""

import json

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.core import config
from voteweb.store import Store


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    """Two articles of today in a group, the older with a vote more, and a good one of long ago."""
    for title in ("First", "Second"):
        factories.article(store, title=title, groups=["python"])
    factories.group(store, "python", "Python", "The language.")
    store.votes.cast(1, factories.user(store, "zoe"))
    factories.imported(store, title="Old", votes=300, time=1_600_000_000)


def test_the_best_of_each_period_are_listed(reader: Browser) -> None:
    for of in ("day", "week", "month", "year"):
        assert reader.open(f"/top?of={of}").titles == ["First", "Second"]
        assert reader.page.one("nav", class_="periods").one("a", aria_current="page").text == of.capitalize()
        assert reader.open(f"/g/python/top?of={of}").titles == ["First", "Second"]
    assert reader.open("/top?of=all").titles == ["Old", "First", "Second"]
    assert reader.open("/top").page.one("h1").text == "Top of the last 24 hours"
    for address in ("/g/python/top", "/g/python/top?of=all"):
        assert reader.open(address).titles == ["First", "Second"]
    assert reader.open("/top").page.one("a", href="/top?of=week").text == "Week"


@pytest.mark.parametrize("path", ["/top?of=decade", "/g/python/top?of=decade", "/g/nothing/top", "/top?page=2"])
def test_there_is_no_other_period(reader: Browser, path: str) -> None:
    assert reader.open(path).status == 404


def test_the_best_are_feeds_too(reader: Browser) -> None:
    reader.open("/top?of=week")
    assert reader.page.one("a", href="/top.atom?of=week").text == "Feed of this list"
    for address in ("/top.json?of=week", "/g/python/top.json"):
        reader.open(address)
        items = json.loads(reader.response.data)["items"]
        assert [item["title"] for item in items] == ["First", "Second"]


def test_a_full_list_says_what_it_holds(reader: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_RANKED", 1)
    assert reader.open("/top?of=year").titles == ["First"]
    assert reader.page.all("p", class_="total")[0].text == "The 1 articles with the most votes"
