"""Conversations of thousands of comments, deep ones, damaged ones, and what their pages weigh."""

import gzip
import time
from collections.abc import Iterable
from urllib.parse import urldefrag

import pytest

from tests import factories
from tests.store.thread_data import node
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from voteweb.core import config
from voteweb.core.comments import Node
from voteweb.core.models import Reason
from voteweb.store import Store
from voteweb.store.schema.nodes import format_node

NOW = float(int(time.time()))


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """Article 1, posted by ann."""
    factories.article(store)


def write(store: Store, nodes: Iterable[Node], words: str = "Comment") -> int:
    """Write a whole conversation at once; return its number of comments."""
    stored = {node.number: format_node(node) for node in nodes}
    client = store.connection.client
    client.hset("thread:1", mapping={**stored, "last": max(stored), "rev": 1})
    client.hset("words:1", mapping={number: f"{words} {number}" for number in stored})
    client.hset("article:1", "comments", len(stored))
    return len(stored)


def large() -> list[Node]:
    """Return 5,000 comments: 200 of the first level, 3,000 below one of them, a chain of 50, and short replies."""
    parents = [0] * 200
    parents += [7 if number % 3 else number // 2 + 100 for number in range(201, 3_201)]
    parents += [200, *range(3_201, 3_250)]
    parents += [1 + number % 199 for number in range(3_251, 5_001)]
    return [node(number, parent, time=NOW - 9_000 + number) for number, parent in enumerate(parents, 1)]


def crawl(reader: Browser) -> list[str]:
    """Return the anchors of the comments that one meets when one follows all links to more replies and other pages."""
    met: list[str] = []
    waiting, seen = ["/a/1"], {"/a/1"}
    while waiting:
        page = reader.open(waiting.pop()).page
        assert reader.status == 200, reader.address
        # On the page of a comment, those above its replies are shown again.
        section = page.by_id("comments")
        met += [item["id"] for item in section.all("li", class_="comment")]
        links = [
            *section.all("a", rel="next"),
            *(link for more in section.all(class_="more") for link in more.all("a")),
        ]
        addresses = {urldefrag(link["href"]).url for link in links} - seen
        seen |= addresses
        waiting += addresses
    return met


@pytest.mark.heavy
def test_every_comment_is_reached_from_page_1(reader: Browser, store: Store) -> None:
    """A list that a gap cuts off is shown whole on the page where the rule begins anew."""
    count = write(store, large())
    assert reader.open("/a/1").page.by_id("comments").one("h2").text == "5,000 comments"
    assert set(crawl(reader)) == {f"c{number}" for number in range(1, count + 1)}


def test_texts_after_100000_characters_are_excerpts_with_a_link(reader: Browser, bob: Browser, store: Store) -> None:
    for _ in range(13):
        factories.comment(store, text="word " * 1_999 + "words")
    for browser in (reader, bob):
        for address in ("/a/1?order=new", "/comments", "/u/ann/comments"):
            comments = browser.open(address).page.all("li", class_="comment")
            texts = [comment.one("div", class_="text").text for comment in comments]
            assert [text.count("word") for text in texts] == [2_000] * 10 + [200] * 3, address
            assert texts[-1].endswith("word …")
            links = [more.one("a")["href"] for more in browser.page.all("p", class_="more")]
            assert links == ["/a/1/c/3", "/a/1/c/2", "/a/1/c/1"]
    assert len(bob.open("/a/1").page.by_id("comments").all("button", class_="vote")) == 13
    assert bob.page.by_id("comments").one("h2").text == "13 comments"
    whole = reader.open("/a/1/c/1").page.by_id("c1")
    assert whole.one("div", class_="text").text.count("word") == 2_000
    assert whole.all("p", class_="more") == []


@pytest.mark.parametrize("length", [1_001, 1_002])
def test_the_smallest_cut_has_a_link_too(reader: Browser, mod: Browser, store: Store, length: int) -> None:
    ids = [factories.comment(store, text="x" * size) for size in (length, *[9_999] * 11)]
    for id in reversed(ids):
        store.reports.make(id, factories.user(store, "reporter"), Reason.SPAM, "")
    for browser, address in ((reader, "/a/1?order=new"), (mod, "/queue")):
        links = [more.one("a")["href"] for more in browser.open(address).page.all("p", class_="more")]
        assert "/a/1/c/1" in links, address


def test_marks_stay_plain_after_those_that_a_page_may_have(reader: Browser, store: Store) -> None:
    for _ in range(25):
        factories.comment(store, text="*a* " * 200)
    for address in ("/a/1", "/comments", "/comments.json"):
        html = reader.open(address).response.text
        marked = html.count("<em>a</em>")
        assert 500 < marked < config.MAX_PAGE_STEPS / 2
        assert marked + html.count("*a*") == 25 * 200
    assert reader.open("/a/1").page.all("p", class_="more")[-1].one("a")["href"] == "/a/1/c/1"


def test_a_hundred_comments_with_quotes_lists_and_links_are_whole(reader: Browser, store: Store) -> None:
    text = (
        "> What they said.\n\nNo, [see](https://a.example/):\n\n"
        + "- a *point*\n" * 3
        + "\n> And this.\n\nYes.\n"
        + "x " * 200
    )
    for _ in range(100):
        factories.comment(store, text=text)
    page = reader.open("/a/1").page
    assert len(page.by_id("comments").all("blockquote")) == 200
    assert page.all("p", class_="more") == []


def test_gaps_and_other_pages_make_up_the_number(reader: Browser, store: Store) -> None:
    write(store, large())
    first = reader.open("/a/1?order=time").page
    shown = len(first.all("li", class_="comment"))
    assert shown == 100
    gaps = [int(gap.text.split()[0].replace(",", "")) for gap in first.all(class_="more")]
    elsewhere = 0
    for number in range(2, 9):
        page = reader.open(f"/a/1?order=time&page={number}").page
        elsewhere += len(page.all("li", class_="comment"))
        elsewhere += sum(int(gap.text.split()[0].replace(",", "")) for gap in page.all(class_="more"))
    assert shown + sum(gaps) + elsewhere == 5_000


def test_damaged_conversation_is_shown(reader: Browser, bob: Browser, store: Store) -> None:
    chain = [node(number, number - 1, time=NOW) for number in range(1, 3_001)]
    write(store, [*chain, node(3_001, 9_999), node(3_002, 3_003), node(3_003, 3_002), node(3_004, 3_004)])
    store.connection.client.hset("thread:1", mapping={"3005": "no comment", "3006": "1 2 3", "x": "y"})
    for path in ("/a/1", "/a/1?order=time", "/a/1/c/3000", "/a/1/c/3002", "/a/1/c/1500"):
        for person in (reader, bob):
            assert person.open(path).status == 200, path
    for path in ("/a/1/c/3005", "/a/1/c/99999", "/a/1/c/0", "/a/1/c/3005/reply"):
        assert bob.open(path).status == 404, path
    assert bob.open("/a/1/c/3000/reply").status == 409


def test_page_of_a_hundred_comments_is_small(reader: Browser, bob: Browser, store: Store) -> None:
    factories.user(store, "member-of-this-site")
    sentence = "Most of what one reads about queues is about throughput; what matters at night is whether one can see "
    words = (sentence * 3)[:295]
    write(store, [node(n, n // 4, "member-of-this-site", time=NOW - 10**5 + n) for n in range(1, 101)], words)
    for person in (reader, bob):
        body = person.open("/a/1").response.data
        assert body.count(b'class="comment"') == 100
        assert len(body) <= 121_000
        assert len(gzip.compress(body)) <= 30_000


def test_description_has_no_words_of_comments(reader: Browser, store: Store) -> None:
    write(store, [node(1)], "Unmistakable")
    page = reader.open("/a/1").page
    assert not [meta for meta in page.all("meta") if "Unmistakable" in meta.attrs.get("content", "")]


def test_what_is_new_stays_new_until_a_page_has_shown_it(
    make_browser: MakeBrowser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "COMMENTS_ON_PAGE", 25)
    write(store, [Node(number, 0, 0, 0, NOW + number, "bob") for number in range(1, 61)])
    store.connection.client.hset("seen:ann", "1", f"20 20 {NOW - 3_600:.0f} ")
    ann = make_browser().start_session(store.users.get("ann"))

    def row() -> list[str]:
        return [link.text for link in ann.open("/").page.by_id("a1").all("a", class_="new")]

    ann.client.head("/a/1")
    ann.open("/a/1", headers={"Sec-Purpose": "prefetch"})
    wanted = {1: range(60, 35, -1), 2: range(35, 20, -1), 3: ()}
    for page, first, left in (
        (3, "/a/1?page=2#c21", "40 new"),
        (1, "#c60", "15 new"),
        (3, "/a/1?page=2#c21", "15 new"),
        (2, "#c35", ""),
        (3, "/a/1?page=2#c21", ""),
        (1, "#c60", ""),
    ):
        items = ann.open(f"/a/1?page={page}").page.all("li", class_="comment")
        marked = [item["id"] for item in items if item.all("span", class_="new-links")]
        assert marked == [f"c{number}" for number in wanted[page]], page
        line = ann.page.one("p", class_="new-comments")
        assert (line.one("mark").text, line.all("a")[0]["href"]) == ("40 new", first)
        assert row() == [left] * bool(left)
