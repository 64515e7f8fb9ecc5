"""Feeds of comments, and that of an inbox: their content, and that deleted words are gone from them."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.feed_reader import atom, items, titles, tree
from voteweb.core.comments import CommentId
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed

THREAD = "{http://purl.org/syndication/thread/1.0}"
FEEDS = {
    "/a/1": ["bob on “Title <b>”", "ann on “Title <b>”", "bob on “Title <b>”"],
    "/a/1/c/1": ["bob on “Title <b>”", "ann on “Title <b>”"],
    "/a/1/c/3": [],
    "/comments": ["bob on “Title <b>”", "ann on “Title <b>”", "bob on “Title <b>”"],
    "/u/bob/comments": ["bob on “Title <b>”", "bob on “Title <b>”"],
}


@pytest.fixture(autouse=True)
def bob_user(store: Store) -> User:
    """Ann's article has bob's comment 1, ann's answer 2, and bob's answer 3 to that."""
    ann, bob = factories.user(store, "ann"), factories.user(store, "bob")
    factories.article(store, ann, title="Title <b>")
    factories.comment(store, 1, bob, text="First & **bold** <b>")
    factories.comment(store, 1, ann, parent=1, text="Answer")
    factories.comment(store, 1, bob, parent=2, text="Answer to the answer")
    return bob


@pytest.mark.parametrize("path", FEEDS)
def test_each_feed_has_its_comments_newest_first(path: str, reader: Browser) -> None:
    assert titles(reader, path) == FEEDS[path]
    assert reader.json["home_page_url"] == f"http://localhost{path}"
    ids = [entry.id for entry in atom(reader, f"{path}.atom").entries]
    assert len(set(ids)) == len(ids)
    alternates = reader.open(path).page.values("href", "link", rel="alternate")
    assert alternates == [f"{path}.atom", f"{path}.json"]


def test_item_has_its_words_and_what_it_answers(reader: Browser) -> None:
    item = items(reader, "/a/1.json")[-1]
    assert item["url"] == "http://localhost/a/1/c/1"
    assert "First &amp; <strong>bold</strong> &lt;b&gt;" in item["content_html"]
    assert [reader.open(path).status for path in ("/a/9.atom", "/a/1/c/9.json")] == [404, 404]
    entries = tree(reader, "/a/1.atom").findall("{http://www.w3.org/2005/Atom}entry")
    answered = [entry.find(f"{THREAD}in-reply-to").attrib for entry in entries]
    ids = [entry.findtext("{http://www.w3.org/2005/Atom}id") for entry in entries]
    assert [attributes["ref"] for attributes in answered[:2]] == [ids[1], ids[2]]
    article = tree(reader, "/new.atom").find("{http://www.w3.org/2005/Atom}entry")
    assert article.findtext("{http://www.w3.org/2005/Atom}id") == answered[2]["ref"]


def test_item_of_a_long_comment_has_its_first_1000_characters(reader: Browser, store: Store) -> None:
    factories.comment(store, 1, store.users.get("ann"), text="word " * 1_500)
    for path in ("/a/1.json", "/comments.json"):
        assert items(reader, path)[0]["content_html"].count("word") == 200


@pytest.mark.parametrize("format", ["atom", "json"])
def test_deleted_comment_is_gone_from_feeds_and_what_was_kept(
    format: str, reader: Browser, store: Store, bob_user: User
) -> None:
    addresses = [f"{path}.{format}" for path in ("/a/1", "/comments", "/u/bob/comments", "/a/1/c/2")]
    kept = {}
    for address in addresses:
        headers = reader.open(address).headers
        assert ("Answer to the answer" in reader.text, "Last-Modified" in headers) == (True, False)
        kept[address] = {"If-None-Match": headers["ETag"]}
    store.removals.delete(CommentId(1, 3), bob_user)
    for address in addresses:
        assert reader.open(address, headers=kept[address]).status == 200
        assert "Answer to the answer" not in reader.text


def test_long_conversation_shows_its_newest_comments(reader: Browser, store: Store, bob_user: User) -> None:
    for number in range(4, 121):
        factories.comment(store, 1, bob_user, parent=1, text=f"Comment {number}")
    for path in ("/a/1.json", "/a/1/c/1.json"):
        shown = [
            (item["url"].rpartition("/")[2], f"Comment {120 - at}" in item["content_html"])
            for at, item in enumerate(items(reader, path))
        ]
        assert shown == [(str(number), True) for number in range(120, 95, -1)]


def test_inbox_is_read_at_its_secret_address_until_withdrawn(reader: Browser, store: Store) -> None:
    ann = store.users.get("ann")
    token = store.feeds.renew(SecretFeed.INBOX, ann)
    path = f"/inbox/feed/{token}"
    assert titles(reader, path) == [
        "A feed of yours got a secret address",
        "bob answered your comment on “Title <b>”",
        "bob commented on your article “Title <b>”",
    ]
    assert reader.headers["Cache-Control"] == "private, no-store"
    assert len(store.connection.command("LRANGE", store.keys.unread("ann"), 0, -1)) == 3
    factories.ban(store, "ann")
    assert reader.open(f"{path}.atom").status == 404
