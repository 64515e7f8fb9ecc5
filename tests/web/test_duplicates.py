"""A link that was posted already; and the form filled in by the address that opens it."""

import time
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.dom import parse
from tests.web.test_articles import titles
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

AGAIN: dict[str, Any] = {"title": "Mine is better", "link": "http://www.example.com/redis/?utm_source=x#top"}
HOSTILE = "<b>&amp;</b> \"quotes\" 'too' {{ 7*7 }} %(x)s"


@pytest.fixture(autouse=True)
def earlier(fake_store: Store) -> None:
    """An article of an hour ago, of somebody else's."""
    hour_ago = time.time() - 3_700
    factories.imported(fake_store, title="The earlier one", link="https://example.com/redis", time=hour_ago, votes=41)
    factories.group(fake_store, "redis")


def test_the_earlier_article_is_shown_with_its_age_and_votes_and_everything_typed_stays(bob: Browser) -> None:
    once = bob.open("/submit").form("/submit").one("input", name="once")["value"]
    bob.submit("/submit", **AGAIN, text="my words", groups=["redis"])
    assert (bob.status, bob.error_at("link")) == (422, "This link was posted already.")
    assert titles(bob) == ["The earlier one"]
    row = bob.page.by_id("a1")
    assert row.one("time").words == "1 hour ago"
    assert row.one("button", class_="vote").words.endswith("Votes: 41")
    form = bob.form("/submit")
    assert form.one("input", name="title")["value"] == AGAIN["title"]
    assert form.one("input", name="link")["value"] == AGAIN["link"]
    assert form.one("textarea", name="text").words == "my words"
    assert "checked" in form.one("input", name="groups")
    assert form.one("input", name="once")["value"] == once
    assert [each.words for each in form.all("button")] == ["Post it anyway"]


def test_it_can_be_voted_for_from_there(bob: Browser) -> None:
    bob.open("/submit").submit("/submit", **AGAIN)
    assert bob.press("/a/1/vote").location == "/a/1#a1"
    assert bob.follow().flashes == ["Your vote is counted."]
    bob.open("/submit").submit("/submit", **AGAIN)
    assert bob.page.one("button", class_="vote")["aria-pressed"] == "true"


def test_it_is_posted_anyway_as_typed_and_only_once(bob: Browser, fake_store: Store) -> None:
    bob.open("/submit").submit("/submit", **AGAIN)
    warned = bob.answer
    for _ in range(2):
        bob.answer = warned
        bob.submit("/submit", anyway="1")
        assert (bob.status, bob.location) == (303, "/a/3")
    assert fake_store.articles.get(3).link == AGAIN["link"]
    assert titles(bob.open("/new")) == ["Mine is better", "The earlier one"]


def test_the_warning_stays_while_other_fields_are_put_right(bob: Browser) -> None:
    bob.open("/submit").submit("/submit", **AGAIN)
    bob.submit("/submit", title="")
    assert bob.error_at("title").startswith("A title needs")
    bob.submit("/submit", title="Mine")
    assert bob.error_at("link") == "This link was posted already."


@pytest.mark.parametrize("gone", ["deleted", "edited", "old"])
def test_what_is_no_longer_there_is_no_duplicate(gone: str, bob: Browser, fake_store: Store) -> None:
    if gone == "deleted":
        fake_store.removals.delete(1)
    elif gone == "edited":
        poster = fake_store.users.get("ann")
        fake_store.articles.edit(
            1, factories.draft(link="https://example.com/other"), poster, NewLogEntry(LogAction.EDIT, "mod", article=1)
        )
    else:
        fake_store.removals.delete(1)
        factories.imported(fake_store, link="https://example.com/redis", time=time.time() - 31 * 86_400)
    assert bob.open("/submit").submit("/submit", **AGAIN).status == 303


def test_texts_are_never_duplicates(bob: Browser) -> None:
    for id in (2, 3):
        assert bob.open("/submit").submit("/submit", title="A thought", text="words").location == f"/a/{id}"


def test_a_hostile_title_of_the_earlier_one_is_escaped(bob: Browser, fake_store: Store) -> None:
    factories.article(fake_store, title=HOSTILE, link="https://example.com/hostile")
    bob.open("/submit").submit("/submit", title="Mine", link="https://example.com/hostile")
    assert titles(bob) == [HOSTILE]


def test_the_address_fills_in_the_form(bob: Browser) -> None:
    bob.open("/submit", query_string={"title": HOSTILE, "link": "https://example.com/?a=b&c=d"})
    form = bob.form("/submit")
    assert form.one("input", name="title")["value"] == HOSTILE
    assert form.one("input", name="link")["value"] == "https://example.com/?a=b&c=d"
    assert not bob.page.all(class_="wrong")


def test_a_reader_with_the_bookmarklet_logs_in_and_comes_back_to_the_filled_form(reader: Browser, bob: Browser) -> None:
    reader.open(f"/submit?title={quote('A & B: 编程')}&link={quote('https://example.com/?a=b&c=d', safe='')}")
    reader.follow().submit("/login", username="bob", password="correct horse battery")
    assert reader.follow().page.one("input", name="title")["value"] == "A & B: 编程"
    assert reader.page.one("input", name="link")["value"] == "https://example.com/?a=b&c=d"


def test_the_bookmarklet_of_about_leads_to_the_form(reader: Browser) -> None:
    words = reader.open("/about").page.one("a", class_="bookmarklet")
    assert words.words == "Post to voteweb"
    script = words["href"]
    assert script.startswith('javascript:location.href="http://localhost/submit"+')
    assert "encodeURIComponent(document.title)" in script
    assert "encodeURIComponent(location.href)" in script


def test_what_it_makes_is_read_as_it_was_meant(bob: Browser) -> None:
    """The address as a browser would build it for a page with a difficult title."""
    made = "/submit?title=" + quote("50% & more #1?", safe="") + "&link=" + quote("https://e.example/x?y=1#z", safe="")
    assert parse_qs(urlsplit(made).query)["link"] == ["https://e.example/x?y=1#z"]
    page = parse(bob.open(made).answer.text)
    assert page.one("input", name="title")["value"] == "50% & more #1?"
    assert page.one("input", name="link")["value"] == "https://e.example/x?y=1#z"
