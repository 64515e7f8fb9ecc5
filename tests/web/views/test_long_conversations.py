"""Conversations of thousands of comments, deep ones, damaged ones, and what their pages weigh."""

import gzip
import time
from collections.abc import Iterable

import pytest

from tests import factories
from tests.store.thread_data import node
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from voteweb.core import clock, config
from voteweb.core.comments import Node
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


def test_texts_after_100000_characters_are_excerpts_with_a_link(reader: Browser, bob: Browser, store: Store) -> None:
    for _ in range(13):
        factories.comment(store, text="word " * 1_999 + "words")
    for browser in (reader, bob):
        for address in ("/a/1?order=new", "/u/ann/comments"):
            comments = browser.open(address).page.all("li", class_="comment")
            texts = [comment.one("div", class_="text").text for comment in comments]
            assert [text.count("word") for text in texts] == [2_000] * 10 + [200] * 3, address
            links = [more.one("a")["href"] for more in browser.page.all("p", class_="more")]
            assert links == ["/a/1/c/3", "/a/1/c/2", "/a/1/c/1"]
    assert reader.open("/a/1/c/1").page.by_id("c1").text.count("word") == 2_000


def test_marks_stay_plain_after_those_that_a_page_may_have(reader: Browser, store: Store) -> None:
    for _ in range(25):
        factories.comment(store, text="*a* " * 200)
    for address in ("/a/1", "/comments.json"):
        html = reader.open(address).text
        marked = html.count("<em>a</em>")
        assert 500 < marked < config.MAX_PAGE_STEPS / 2
        assert marked + html.count("*a*") == 25 * 200


def test_page_of_a_hundred_comments_is_small(reader: Browser, bob: Browser, store: Store) -> None:
    factories.user(store, "member-of-this-site")
    sentence = "Most of what one reads about queues is about throughput; what matters at night is whether one can see "
    words = (sentence * 3)[:295]
    write(store, [node(n, n // 4, "member-of-this-site", time=NOW - 10**5 + n) for n in range(1, 101)], words)
    for person in (reader, bob):
        body = person.open("/a/1").response.data
        assert (body.count(b'class="comment"'), len(body) <= 124_000) == (100, True)
        assert len(gzip.compress(body)) <= 30_000


def test_new_comment_stands_near_the_top_for_half_an_hour(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first() -> str:
        return bob.open("/a/1").page.all("li", class_="comment")[0]["id"]

    write(store, [node(number, votes=1, time=NOW - 3_600 + number) for number in range(1, 131)])
    assert bob.open("/a/1").submit("/a/1/comment", text="Mine").location == "/a/1#c131"
    assert first() == "c131"
    assert "a comment stands as with 2 votes at least" in bob.open("/a/1/c/131").page.by_id("why").text
    monkeypatch.setattr(clock, "difference", lambda: config.NEW_COMMENT_SECONDS + 1.0)
    assert first() == "c130"
    assert store.threads.get(1).nodes[131].votes == 0


def test_what_is_new_stays_new_until_a_page_shows_it(
    make_browser: MakeBrowser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "COMMENTS_ON_PAGE", 25)
    write(store, [Node(number, 0, 0, 0, NOW + number, "bob") for number in range(1, 61)])
    store.connection.client.hset("seen:ann", "1", f"20 20 {NOW - 3_600:.0f} ")
    ann = make_browser().start_session(store.users.get("ann"))

    def row() -> list[str]:
        return ann.open("/").page.by_id("a1").texts("a", class_="new", href="/a/1#new")

    wanted = {1: range(60, 35, -1), 2: range(35, 20, -1), 3: ()}
    for page, first, is_here in (
        (3, "/a/1?page=2#c21", False),
        (1, "#c60", True),
        (1, "/a/1?page=2#c21", False),
        (2, "#c35", True),
        (1, "", False),
    ):
        counted = row()
        items = ann.open(f"/a/1?page={page}").page.all("li", class_="comment")
        marked = [item["id"] for item in items if item.all("mark")]
        assert marked == [f"c{number}" for number in wanted[page] if is_here], page
        lines = ann.page.all("p", class_="new-comments")
        assert [(line.one("mark").text, line.all("a")[0]["href"]) for line in lines] == [(n, first) for n in counted]
        assert len(ann.page.all(id="new")) == len(lines)
    store.connection.client.hset("seen:ann", "1", f"20 20 {NOW - 3_600:.0f} ")
    follows, oldest = {"Referer": "http://localhost/a/1"}, "?order=time"
    for query, first in (("", "#c60"), ("", "/a/1?page=2#c21"), (oldest, "#c21"), ("?page=2", "#c35"), ("", "#c60")):
        line = ann.open(f"/a/1{query}", headers=follows).page.one("p", class_="new-comments")
        assert (line.one("mark").text, line.all("a")[0]["href"]) == ("40 new", first)
    store.connection.client.hset("seen:ann", "1", f"20 20 {NOW - 3_600:.0f} ")
    for page, others in ((3, []), (1, ["/a/1?order=new&page=2#c21"])):  # the page of the newest is no other one
        links = ann.open(f"/a/1?order=new&page={page}").page.one("p", class_="new-comments").all("a")
        assert [link["href"] for link in links[1:]] == others, page


def test_comments_written_since_the_first_page_repeat_no_row(
    reader: Browser, bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "COMMENTS_ON_PAGE", 25)
    nodes = [Node(number, 0, 0, 0, NOW - 100 + number, "ann") for number in range(1, 61)]
    replies = [Node(number, 1, 0, 0, NOW - 100 + number, "ann") for number in range(61, 91)]
    for path, root in (("/a/1", 0), ("/a/1/c/1", 1)):
        write(store, nodes + replies)
        newest = 60 if root == 0 else 90
        links = [person.open(f"{path}?order=new").page.one("a", rel="next")["href"] for person in (reader, bob)]
        assert links == [f"{path}?order=new&page=2&from={NOW - 100 + newest!r}#comments"] * 2
        write(store, [*nodes, *replies, *(Node(n, root, 0, 0, NOW + n, "ann") for n in range(91, 94))])
        for person in (reader, bob):
            items = person.open(links[0].partition("#")[0]).page.all("ol", class_="thread")[-1].all("li")
            assert items[0]["id"] == f"c{newest - 25}"
            assert person.page.one("a", rel="prev")["href"] == f"{path}?order=new#comments"
            assert person.page.one("meta", name="robots")["content"] == "noindex"
    assert not reader.open("/a/1?order=time").page.one("a", rel="next")["href"].count("from")
    assert reader.open("/a/1?order=new&page=2&from=x").status == bob.open("/a/1?order=new&from=x").status == 404
