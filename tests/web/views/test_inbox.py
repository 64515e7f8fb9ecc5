"""The inbox: what it tells, what is unread, its number in the header, and the secret address of its feed."""

import time
from urllib.parse import urlsplit

import pytest

from tests import factories
from tests.store.examination import run
from tests.store.thread_data import node, write_thread
from tests.web.browser import Browser
from tests.web.conftest import CountRoundTrips, MakeBrowser
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.config import INBOX_PAGE_SIZE
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.accounts.secret_links import SecretFeed


@pytest.fixture
def ann_user(store: Store) -> User:
    """Ann has posted article 1 and written its comment 1, which bob has answered; in comment 3 he names her."""
    ann, bob = factories.user(store, "ann"), factories.user(store, "bob")
    factories.article(store, ann, title="One")
    factories.article(store, bob, title="Two")
    factories.comment(store, 1, ann, text="First")
    factories.comment(store, 1, bob, parent=1, text="An answer")
    factories.comment(store, 1, bob, text="On the article")
    factories.comment(store, 2, bob, text="Hello @Ann")
    return ann


def heads(browser: Browser) -> list[str]:
    return [head.text for head in browser.page.all("h2", class_="notice-head")]


def test_inbox_has_answers_comments_and_mentions(ann_user: User, ann: Browser, bob: Browser) -> None:
    assert heads(ann.open("/inbox")) == [
        "new You are mentioned", "new A comment on your article", "new An answer to your comment"
    ]  # fmt: skip
    rows = ann.page.all("li", class_="comment")
    assert [row.one("div", class_="text").text for row in rows] == ["Hello @Ann", "On the article", "An answer"]
    assert [form["action"] for form in ann.page.all("form", class_="quiet-form")] == ["/a/1/quiet", "/a/1/c/1/quiet"]
    assert bob.open("/inbox").page.one("div", class_="empty")


def test_all_as_read_leaves_what_came_later_unread(ann_user: User, ann: Browser, store: Store) -> None:
    ann.open("/inbox")
    factories.comment(store, 1, factories.user(store, "bob"), text="Later")
    ann.submit("/inbox/read").follow()
    assert ann.flashes == ["All entries that were shown are marked as read."]
    assert heads(ann) == [
        "new A comment on your article", "You are mentioned", "A comment on your article", "An answer to your comment"
    ]  # fmt: skip
    ann.submit("/inbox/read").follow()
    assert not ann.page.all("form", action="/inbox/read")


def test_older_pages_are_marked_as_read_from_the_first(ann_user: User, ann: Browser, store: Store) -> None:
    bob = factories.user(store, "bob")
    for _ in range(INBOX_PAGE_SIZE):
        factories.comment(store, 2, bob, text="Again @ann")
    ann.open("/a/2")
    assert not ann.open("/inbox").page.all("mark", class_="new")
    ann.submit("/inbox/read")
    assert not ann.open("/inbox?page=2").page.all("mark", class_="new")


def test_inbox_of_a_site_without_comments_has_acts_of_moderators_only(
    ann_user: User, make_browser: MakeBrowser, store: Store
) -> None:
    ann = make_browser(comments=0).start_session(store.users.get("ann"))
    assert ann.open("/inbox").page.one("div", class_="empty")
    assert not ann.page.all("a", href="/inbox")
    factories.remove(store, CommentId(1, 1))
    (head,) = heads(ann.open("/inbox"))
    assert head.startswith("new What you posted: mod removed")
    assert ann.page.one("a", href="/inbox").text == "Inbox 1"
    assert not ann.page.all("a", href="/a/1/c/1")


def test_opening_the_inbox_reads_nothing(ann_user: User, ann: Browser) -> None:
    ann.client.head("/inbox")
    ann.open("/inbox", headers={"Sec-Purpose": "prefetch"})
    assert len(ann.open("/inbox").page.all("mark", class_="new")) == 3


def test_secret_address_is_shown_once_and_can_be_withdrawn(ann: Browser, store: Store) -> None:
    ann.open("/inbox").submit("/inbox/feed", act="renew").follow()
    address = ann.flashes[0].removeprefix("The secret address of your feed is ")
    token = urlsplit(address).path.removeprefix("/inbox/feed/").removesuffix(".atom")
    assert store.feeds.name_of(SecretFeed.INBOX, token) == "ann"
    assert token not in ann.open("/inbox").response.text
    ann.submit("/inbox/feed", act="withdraw").follow()
    assert store.feeds.name_of(SecretFeed.INBOX, token) is None
    assert not ann.page.all("button", value="withdraw")


def inbox_link(person: Browser, address: str = "/") -> str:
    """Return the text of the link to the inbox in the header of a page."""
    return person.open(address).page.one("nav", class_="account").one("a", href="/inbox").text


def tell_bob(store: Store, number: int) -> None:
    """Put an entry about a comment into bob's inbox."""
    for key in ("inbox:bob", "unread:bob"):
        run(store, "LPUSH", key, f"mention 1.{number} {int(time.time())}")


def test_header_has_the_number_of_unread_entries(
    bob: Browser, store: Store, count_round_trips: CountRoundTrips
) -> None:
    factories.article(store)
    assert inbox_link(bob) == "Inbox"
    write_thread(store, 1, [node(1), node(2), node(3)])
    for number in (1, 2, 3):
        tell_bob(store, number)
    for address in ("/", "/new", "/account", "/nowhere"):
        assert inbox_link(bob, address) == "Inbox 3"
    assert count_round_trips(lambda: bob.open("/new")) == 1
    write_thread(store, 1, [node(2, status=CommentStatus.REMOVED)])
    assert inbox_link(bob) == inbox_link(bob, "/inbox") == "Inbox 2"
    assert len(bob.page.all("mark", class_="new")) == 2


def test_readers_and_sites_without_comments_have_no_link_to_an_inbox(
    reader: Browser, store: Store, make_browser: MakeBrowser
) -> None:
    bob = make_browser(comments=0).start_session(factories.user(store, "bob"))
    for person in (reader, bob):
        assert not person.open("/").page.all("a", href="/inbox")
    tell_bob(store, 1)  # of a comment that nobody can read
    assert not bob.open("/").page.all("a", href="/inbox")
