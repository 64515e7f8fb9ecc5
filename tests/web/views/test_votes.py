"""Votes by form and by script: the response, and where it leads."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import JSON, Browser
from voteweb.core.models import Article
from voteweb.store import Store


@pytest.fixture
def article(store: Store) -> Article:
    """An article by ann in two groups."""
    return factories.article(store, title="On Redis", groups=("python", "redis"))


@pytest.fixture
def closed(store: Store) -> Article:
    """An article of eight days ago, with 7 votes."""
    return factories.imported(store)


def send_by_script(browser: Browser, address: str) -> tuple[int, Any]:
    """Post to *address* as the site's script does, and return status and JSON."""
    browser.send(address, headers=JSON, next="/")
    assert browser.response.content_type == "application/json"
    return browser.status, browser.json


@pytest.mark.parametrize("path", ["/?page=1", "/g/python+redis", "/a/1"])
def test_vote_leads_back_to_the_article_in_its_list(path: str, article: Article, bob: Browser) -> None:
    bob.open(path)
    for act, message, votes, pressed in (
        ("vote", "Your vote has been counted.", 2, "true"),
        ("unvote", "Your vote has been taken back.", 1, "false"),
    ):
        assert bob.press(f"/a/1/{act}").location == f"{path}#a1"
        assert bob.follow().flashes == [message]
        button = bob.page.by_id("a1").one("button", class_="vote")
        assert (button["aria-label"], button["aria-pressed"]) == (f"Vote for “On Redis”. Votes: {votes}", pressed)


@pytest.mark.parametrize("value", ["COUNTED", "counted; x", "\u00e9"])
def test_cookie_can_show_only_the_sites_messages(value: str, bob: Browser) -> None:
    bob.client.set_cookie("notice", value)
    assert bob.open("/").flashes == []


def test_reader_is_shown_no_message(article: Article, reader: Browser) -> None:
    reader.client.set_cookie("notice", "counted")
    assert reader.open("/").flashes == []
    assert "Set-Cookie" not in reader.headers


def test_refused_vote_is_explained_on_the_list(article: Article, closed: Article, bob: Browser) -> None:
    for address, message in (
        ("/a/1/unvote", "You have not voted for this article."),
        ("/a/2/vote", "Voting closed on "),
    ):
        assert bob.send(address, next="/new").follow().flashes[0].startswith(message)
        assert bob.page.one("p", class_="flash")["class"] == "flash error"
        assert bob.address == f"/new#a{address[3]}"


def test_script_gets_status_and_code_of_a_refusal(article: Article, ann: Browser, bob: Browser, store: Store) -> None:
    factories.comment(store, article)
    assert send_by_script(bob, "/a/1/vote") == (200, {"id": 1, "votes": 2, "voted": True})
    assert send_by_script(bob, "/a/1/c/1/vote") == (200, {"id": "1.1", "votes": 1, "voted": True})
    known, on_comment, on_own = {"votes": 2, "voted": True}, {"votes": 1, "voted": True}, {"votes": 1, "voted": False}
    for browser, address, status, code, message, more in (
        (bob, "/a/1/vote", 409, "already-voted", "You have already voted for this article.", known),
        (ann, "/a/1/unvote", 409, "own-vote", "You posted this article: your vote for it cannot be taken back.", known),
        (bob, "/a/1/c/1/vote", 409, "comment-already-voted", "You have already voted for this comment.", on_comment),
        (ann, "/a/1/c/1/vote", 409, "comment-own-vote", "You wrote this comment: you cannot vote for it.", on_own),
        (ann, "/a/99/vote", 404, "unknown-article", "There is no such article.", {}),
    ):
        assert send_by_script(browser, address) == (status, {"error": {"code": code, "message": message}, **more})
    assert send_by_script(bob, "/a/1/unvote") == (200, {"id": 1, "votes": 1, "voted": False})
    assert send_by_script(bob, "/a/1/unvote")[0] == 409
    assert send_by_script(bob, "/a/1/c/1/unvote") == (200, {"id": "1.1", "votes": 0, "voted": False})
    assert bob.open("/").flashes == []


def test_buttons_of_lists_send_no_other_form_in_links(bob: Browser, reader: Browser, store: Store) -> None:
    factories.article(store, factories.user(store, "zoe"), groups=("go",))
    factories.comment(store, 1, store.users.get("zoe"))
    bob.send("/a/1/save")
    pages = [(bob, "/saved"), *((who, at) for at in ("/", "/g/go", "/u/zoe", "/a/1") for who in (bob, reader))]
    for person, path in pages:
        last, sends = "", set()
        for element in person.open(path).page:
            if element.tag == "form":
                last = element.attrs.get("action", "")
            elif element.tag == "button" and "form" in element:
                sends.add(last)
        assert sends == {"/about"}, path
    assert "Vote, save and hide" in reader.open("/about?how=vote").page.one("p", role="note").text
