"""Votes by form and by script: what they answer, and where they lead."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import JSON, Browser
from voteweb.core import models
from voteweb.core.models import Article
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry


@pytest.fixture
def article(fake_store: Store) -> Article:
    """An article of ann's, in two groups."""
    return factories.article(fake_store, title="On Redis", groups=("python", "redis"))


@pytest.fixture
def closed(fake_store: Store) -> Article:
    """An article of eight days ago, with 7 votes."""
    return factories.imported(fake_store)


def script(browser: Browser, address: str) -> tuple[int, Any]:
    """Post to *address* as our script does, and return status and answer."""
    browser.post(address, {"csrf_token": browser.token(), "next": "/"}, headers=JSON)
    assert browser.answer.content_type == "application/json"
    return browser.status, browser.answer.json


@pytest.mark.parametrize(
    "place", ["/", "/?page=1", "/new", "/g/python", "/g/python/new", "/g/python+redis", "/u/ann", "/a/1"]
)
def test_a_vote_leads_back_to_the_same_list_at_the_article_and_says_so(
    place: str, article: Article, bob: Browser
) -> None:
    bob.open(place).press("/a/1/vote")
    assert (bob.status, bob.location) == (303, f"{place}#a1")
    assert bob.follow().flashes == ["Your vote is counted."]
    assert bob.page.by_id("a1").one("button", class_="vote").words == "Vote for “On Redis”. Votes: 2"
    assert bob.page.by_id("a1").one("button", class_="vote")["aria-pressed"] == "true"
    bob.press("/a/1/unvote")
    assert (bob.status, bob.location) == (303, f"{place}#a1")
    assert bob.follow().flashes == ["Your vote is taken back."]
    assert bob.page.by_id("a1").one("button", class_="vote").words == "Vote for “On Redis”. Votes: 1"
    assert bob.page.by_id("a1").one("button", class_="vote")["aria-pressed"] == "false"


def test_a_flash_is_said_once(article: Article, bob: Browser) -> None:
    bob.open("/").press("/a/1/vote").follow()
    assert bob.open("/").flashes == []


def test_a_vote_leaves_the_session_as_it_is_and_its_words_in_a_cookie_for_a_minute(
    article: Article, bob: Browser
) -> None:
    bob.open("/").press("/a/1/vote")
    assert bob.answer.headers.getlist("Set-Cookie") == ["notice=counted; Max-Age=60; HttpOnly; Path=/; SameSite=Lax"]
    bob.follow()
    assert bob.answer.headers.getlist("Set-Cookie") == ["notice=; Max-Age=0; HttpOnly; Path=/; SameSite=Lax"]
    assert "Set-Cookie" not in bob.open("/").answer.headers


def test_nobody_keeps_the_answer_to_a_vote(article: Article, bob: Browser) -> None:
    assert script(bob, "/a/1/vote")[0] == 200
    assert bob.answer.headers["Cache-Control"] == "private, no-store"
    bob.open("/").press("/a/1/unvote")
    assert bob.answer.headers["Cache-Control"] == "private, no-store"


def test_a_vote_in_a_session_that_has_ended_leads_to_log_in(article: Article, bob: Browser, fake_store: Store) -> None:
    fields = {"csrf_token": bob.token(), "next": "/new"}
    cookie = bob.client.get_cookie("voteweb")
    assert cookie
    fake_store.users.end_sessions("bob")
    bob.post("/a/1/vote", fields)
    assert (bob.status, bob.location) == (303, "/login?next=/new%23a1")
    bob.client.set_cookie("voteweb", cookie.value)
    bob.post("/a/1/vote", fields, headers=JSON)
    assert (bob.status, bob.answer.json["error"]["code"]) == (401, "login")
    assert fake_store.articles.get(1).votes == 1


def test_whoever_was_banned_before_the_vote_is_told_why(article: Article, bob: Browser, fake_store: Store) -> None:
    fields = {"csrf_token": bob.token(), "next": "/new"}
    fake_store.users.ban("bob", NewLogEntry(models.LogAction.BAN, "mod", about="bob", why="Too many links."))
    bob.post("/a/1/vote", fields)
    assert bob.location == "/login?next=/new%23a1"
    assert "Too many links." in " ".join(bob.follow().flashes)
    assert fake_store.articles.get(1).votes == 1


@pytest.mark.parametrize("value", ["", "COUNTED", "<b>", "counted; x", "\u00e9"])
def test_only_our_own_words_are_said(value: str, bob: Browser) -> None:
    bob.client.set_cookie("notice", value)
    assert bob.open("/").flashes == []


def test_to_readers_nothing_is_said(article: Article, reader: Browser) -> None:
    reader.client.set_cookie("notice", "counted")
    assert reader.open("/").flashes == []
    assert "Set-Cookie" not in reader.answer.headers


def test_voting_twice_counts_once_and_says_so(article: Article, bob: Browser, fake_store: Store) -> None:
    form = bob.open("/").answer
    for says in ("Your vote is counted.", "You have already voted for this article."):
        bob.answer = form
        assert bob.press("/a/1/vote").location == "/#a1"
        assert bob.follow().flashes == [says]
    assert bob.page.one("p", class_="flash")["class"] == "flash wrong"
    assert fake_store.articles.get(1).votes == 2


