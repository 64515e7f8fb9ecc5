"""A link that was posted already, and the form that is filled in by its address."""

import time
from typing import Any
from urllib.parse import quote

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
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
    once = bob.open("/submit").form("/submit").one("input", name="once")["value"]
    bob.submit("/submit", **AGAIN, text="my words", groups=["redis"])
    assert (bob.status, bob.field_error("link")) == (422, "This link was posted already.")
    assert bob.titles == ["The earlier one"]
    row = bob.page.by_id("a1")
    assert row.one("time").text == "1 hour ago"
    assert row.one("button", class_="vote").text.endswith("Votes: 41")
    form = bob.form("/submit")
    assert form.one("input", name="title")["value"] == AGAIN["title"]
    assert form.one("input", name="link")["value"] == AGAIN["link"]
    assert form.one("textarea", name="text").text == "my words"
    assert "checked" in form.one("input", name="groups")
    assert form.one("input", name="once")["value"] == once
    assert [button.text for button in form.all("button", class_="button")] == ["Post it anyway"]


def test_duplicate_can_be_posted_anyway_only_once(bob: Browser, store: Store) -> None:
    bob.open("/submit").submit("/submit", **AGAIN)
    warning = bob.response
    for _ in range(2):
        bob.response = warning
        bob.submit("/submit", anyway="1")
        assert (bob.status, bob.location) == (303, "/a/3")
    assert store.articles.get(3).link == AGAIN["link"]
    assert bob.open("/new").titles == ["Mine is better", "The earlier one"]


def test_warning_returns_after_another_error_is_corrected(bob: Browser) -> None:
    bob.open("/submit").submit("/submit", **AGAIN)
    bob.submit("/submit", title="")
    assert bob.field_error("title").startswith("A title needs")
    bob.submit("/submit", title="Mine")
    assert bob.field_error("link") == "This link was posted already."


def test_address_fills_in_the_form(bob: Browser) -> None:
    bob.open("/submit", query_string={"title": HOSTILE, "link": "https://example.com/?a=b&c=d"})
    form = bob.form("/submit")
    assert form.one("input", name="title")["value"] == HOSTILE
    assert form.one("input", name="link")["value"] == "https://example.com/?a=b&c=d"
    assert not bob.page.all("div", class_="error")


@pytest.mark.parametrize(
    ("shared", "link", "text"),
    [("https://e.example/x", "https://e.example/x", ""), ("See https://e.example/x", "", "See https://e.example/x")],
)
def test_shared_text_fills_in_the_form(shared: str, link: str, text: str, bob: Browser) -> None:
    form = bob.open("/submit", query_string={"text": shared}).form("/submit")
    assert form.one("input", name="link")["value"] == link
    assert form.one("textarea", name="text").text == text


def test_login_returns_a_reader_to_the_filled_in_form(reader: Browser, bob: Browser) -> None:
    reader.open(f"/submit?title={quote('A & B: 编程')}&link={quote('https://example.com/?a=b&c=d', safe='')}")
    reader.follow().submit("/login", username="bob", password=PASSWORD)
    assert reader.follow().page.one("input", name="title")["value"] == "A & B: 编程"
    assert reader.page.one("input", name="link")["value"] == "https://example.com/?a=b&c=d"


def test_bookmarklet_leads_to_the_form(reader: Browser) -> None:
    link = reader.open("/about").page.one("a", class_="bookmarklet")
    assert link.text == "Post to voteweb"
    script = link["href"]
    assert script.startswith('javascript:location.href="http://localhost/submit"+')
    assert "encodeURIComponent(document.title)" in script
    assert "encodeURIComponent(location.href)" in script
