"""A member posts a link: its title is fetched, an earlier article is shown, and a draft stays until it is posted."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests import factories
from tests.fetching.web_server import WebServer, page, serving
from tests.journeys.conftest import Visit, Window
from tests.journeys.visitor import Visitor
from voteweb.fetching import TitleFetcher
from voteweb.store import Store


@pytest.fixture
def other_site(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """Another site, elsewhere.example, that the fetcher of titles may reach."""
    with serving() as server:
        server.answers = {"/story?utm_source=x": page("The story | Elsewhere"), "/redis": page("Redis in Action")}
        fetcher = TitleFetcher("tests", lambda *_: ["127.0.0.1"], "127.0.0.1".__eq__, frozenset({server.port}))
        monkeypatch.setitem(app.extensions, "voteweb.title_fetcher", fetcher)
        yield server


def test_member_posts_a_link_with_its_title(visit: Visit, window: Window, store: Store, other_site: WebServer) -> None:
    factories.article(store, title="The earlier one", link=f"http://elsewhere.example:{other_site.port}/story")
    bob = visit("bob", **window, expect_errors=True).open("/submit")
    link, title = bob.page.get_by_label("Link", exact=True), bob.page.get_by_label("Title", exact=True)
    link.fill(f"http://elsewhere.example:{other_site.port}/story?utm_source=x")
    for _ in range(2):
        bob.page.keyboard.press("Tab")  # across the button beside the link
    bob.page.get_by_label("Text", exact=True).fill("**Strong** words")
    if not window["script"]:  # with script the title comes once the field is left, and leaves the focus where it is
        bob.press("Get the title")
        expect(title).to_be_focused()
    expect(title).to_have_value("The story | Elsewhere")
    expect(bob.row("The earlier one")).to_be_visible()
    notice = bob.page.locator(".duplicate-notice")
    tops = [shown.evaluate("element => element.getBoundingClientRect().top") for shown in (link, notice, title)]
    assert tops == sorted(tops)
    bob.press("Preview")
    expect(bob.page.locator(".preview strong")).to_have_text("Strong")
    if window["script"]:
        bob.open("/new").open("/submit")
        expect(title).to_have_value("The story | Elsewhere")
        expect(bob.page.get_by_label("Text", exact=True)).to_have_value("**Strong** words")
    link.fill(f"http://elsewhere.example:{other_site.port}/redis")
    bob.press("Get the title")
    expect(title).to_have_value("Redis in Action")
    expect(notice).to_have_count(0)
    bob.press("Post").sees_flash("Your article has been posted.")
    assert store.articles.get(2).text == "**Strong** words"
    expect(bob.open("/submit").page.get_by_label("Text", exact=True)).to_have_value("")
    expect(link).to_have_value("")
    if window["script"]:
        fail_to_fetch(bob, f"http://elsewhere.example:{other_site.port}/missing")


def fail_to_fetch(bob: Visitor, link: str) -> None:
    """Ask for the title of a page that is missing, and offline: both are said in place, and nothing typed is lost."""
    bob.open("/submit?title=Mine&text=Words").type("Link", link).press("Get the title")
    expect(bob.page.get_by_role("alert")).to_contain_text("sends no page (status 404)")
    bob.page.context.set_offline(True)
    bob.press("Get the title")
    expect(bob.page.locator("[data-part=errors] .error")).to_be_visible()
    bob.is_at("/submit?title=Mine&text=Words")
    expect(bob.page.get_by_label("Title", exact=True)).to_have_value("Mine")