def test_what_cannot_be_is_said_on_the_list(article: Article, closed: Article, ann: Browser, bob: Browser) -> None:
    for browser, address, says in (
        (bob, "/a/1/unvote", "You have not voted for this article."),
        (ann, "/a/1/unvote", "You posted this article: your own vote stays."),
        (ann, "/a/1/vote", "You have already voted for this article."),
        (bob, "/a/2/vote", "Voting closed on "),
        (bob, "/a/2/unvote", "Voting closed on "),
    ):
        browser.post(address, {"csrf_token": browser.token(), "next": "/new"})
        assert browser.follow().flashes[0].startswith(says)
        assert browser.address == f"/new#a{address[3]}"


def test_ones_own_and_closed_articles_have_no_button(article: Article, closed: Article, ann: Browser) -> None:
    page = ann.open("/new").page
    assert not page.all("button", class_="vote")
    assert {each["title"] for each in page.all("span", class_="vote")} == {"Your own article", "Voting is closed"}


@pytest.mark.parametrize("act", ["vote", "unvote"])
def test_an_unknown_article_is_404(act: str, bob: Browser) -> None:
    bob.post(f"/a/99/{act}", {"csrf_token": bob.token(), "next": "/"})
    assert (bob.status, bob.page.one("p", class_="lead").words) == (404, "There is no such article.")


def test_script_is_told_the_votes_and_whether_its_own_is_among_them(article: Article, bob: Browser) -> None:
    assert script(bob, "/a/1/vote") == (200, {"id": 1, "votes": 2, "voted": True})
    assert script(bob, "/a/1/unvote") == (200, {"id": 1, "votes": 1, "voted": False})


def test_script_may_send_the_token_as_a_header(article: Article, bob: Browser) -> None:
    bob.post("/a/1/vote", headers=JSON | {"X-CSRFToken": bob.token()})
    assert bob.answer.json == {"id": 1, "votes": 2, "voted": True}


def test_script_is_told_by_status_and_code_what_cannot_be(
    article: Article, closed: Article, ann: Browser, bob: Browser
) -> None:
    script(bob, "/a/1/vote")
    for browser, address, status, code, message in (
        (bob, "/a/1/vote", 409, "already-voted", "You have already voted for this article."),
        (ann, "/a/1/unvote", 409, "own-vote", "You posted this article: your own vote stays."),
        (ann, "/a/99/vote", 404, "unknown-article", "There is no such article."),
    ):
        assert script(browser, address) == (status, {"error": {"code": code, "message": message}})
    status, answer = script(bob, "/a/2/vote")
    assert (status, answer["error"]["code"]) == (410, "voting-closed")
    assert answer["error"]["message"].startswith("Voting closed on ")
    script(bob, "/a/1/unvote")
    assert script(bob, "/a/1/unvote")[0] == 409


def test_what_script_was_told_is_not_said_again_on_a_page(article: Article, bob: Browser) -> None:
    script(bob, "/a/1/vote")
    script(bob, "/a/1/vote")
    assert bob.open("/").flashes == []


def test_a_reader_who_votes_by_script_is_told_to_log_in(article: Article, reader: Browser) -> None:
    reader.post("/a/1/vote", {"next": "/"}, headers=JSON)
    assert reader.status == 401
    assert reader.answer.json == {"error": {"code": "login", "message": "Please log in first."}}


@pytest.mark.parametrize("place", ["/new", "/new?page=2", "/g/python+redis/new", "/a/1"])
def test_a_readers_vote_leads_to_log_in_and_back_to_the_article(
    place: str, article: Article, reader: Browser, bob: Browser, fake_store: Store
) -> None:
    for i in range(25 if "page=2" in place else 0):
        factories.article(fake_store, title=f"Article {i}")
    reader.open(place).press("/a/1/vote")
    assert reader.status == 303
    assert "Set-Cookie" not in reader.answer.headers
    assert fake_store.articles.get(1).votes == 1
    reader.follow().submit("/login", username="bob", password="wrong password")
    reader.submit("/login", username="bob", password="correct horse battery")
    assert reader.location == f"{place}#a1"
    assert reader.follow().press("/a/1/vote").follow().flashes == ["Your vote is counted."]


def test_a_reader_can_join_on_the_way_back_to_the_article(article: Article, reader: Browser) -> None:
    reader.open("/new").press("/a/1/vote").follow()
    reader.open(reader.page.one("main").all("a")[-1]["href"])
    reader.submit("/signup", username="carl", password="long enough")
    assert reader.location == "/new#a1"
    assert reader.follow().press("/a/1/vote").follow().flashes[-1] == "Your vote is counted."


def test_a_name_in_other_letters_is_still_the_poster(article: Article, fake_store: Store, ann: Browser) -> None:
    fake_store.connection.client.hset("article:1", "poster", "ANN")
    assert not ann.open("/").page.all("button", class_="vote")
    assert script(ann, "/a/1/unvote")[1]["error"]["code"] == "own-vote"
