"""Pages of articles that members share: each viewer's own parts are filled in, and nothing is ever late."""

import gc
import re
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from voteweb.core import config
from voteweb.core.conversation import Conversation
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.store import Store
from voteweb.web.base import context
from voteweb.web.caching import shared_pages
from voteweb.web.views import lane

CountRenders = Callable[..., int]


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """Article 1, posted by ann, with a comment of hers."""
    factories.article(store)
    factories.comment(store)


@pytest.fixture
def count_renders(monkeypatch: pytest.MonkeyPatch) -> CountRenders:
    """A function that calls another, and returns how many pages for all members that renders."""
    rendered = []
    cut = shared_pages.cut

    def counted(page: str, mark: str) -> tuple[bytes | str, ...]:
        rendered.append(page)
        return cut(page, mark)

    def count(act: Callable[..., object], *arguments: Any) -> int:
        before = len(rendered)
        act(*arguments)
        return len(rendered) - before

    monkeypatch.setattr(shared_pages, "cut", counted)
    return count


def test_members_share_a_page_with_their_own_parts(make_member: MakeMember, count_renders: CountRenders) -> None:
    members = {name: make_member(name) for name in ("bob", "cem")}
    seen = set()
    for turn in range(2):
        for name, browser in members.items():
            assert count_renders(browser.open, "/a/1") == (turn == 0 and name == "bob")
            page = browser.page
            assert page.one("summary", class_="own-name").text == name
            nonces = {field["value"].partition(".")[0] for field in page.all("input", name="csrf_token")}
            assert nonces == {browser.csrf_token().partition(".")[0]}
            seen.add(page.one("input", name="once")["value"])
    assert len(seen) == 4  # each form is one of its own


def test_members_with_another_order_share_a_page_of_their_own(
    bob: Browser, make_member: MakeMember, store: Store, count_renders: CountRenders
) -> None:
    factories.comment(store)
    cem = make_member("cem")
    store.users.choose(store.users.get("cem"), order="time")
    for turn in range(2):
        for browser, first in ((bob, "c2"), (cem, "c1")):
            assert count_renders(browser.open, "/a/1") == (turn == 0)
            assert browser.page.all("li", class_="comment")[0]["id"] == first


def test_poster_moderator_and_hiding_member_get_pages_of_their_own(
    ann: Browser, bob: Browser, mod: Browser, count_renders: CountRenders
) -> None:
    for browser in (mod, bob):  # their page would be that of the poster, who has voted too
        browser.send("/a/1/vote")
    bob.open("/a/1")
    bob.send("/u/ann/hide")
    for browser, words in ((ann, "/a/1/delete"), (mod, "/a/1/remove"), (bob, "Not in your lists, since you hide")):
        for _ in range(2):  # Flask answers those whose session has no token yet
            assert count_renders(browser.open, "/a/1") == 0
            assert words in browser.text


def test_what_others_did_is_on_the_next_page(bob: Browser, make_member: MakeMember, store: Store) -> None:
    dora = factories.user(store, "dora")
    cem = make_member("cem")
    for browser in (cem, bob):
        assert browser.open("/a/1").page.by_id("a1").all(class_="vote")[0].one(data_votes="").text == "1"
    store.votes.cast(1, bob.user)
    comment = factories.comment(store, 1, dora)
    store.votes.cast(comment, bob.user)
    for browser, pressed, new in ((cem, "false", 1), (bob, "true", 1), (cem, "false", 0)):
        page = browser.open("/a/1").page
        button, own = page.by_id("a1").one("button", class_="vote"), page.by_id("c2").one("button", class_="vote")
        assert (button["aria-pressed"], own["aria-pressed"]) == (pressed, pressed)
        assert [button.one(data_votes="").text for button in (button, own)] == ["2", "1"]
        assert len(page.all("mark", class_="new")) == 2 * new, "in the line, and at the comment"


