"""The form of a new article before it is sent: the title of its link, an earlier article, a preview."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from tests.web.fixed_index import FixedIndex
from voteweb.search.models import SearchError
from voteweb.store import Store

TYPED: dict[str, Any] = {"link": "example.com/redis", "title": "", "text": "**Strong** words \n", "groups": ["redis"]}


@pytest.fixture(autouse=True)
def group(store: Store) -> None:
    """A group to choose."""
    factories.group(store, "redis")


def press(browser: Browser, button: str, **typed: Any) -> Browser:
    """Press a button of the form, which sends it elsewhere."""
    once = browser.open("/submit").value("once")
    address = next(b["formaction"] for b in browser.form("/submit").all("button") if b.text == button)
    token = browser.csrf_token()
    typed = {**TYPED, **typed}
    browser.post(address.partition("#")[0], {**typed, "once": once, "csrf_token": token})
    assert browser.value("once") == once
    assert browser.form("/submit").one("textarea", name="text").own_text.removeprefix("\n") == typed["text"]
    assert "checked" in browser.form("/submit").one("input", name="groups")
    return browser


def test_title_is_fetched_and_everything_else_stays(ann: Browser) -> None:
    press(ann, "Get the title")
    assert (ann.status, ann.value("title"), ann.value("link")) == (200, "Kept title", "https://example.com/redis")
    assert "autofocus" in ann.form("/submit").one("input", name="title")
    assert not ann.page.all(role="alert")
    ann.submit("/submit")
    assert ann.follow().heading == "Kept title"


def test_similar_titles_of_the_last_days_are_shown(ann: Browser, store: Store, index: FixedIndex) -> None:
    for title, link in (("The kept title, by others", "https://other.example/"), ("A kept secret of one title", "")):
        factories.article(store, factories.user(store, "zoe"), title=title, link=link, text="" if link else "Words")
    index.articles = (1, 2, 99)
    for button, title in (("Get the title", ""), ("Preview", "Kept: the title")):
        press(ann, button, title=title)
        assert ann.titles == (["The kept title, by others", title] if title else [])  # of three words two are too few
    ann.press("/a/1/vote")
    assert ann.location == "/a/1#a1"
    index.error = SearchError()
    assert press(ann, "Preview", title="Kept: the title").titles == ["Kept: the title"]
    press(ann, "Preview", title="Kept: the title", link="https://other.example/")
    assert "This link was posted already" in ann.main


def test_page_without_a_title_leaves_what_was_typed(ann: Browser) -> None:
    press(ann, "Get the title", link="https://example.com/untitled", title="Mine")
    assert (ann.status, ann.value("title")) == (422, "Mine")
    assert ann.alert == "The page at this link has no title that can be read. Please type one."


def test_title_needs_a_link_that_others_can_follow(ann: Browser) -> None:
    for link, message in (("", "Please fill in the link first."), ("http://10.0.0.1/", "private")):
        press(ann, "Get the title", link=link)
        assert (ann.status, ann.value("link")) == (422, link)
        assert message in ann.field_error("link")


def test_site_can_do_without_fetched_titles(make_browser: MakeBrowser, store: Store) -> None:
    browser = make_browser(fetch_titles=0).start_session(factories.user(store, "cid"))
    assert "Get the title" not in browser.open("/submit").text
    assert browser.send("/submit/title", **TYPED).status == 404


def test_preview_shows_the_text_and_posts_nothing(ann: Browser, store: Store) -> None:
    press(ann, "Preview")
    assert (ann.status, ann.page.one("section", class_="preview").one("strong").text) == (200, "Strong")
    assert store.connection.client.zcard("time:") == 0


def test_preview_shows_the_row_as_it_will_stand(ann: Browser) -> None:
    press(ann, "Preview", title="Redis in Action", text="", groups=["redis"])
    row = ann.page.one("section", class_="preview").one("li", class_="article")
    assert row.one("h2").one("a", href="https://example.com/redis").text == "Redis in Action"
    assert [link.text for link in row.all("a", class_="chip")] == ["redis"]
    assert "by ann" in row.text
    assert row.all("a", href="/a/0#comments") == []


def test_preview_of_neither_link_nor_text_says_so(ann: Browser) -> None:
    press(ann, "Preview", link="", text="", title="Redis in Action")
    assert (ann.status, ann.field_error("link")) == (422, "An article needs a link or a text.")


@pytest.mark.parametrize("button", ["Get the title", "Preview"])
def test_earlier_article_is_shown_before_posting(button: str, ann: Browser, bob: Browser, store: Store) -> None:
    factories.article(store, title="The earlier one")
    press(bob, button)
    row = ["Title"] if button == "Preview" else []
    assert bob.titles == ["The earlier one", *row]
    assert bob.page.by_id("duplicate").text == "This link was posted already"
    press(ann, button)
    assert ann.page.by_id("duplicate").text == "You posted this just now"
    ann.submit("/submit", title="Once more")
    assert (ann.status, ann.field_error("link")) == (422, "You have posted this link already.")
    store.removals.delete(1)
    press(bob, button)
    assert bob.titles == row
