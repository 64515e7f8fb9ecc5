"""A link that was posted already, and the form that is filled in by its address."""

import time
from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.escaping import HOSTILE
from tests.web.fixed_index import FixedIndex
from voteweb.core.config import LINK_SECONDS
from voteweb.search.models import SearchError
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
    assert bob.main.count("This link was posted already") == 1
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


def posted_before(browser: Browser, id: int) -> list[str]:
    """Return the links to other articles with the link of an article on its page."""
    return [a["href"] for part in browser.open(f"/a/{id}").page.all("p", class_="posted-before") for a in part.all("a")]


def test_articles_with_one_link_name_each_other(
    reader: Browser, bob: Browser, mod: Browser, store: Store, index: FixedIndex
) -> None:
    again = factories.article(store, title="Again", link=AGAIN["link"]).id
    factories.comment(store, 1)
    index.others = (again, 1, 99)
    for person in (reader, bob, mod, bob):
        assert (posted_before(person, again), posted_before(person, 1)) == (["/a/1"], [f"/a/{again}"])
    line = bob.open(f"/a/{again}").page.one("p", class_="posted-before").text
    assert line == "The same link: 1 hour ago 41 votes, 1 comment"
    factories.remove(store, 1)
    for person in (reader, bob, mod):
        assert posted_before(person, again) == []
    index.error = SearchError()
    assert posted_before(bob, again) == []


def test_the_form_shows_a_link_that_was_posted_long_ago(bob: Browser, store: Store, index: FixedIndex) -> None:
    old = factories.imported(store, title="Long ago", link="https://old.example/", time=time.time() - LINK_SECONDS - 60)
    index.others = (old.id,)
    form = {"title": "Anew", "link": "old.example", "text": ""}
    bob.open("/submit").send("/submit/preview", **form, once=bob.value("once"))
    assert "Posted before" in bob.main
    assert "Long ago" in bob.titles
    assert bob.submit("/submit", **form).status == 303
