"""A link that was posted already, and the form that is filled in by its address."""

import time
from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.escaping import HOSTILE
from voteweb.store import Store

AGAIN: dict[str, Any] = {"title": "Mine is better", "link": "http://www.example.com/redis/?utm_source=x#top"}


@pytest.fixture(autouse=True)
def earlier_article(store: Store) -> None:
    """Another member's article of an hour ago."""
    hour_ago = time.time() - 3_700
    factories.imported(store, title="The earlier one", link="https://example.com/redis", time=hour_ago, votes=41)
    factories.group(store, "redis")


def test_earlier_article_is_shown_and_everything_typed_stays(bob: Browser) -> None:
    once = bob.open("/submit").value("once")
    bob.submit("/submit", **AGAIN, text="my words", groups=["redis"])
    assert (bob.status, bob.field_error("link")) == (422, "This link was posted already.")
    assert bob.titles == ["The earlier one"]
    assert bob.page.by_id("a1").one("button", class_="vote")["aria-label"].endswith("Votes: 41")
    form = bob.form("/submit")
    assert [bob.value(name) for name in ("title", "link", "once")] == [*AGAIN.values(), once]
    assert "checked" in form.one("input", name="groups")
    assert form.texts("button", class_="button") == ["Post it anyway"]


def test_duplicate_can_be_posted_anyway_only_once(bob: Browser, store: Store) -> None:
    bob.fill_in("/submit", **AGAIN)
    warning = bob.response
    for _ in range(2):
        bob.response = warning
        bob.submit("/submit", anyway="1")
        assert (bob.status, bob.location) == (303, "/a/3")
    assert bob.open("/new").titles == ["Mine is better", "The earlier one"]


@pytest.mark.parametrize(
    ("shared", "link", "text"),
    [("https://e.example/x", "https://e.example/x", ""), ("See https://e.example/x", "", "See https://e.example/x")],
)
def test_address_fills_in_the_form(shared: str, link: str, text: str, bob: Browser) -> None:
    bob.open("/submit", query_string={"title": HOSTILE, "text": shared})
    assert bob.value("title") == HOSTILE
    assert bob.value("link") == link
    assert bob.form("/submit").one("textarea", name="text").text == text
