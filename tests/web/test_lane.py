"""The members' lane: what is answered before Flask is answered as Flask would, with every check."""

from dataclasses import replace
from unittest.mock import Mock

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import CountRoundTrips
from voteweb.app import create_app
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import Unavailable
from voteweb.core.models import LogAction, LogEntry
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.members.viewers import Viewers
from voteweb.web.caching import shared_pages


@pytest.fixture
def app(settings: Settings, store: Store) -> Flask:
    """A site with one list, which it keeps as long as a test takes."""
    factories.article(store, title="First")
    return create_app(replace(settings, page_seconds=60.0), store)


@pytest.fixture
def member(app: Flask, store: Store) -> Browser:
    """A member who has read the list, so that it is kept."""
    browser = Browser(app)
    browser.start_session(factories.user(store, "bob"))
    browser.open("/new")
    return browser


def all_but_id(browser: Browser) -> tuple[bytes, list[tuple[str, str]]]:
    """Return the last answer without the id of its request."""
    response = browser.response
    return response.data, [header for header in response.headers if header[0] != "X-Request-Id"]


def test_answer_has_the_headers_of_flask(member: Browser, reached: list[str]) -> None:
    headers = {"Accept-Language": "zh"}
    reached.clear()
    from_flask, from_frame = (all_but_id(member.open("/new", headers=headers)) for _ in range(2))
    assert reached == ["/new"]
    assert from_frame == from_flask


def test_answers_count_at_once_except_on_the_page_showing_them(
    app: Flask, member: Browser, store: Store, reached: list[str]
) -> None:
    ann, bob, other = store.users.get("ann"), store.users.get("bob"), Browser(app)
    comment = factories.comment(store, 1, bob)
    other.start_session(factories.user(store, "cid"))
    for browser in (member, other):
        browser.open("/new")
    reached.clear()
    for count in (1, 2):
        factories.comment(store, 1, ann, parent=comment.number)
        inbox = member.open("/new").page.one("nav", class_="account").one("a", href="/inbox")
        assert inbox.one(class_="badge").text == str(count)
    assert reached == []
    for _ in range(2):
        other.open("/a/1")
    reached.clear()
    counts = [member.open(address).page.all(class_="badge") for address in ("/new", "/a/1", "/new")]
    assert [[badge.text for badge in badges] for badges in counts] == [["2"], [], []]
    assert reached == []


def test_session_without_a_form_token_is_left_to_flask(
    app: Flask, store: Store, member: Browser, reached: list[str]
) -> None:
    browser = Browser(app)
    browser.start_session(factories.user(store, "cid"))
    reached.clear()
    assert browser.open("/new").press("/a/1/vote").status == 303
    assert reached == ["/new"]


@pytest.mark.parametrize(
    ("act", "message", "through_flask"),
    [("vote", "Your vote has been counted.", []), ("unvote", "You have not voted for this article.", ["/new"])],
    ids=["cookie", "session"],
)
def test_message_is_shown_once(
    act: str, message: str, through_flask: list[str], member: Browser, reached: list[str]
) -> None:
    member.send(f"/a/1/{act}", next="/new")
    member.client.delete_cookie("acted")
    reached.clear()
    assert member.open("/new").flashes == [message]
    assert not member.open("/new").flashes
    assert reached == through_flask


def test_page_after_a_vote_is_that_of_flask(
    app: Flask, member: Browser, reached: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def vote(act: str) -> None:
        member.send(f"/a/1/{act}", next="/new")

    vote("vote")
    before_flask = all_but_id(member.open("/new"))
    assert reached == []
    button = member.page.by_id("a1").one("button", class_="vote")
    assert (button["aria-pressed"], button.one(data_votes="").text) == ("true", "2")
    vote("unvote")
    member.open("/new")
    vote("vote")
    monkeypatch.setattr(shared_pages.of_app(app), "kept", BoundedCache(1_000_000))  # without a page that is kept
    assert before_flask == all_but_id(member.open("/new"))
    assert reached == ["/new"]


def test_page_read_afresh_takes_one_round_trip(
    member: Browser, reached: list[str], count_round_trips: CountRoundTrips
) -> None:
    member.client.set_cookie("acted", "1")
    reached.clear()
    assert count_round_trips(member.open, "/new") == 1
    assert reached == []


def test_vote_on_an_article_new_to_the_list_is_shown(member: Browser, store: Store, reached: list[str]) -> None:
    id = factories.article(store).id
    store.votes.cast(id, store.users.get("bob"))
    member.client.set_cookie("acted", "1")
    reached.clear()
    button = member.open("/new").page.by_id(f"a{id}").one("button", class_="vote")
    assert button["aria-pressed"] == "true"
    assert reached == []


def test_combined_groups_and_deleted_lists_are_left_to_the_view(
    member: Browser, store: Store, reached: list[str]
) -> None:
    """It counts the former against a limit."""
    for name in ("go", "redis"):
        store.groups.make(name, name, "")
    for path in ("/g/go", "/g/go+redis"):
        member.open(path)
    member.client.set_cookie("acted", "1")
    reached.clear()
    assert member.open("/g/go+redis").status == 200
    store.groups.delete("go", LogEntry(LogAction.DELETE_GROUP, "mod", title="go"), actor=None)
    member.client.set_cookie("acted", "1")
    assert member.open("/g/go").status == 404
    assert reached == ["/g/go+redis", "/g/go"]


@pytest.mark.parametrize(("error", "status"), [(Unavailable(), 503), (ZeroDivisionError("a secret"), 500)], ids=str)
def test_failure_is_answered_as_by_a_view(
    error: Exception, status: int, app: Flask, member: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Viewers, "queue_read", Mock(side_effect=error))
    app.config["PROPAGATE_EXCEPTIONS"] = False
    response = member.open("/new").response
    assert (response.status_code, response.headers["Cache-Control"]) == (status, "private, no-store")
    assert ("Retry-After" in response.headers) is (status == 503)
    assert "secret" not in response.text
    assert "</html>" in response.text