def test_a_vote_or_conversations_end_alone_changes_the_page(bob: Browser, store: Store) -> None:
    assert bob.open("/a/1").page.by_id("a1").all(class_="vote")[0].one(data_votes="").text == "1"
    store.votes.cast(1, factories.user(store, "dora"))
    assert bob.open("/a/1").page.by_id("a1").all(class_="vote")[0].one(data_votes="").text == "2"
    assert "Heated" not in bob.text
    store.threads.set_closed(1, LogEntry(LogAction.CLOSE, "ann", article=1, why="Heated"), actor=None, closes=True)
    assert "Heated" in bob.open("/a/1").text


def write_comment(bob: Browser, store: Store) -> None:
    factories.comment(store, 1, bob.user)


def read_new_comments(bob: Browser, store: Store) -> None:
    bob.open("/a/1")
    factories.comment(store)


def vote(bob: Browser, store: Store) -> None:
    store.votes.cast(1, bob.user)
    store.votes.cast(factories.comment(store), bob.user)


@pytest.mark.parametrize(
    "act",
    [
        lambda bob, store: None,
        lambda bob, store: store.users.set_role("ann", Role.MODERATOR),
        lambda bob, store: bob.send("/a/1/save").open("/"),
        vote,
        write_comment,
        read_new_comments,
    ],
    ids=["nothing", "role", "save", "vote", "comment", "new"],
)
def test_page_before_flask_is_that_of_flask(
    bob: Browser,
    store: Store,
    act: Callable[[Browser, Store], object],
    reached: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bob.open("/a/1")
    act(bob, store)
    answers, parse = [], lane.parse_cookie
    for is_before in (False, True, False):
        monkeypatch.setattr(lane, "parse_cookie", parse if is_before else lambda _: {})
        reached.clear()
        response = bob.open("/a/1").response
        assert reached == ([] if is_before else ["/a/1"])
        headers = [header for header in response.headers if header[0] != "X-Request-Id"]
        answers.append((without_once(bob), headers))
    assert answers[1] == answers[2]


@pytest.mark.parametrize(("address", "headers"), [("/a/1?page=1", {}), ("/a/1", {"Sec-Purpose": "prefetch"})])
def test_other_pages_are_left_to_flask(bob: Browser, address: str, headers: dict[str, str], reached: list[str]) -> None:
    for _ in range(2):
        bob.open("/a/1")
    reached.clear()
    bob.open(address, headers=headers)
    assert reached == [address.partition("?")[0]]


def without_once(browser: Browser) -> str:
    """Return the page without what is new each time."""
    return re.sub(r'name="once" value="[^"]+"', "", browser.text)


def test_page_changes_with_the_time(bob: Browser, monkeypatch: pytest.MonkeyPatch, count_renders: CountRenders) -> None:
    assert "just now" in bob.open("/a/1").text
    for age, text in ((90.0, "1 minute ago"), (7.5 * 86_400, "voting closed"), (40 * 86_400, "1 month ago")):
        clock = SimpleNamespace(time=lambda age=age: time.time() + age)
        monkeypatch.setattr(context, "time", clock)
        assert count_renders(bob.open, "/a/1") == 1
        assert text in bob.text
        assert count_renders(bob.open, "/a/1") == 0
    assert not bob.page.all("button", class_="vote")


def test_page_changes_when_the_conversation_ends_soon(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch, count_renders: CountRenders
) -> None:
    soon = int(time.time() + 9.5 * 3_600)  # the ages of article and comment change half an hour before and after
    store.connection.client.hset("thread:1", "closes", soon + config.CLOSING_SOON_SECONDS)
    for seconds in (-60, 60):
        monkeypatch.setattr(context, "time", SimpleNamespace(time=lambda seconds=seconds: float(soon + seconds)))
        assert count_renders(bob.open, "/a/1") == 1


def test_conversations_of_earlier_pages_are_not_kept(bob: Browser, store: Store) -> None:
    before = _conversations()
    for _ in range(5):
        factories.comment(store)
        bob.open("/a/1")
    assert len([new for new in _conversations() if all(new is not old for old in before)]) <= 1


def _conversations() -> list[Conversation]:
    """Return all that this process keeps, also those of other tests."""
    gc.collect()
    return [thing for thing in gc.get_objects() if isinstance(thing, Conversation)]
