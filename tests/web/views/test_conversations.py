"""The conversation below an article: what it shows, in which order, on which pages."""

import time

import pytest

from tests import factories
from tests.store.thread_data import node, write_thread
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from voteweb.store import Store


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """Article 1, posted by ann."""
    factories.article(store)


def shown(browser: Browser) -> list[str]:
    """Return the anchors of the comments on the page, in its order."""
    return browser.page.values("id", "li", class_="comment")


def test_end_of_a_conversation_is_told_when_near(make_browser: MakeBrowser, mod: Browser, store: Store) -> None:
    write_thread(store, 1, [node(1)])
    for days, told in ((3, []), (1, ["Open for"]), (-1, ["This conversation ended"])):
        store.connection.command("HSET", "thread:1", "closes", int(time.time()) + days * 86_400)
        store.connection.command("HINCRBY", "thread:1", "rev", 1)
        section = make_browser().open("/a/1").page.by_id("comments").text
        assert [words for words in ("Open for", "This conversation ended") if words in section] == told
        replies = make_browser().open("/a/1/c/1").page.by_id("replies-heading").text
        assert replies == ("No replies yet" if days > 0 else "No replies")
        assert bool(mod.open("/a/1").page.all("form", action="/a/1/close")) is (days > 0)


def test_replies_are_lists_inside_what_they_answer(reader: Browser, store: Store) -> None:
    write_thread(store, 1, [node(1, author="ann"), node(2, 1, "bob"), node(3, 2, "ann"), node(4, 0, "cem")])
    page = reader.open("/a/1").page
    assert shown(reader) == ["c4", "c1", "c2", "c3"]
    replies = page.by_id("c1").all("details", class_="replies")[0]
    assert ("open" in replies, replies.all("summary")[0].text) == (True, "2 replies")
    assert page.by_id("c3").one("summary")["aria-label"] == "Fold"
    assert [page.by_id(f"c{n}").all(class_="comment-head")[0].tag for n in (1, 2, 3)] == ["h3", "h4", "h5"]
    assert page.by_id("c2").all("span", class_="answers")[0].text == "↳ to ann"


def test_order_stays_in_every_link(reader: Browser, store: Store) -> None:
    write_thread(store, 1, [node(n, time=1_700_000_000.0 + n, votes=n % 3) for n in range(1, 111)])
    second = reader.open("/a/1?order=time").open_next()
    assert second.address == "/a/1?order=time&page=2#comments"
    assert shown(second) == [f"c{n}" for n in range(26, 51)]
    assert second.page.one("nav", aria_label="Order of comments").one("a", aria_current="page").text == "Oldest"
    assert second.page.one("a", rel="prev")["href"] == "/a/1?order=time#comments"
    for address in ("/a/1?order=votes", "/a/1?page=6"):
        assert reader.open(address).status == 404, address


def test_place_of_a_comment_is_explained_beside_its_neighbours(reader: Browser, store: Store) -> None:
    write_thread(store, 1, [node(n, votes=n) for n in range(1, 4)])
    why = reader.open("/a/1/c/2").page.by_id("why").text
    assert "2 votes × 17,280 s = 9 h 36 min, like one written on" in why
    assert [link["href"] for link in reader.page.by_id("why").all("a")] == ["/a/1/c/3", "/a/1/c/1"]


def test_order_that_a_member_chose_is_remembered_with_them(reader: Browser, bob: Browser, store: Store) -> None:
    for article in (1, factories.article(store).id):
        write_thread(store, article, [node(n, time=1_700_000_000.0 + n, votes=n % 2) for n in (1, 2, 3)])
    best, oldest, newest = ["c3", "c1", "c2"], ["c1", "c2", "c3"], ["c3", "c2", "c1"]
    bob.open("/a/1?order=time").submit("/my/order", order="new")
    for _ in range(2):  # a view makes the first page, the lane answers with it
        assert shown(bob.open("/a/2")) == newest
    assert bob.page.one("nav", aria_label="Order of comments").one("button", aria_current="page").text == "New"
    # An address wins, also one with the number of a page, and changes nothing.
    for address, order in {"?order=time": oldest, "?order=score": best, "?page=1": best, "": newest}.items():
        assert shown(bob.open(f"/a/1{address}")) == order, address
    bob.open("/a/1").submit("/a/1/comment", text="Words.")
    assert bob.response.location == "/a/1?order=new#c4"
    bob.open("/a/1").submit("/my/order", order="votes")
    assert shown(bob.open("/a/2")) == shown(reader.open("/a/2")) == best


def test_conversation_below_a_deleted_article_is_read_only(reader: Browser, ann: Browser, bob: Browser) -> None:
    bob.open("/a/1").submit("/a/1/comment", text="Stays")
    ann.open("/a/1").submit("/a/1/delete")
    for person in (reader, bob):
        assert person.open("/a/1").status == 410
        assert person.page.by_id("c1").one("div", class_="text").text == "Stays"
        assert person.page.all("textarea") + person.page.all("button", class_="vote") == []
        assert person.open("/a/1/c/1").status == 200
    assert bob.open("/a/1/c/1/reply").status == 410


def test_site_without_comments_has_nothing_of_them(make_browser: MakeBrowser, store: Store) -> None:
    factories.comment(store, 1)
    off = make_browser(comments=0).start_session(factories.user(store, "bob"))
    paths = ["/a/1/c/1", "/a/1/comment", "/a/1/c/1/reply", "/a/1/c/1/edit", "/comments", "/u/ann/comments"]
    paths += ["/a/1.atom", "/comments.atom"]
    assert {path: off.open(path).status for path in paths} == dict.fromkeys(paths, 404)
    for path in ("/", "/u/ann", "/a/1?page=9&order=x"):
        assert off.open(path).status == 200
        assert "comment" not in off.main, path
        assert "/comments" not in off.text, path
