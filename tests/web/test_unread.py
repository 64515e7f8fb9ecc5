"""The number of unread entries in the header of every page."""

import time

from tests import factories
from tests.store.examination import run
from tests.store.thread_data import node, write_thread
from tests.web.browser import Browser
from tests.web.conftest import CountRoundTrips, MakeBrowser
from voteweb.core.comments import CommentStatus
from voteweb.store import Store


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
