"""The inbox: what it tells, what is unread, its number in the header, and the secret address of its feed."""

import time
from urllib.parse import urlsplit

import pytest

from tests import factories
from tests.store.examination import run
from tests.store.thread_data import node, write_thread
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import CountRoundTrips, MakeBrowser
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.config import INBOX_PAGE_SIZE
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed


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


MENTION, ARTICLE, REPLY = (
    "bob mentioned you in Two · just now", "bob commented on your article One · just now",
    "bob answered you in One · just now",
)  # fmt: skip


def heads(browser: Browser) -> list[str]:
    return [head.text for head in browser.page.all("h2") if "head" in head.attrs.get("class", "")]


def tabs(browser: Browser) -> list[str]:
    return browser.page.one("nav", aria_label="Inbox").texts("a")


def test_inbox_has_answers_comments_and_mentions(ann_user: User, ann: Browser, bob: Browser) -> None:
    assert heads(ann.open("/inbox")) == [f"Unread: {head}" for head in (MENTION, ARTICLE, REPLY)]
    rows = ann.page.all("li", class_="comment")
    assert [row.one("div", class_="text").text for row in rows] == ["Hello @Ann", "On the article", "An answer"]
    assert rows[0].one("a", data_reply="")["href"].startswith("/a/2/c/1/reply?")
    ann.client.head("/inbox")
    ann.open("/inbox", headers={"Sec-Purpose": "prefetch"})
    assert tabs(ann.open("/inbox")) == ["Unread 3", "All 3"]
    assert bob.open("/inbox").page.one("div", class_="empty").one("a")["href"] == "/comments"


def test_edited_away_mention_is_none_any_more(ann_user: User, ann: Browser, store: Store, bob: Browser) -> None:
    address = store.feeds.renew(SecretFeed.INBOX, ann_user)
    for text in ("Hello @ann!", "Hello _@ANN_", "Hello `@ann`", "> @ann", "@annie [ann](/u/ann)", "Hello"):
        bob.fill_in("/a/2/c/1/edit", text=text)
        names_her = text.startswith("Hello") and text[6:7] in ("@", "_")
        said = "bob mentioned you" if names_her else "bob no longer mentions you"
        assert heads(ann.open("/inbox"))[1] == f"Unread: {said} in Two · just now"
        assert f"{said} on “Two”" in ann.open(f"/inbox/feed/{address}.json").json["items"][1]["title"]


def test_vote_in_the_inbox_returns_to_its_entry(ann_user: User, ann: Browser) -> None:
    for verb, pressed in (("vote", "true"), ("unvote", "false")):
        ann.open("/inbox/all").press(f"/a/1/c/2/{verb}")
        assert ann.location == "/inbox/all#c1-2"
        button = ann.follow().page.by_id("c1-2").one("button", class_="vote")
        label = f"Vote for the comment by bob. Votes: {int(verb == 'vote')}"
        assert (button["aria-pressed"], button["aria-label"]) == (pressed, label)


def test_reply_in_the_inbox_returns_to_its_entry(ann_user: User, ann: Browser, store: Store) -> None:
    ann.open(ann.open("/inbox/all?page=1").page.by_id("c1-2").one("a", data_reply="")["href"])
    assert ann.page.one("a", data_cancel="")["href"] == "/inbox/all?page=1#c1-2"
    ann.submit("/a/1/c/2/reply", text="", preview="1").submit("/a/1/c/2/reply", text="Thank you")
    assert (ann.status, ann.location) == (303, "/inbox/all?page=1#c1-2")
    assert tabs(ann.follow()) == ["Unread 2", "All 3"]
    assert ann.flashes == ["Your comment has been posted. In context"]
    assert ann.page.one("p", class_="flash").one("a")["href"] == "/a/1/c/4"
    assert store.threads.get(1).nodes[4].parent == 2
    ann.open("/a/1/c/2/reply?next=//evil.example")
    assert ann.submit("/a/1/c/2/reply", text="Again").location == "/a/1#c5"


def test_answers_are_muted_in_the_inbox_and_heard_again(ann_user: User, ann: Browser, store: Store) -> None:
    for address, entry in (("/a/1/quiet", "c1-3"), ("/a/1/c/1/quiet", "c1-2")):
        for label in ("Mute", "Unmute"):
            button = ann.open("/inbox").page.by_id(entry).one("button", class_="button-link")
            assert button.text == label
            assert ann.submit(address, quiet=button["value"]).location == f"/inbox#{entry}"
    thread = factories.thread(store)
    assert (thread.is_quiet, thread.nodes[1].is_quiet) == (False, False)


def test_all_as_read_leaves_what_came_later_unread(ann_user: User, ann: Browser, store: Store) -> None:
    ann.open("/inbox")
    factories.comment(store, 1, factories.user(store, "bob"), text="Later")
    ann.submit("/inbox/read").follow()
    assert ann.flashes == ["All entries that were shown are marked as read."]
    assert tabs(ann) == ["Unread 1", "All 4"]
    assert heads(ann.open("/inbox/all")) == [f"Unread: {ARTICLE}", MENTION, ARTICLE, REPLY]
    assert ann.submit("/inbox/read").location == "/inbox/all"
    assert ann.open("/inbox").page.one("div", class_="empty").one("a")["href"] == "/inbox/all"


def test_marking_a_page_read_leaves_what_it_does_not_show(ann_user: User, ann: Browser, store: Store) -> None:
    bob = factories.user(store, "bob")
    for _ in range(2 * INBOX_PAGE_SIZE - 1):
        factories.comment(store, 2, bob, text="Again @ann")
    middle = ann.open("/inbox?page=2").page.values("id", "li", class_="comment")
    assert ann.form("/inbox/read").one("button").text == "Mark these as read"
    ann.submit("/inbox/read")
    left = [row["id"] for page in (1, 2) for row in ann.open(f"/inbox?page={page}").page.all("li", class_="comment")]
    assert len(left) == INBOX_PAGE_SIZE + 2
    assert not set(left) & set(middle)


def test_inbox_of_a_site_without_comments_has_only_moderators_acts(
    ann_user: User, make_browser: MakeBrowser, store: Store
) -> None:
    ann = make_browser(comments=0).start_session(store.users.get("ann"))
    assert not ann.open("/inbox").page.all("a", href="/inbox")
    factories.remove(store, CommentId(1, 1))
    (head,) = heads(ann.open("/inbox"))
    assert head.startswith("Unread: What you posted: mod removed")
    assert ann.page.texts("a", href="/inbox") == ["Inbox 1", "Unread 1"]
    assert not ann.page.all("a", href="/a/1/c/1")


def test_secret_address_is_shown_once_and_can_be_withdrawn(ann: Browser, store: Store) -> None:
    ann.open("/account/access").submit("/inbox/feed", act="renew", **{"own-password": PASSWORD}).follow()
    address = ann.flashes[0].removeprefix("The secret address of your feed is ")
    token = urlsplit(address).path.removeprefix("/inbox/feed/").removesuffix(".atom")
    assert store.feeds.name_of(SecretFeed.INBOX, token) == "ann"
    assert token not in ann.open("/account/access").text
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
    for address in ("/", "/account", "/nowhere"):
        assert inbox_link(bob, address) == "Inbox 3"
    assert count_round_trips(bob.open, "/new") == 1
    write_thread(store, 1, [node(2, status=CommentStatus.REMOVED)])
    assert inbox_link(bob) == inbox_link(bob, "/inbox") == "Inbox 2"
