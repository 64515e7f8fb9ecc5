"""Comments on an article: all of them, in any order, and nothing that the page does not show."""

from itertools import chain

import pytest
from flask import Flask

from tests import factories
from tests.store.thread_data import node, write_thread
from tests.web.api.program import Program, ids
from tests.web.browser import Browser
from voteweb.core.comments import CommentId
from voteweb.core.models import Right
from voteweb.store import Store


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    factories.article(store)


@pytest.mark.parametrize("order", ["score", "time", "new"])
def test_conversation_has_each_comment_once(order: str, app: Flask, store: Store) -> None:
    write_thread(store, 1, [node(number, number // 2) for number in range(1, 201)])
    pages = Program(app).pages(f"/articles/1/comments?order={order}", "comments")
    assert list(map(len, pages)) == [100, 100]
    comments = list(chain(*pages))
    assert sorted(ids(comments)) == list(range(1, 201))
    assert comments[0]["text"] == f"Comment {comments[0]['number']}"


def test_newest_comments_have_each_once_while_others_are_written(app: Flask, store: Store) -> None:
    write_thread(store, 1, [node(number) for number in range(1, 131)])
    program = Program(app)
    first = program.get("/articles/1/comments?order=new")
    factories.comment(store, 1)
    factories.remove(store, CommentId(1, 31))
    rest = program.get(f"/articles/1/comments?order=new&next={first['next']}")
    assert ids(first["comments"]) + ids(rest["comments"]) == list(range(130, 0, -1))


def test_gone_comments_have_no_words(app: Flask, store: Store, bob: Browser, mod: Browser) -> None:
    for parent in (0, 1, 0, 0, 4, 0):
        factories.comment(store, 1, bob.user, parent=parent, text="Secret words.")
    factories.remove(store, CommentId(1, 1), "Rude.")
    store.removals.delete(CommentId(1, 4), actor=bob.user)
    factories.remove(store, CommentId(1, 6), "Spam.")
    comments = {row["number"]: row for row in Program(app).get("/articles/1/comments")["comments"]}
    assert comments.keys() == {1, 2, 3, 4, 5}, "one that stands above nothing is left out, as on the page"
    for number, status, reason in ((1, "removed", "Rude."), (4, "deleted", None)):
        assert (comments[number]["status"], comments[number].get("reason")) == (status, reason)
        assert comments[number].keys().isdisjoint({"text", "author", "votes"})
    assert "own" not in comments[2]
    path = "/articles/1/comments/6"
    assert Program(app, "bob", Right.READ).get(path)["text"] == "Secret words.", "its author reads it"
    for reader in (Program(app), Program(app, "bob", Right.VOTE), Program(app, "mod", Right.READ)):
        reader.get(path, 410)
    assert Program(app, "mod", Right.READ, Right.MODERATE).get(path)["status"] == "removed"


def test_own_votes_on_comments_are_marked(app: Flask, store: Store, bob: Browser) -> None:
    factories.comment(store, 1)
    bob.open("/a/1")
    factories.comment(store, 1)
    bob.send("/a/1/c/2/vote")
    comments = Program(app, "bob", Right.READ).get("/articles/1/comments?order=time")["comments"]
    assert [comment["own"]["voted"] for comment in comments] == [False, True]
    assert bob.open("/").page.one("li", id="a1").all("a", class_="new"), "nothing was noted as read"


@pytest.mark.parametrize("query", ["next=0", "next=2", "order=time&next=2", "order=best", "page=1"])
def test_other_pages_are_refused(query: str, app: Flask, store: Store) -> None:
    factories.comment(store, 1)
    assert Program(app).send(f"GET /articles/1/comments?{query}").status in (404, 422)
