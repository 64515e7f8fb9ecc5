"""It is visible, and lasts, that a program wrote an article or a comment or moderated; of a vote nothing tells it."""

import pytest
from flask import Flask

from tests import factories
from tests.store.backup.copying import back_up, lasting, restore
from tests.store.examination import broken, run, snapshot
from tests.web.api.program import Program
from tests.web.browser import Browser
from voteweb.core.comments import CommentId
from voteweb.store import Store


@pytest.fixture
def ann(app: Flask) -> Program:
    return Program(app, "ann")


def test_article_says_by_a_program_on_its_page(ann: Program, reader: Browser, mod: Browser, store: Store) -> None:
    ann.send("POST /articles", {"title": "Posted", "text": "Some."})
    factories.article(store, title="Typed", link="", text="Some.")
    factories.article(store, title="Edited", link="", text="Some.")
    ann.send("PATCH /articles/3", {"title": "Changed", "revision": 0})
    assert ["by a program" in reader.open(f"/a/{id}").main for id in (1, 2, 3)] == [True, False, True]
    assert [ann.get(f"/articles/{id}").get("by_program", False) for id in (1, 2, 3)] == [True, False, True]
    Program(reader.client.application, "mod").send("PATCH /articles/2", {"title": "Moderated", "revision": 0})
    assert "by a program" not in reader.open("/a/2").main  # the log says it


def test_comment_says_by_a_program_until_it_is_deleted(ann: Program, reader: Browser, store: Store) -> None:
    factories.article(store)
    for text in ("Typed.", "Edited."):
        factories.comment(store, 1, text=text)
    factories.user(store, "bob")
    ann.send("POST /articles/1/comments", {"text": "Written, @bob."})
    ann.send("PATCH /articles/1/comments/2", {"text": "Changed."})
    heads = [head.text for head in reader.open("/a/1").page.all(class_="comment-head")]
    assert sorted("by a program" in head for head in heads) == [False, True, True]
    assert "by a program" in reader.open("/a/1/c/3").main
    assert reader.open("/comments").main.count("by a program") == 2
    store.comments.set_quiet(1, 3, store.users.get("ann"), True)
    store.comments.edit(CommentId(1, 3), "Typed, @bob.", store.users.get("ann"))
    node = factories.thread(store).nodes[3]
    assert (node.by_program, node.is_quiet, node.is_edited, node.named != "") == (True, True, True, True)
    ann.send("DELETE /articles/1/comments/3")
    assert not factories.thread(store).nodes[3].by_program


def test_log_says_which_acts_of_moderators_a_program_did(
    app: Flask, store: Store, mod: Browser, reader: Browser
) -> None:
    for id in (1, 2):
        factories.article(store, title=f"Article {id}")
    Program(app, "mod").send("POST /articles/1/remove", {"reason": "Spam."})
    factories.remove(store, 2)
    assert [line.partition(" (")[0] for line in reader.open("/log").log] == [
        "mod removed “Article 2” : Spam.", "mod removed “Article 1”, by a program : Spam.",
    ]  # fmt: skip


def test_nothing_about_programs_is_kept_with_a_vote(app: Flask, store: Store, bob: Browser) -> None:
    program = Program(app, "bob")
    for id in (1, 2):
        factories.article(store)
        factories.comment(store, id)
    for path in ("", "/comments/1"):
        assert program.send(f"PUT /articles/1{path}/vote").status == 200
    for path in ("", "/c/1"):
        assert bob.send(f"/a/2{path}/vote").status == 303
    stored = snapshot(store)
    first, second = (run(store, "HGETALL", f"article:{id}") for id in (1, 2))
    assert first.keys() == second.keys()
    assert [run(store, "SMEMBERS", f"voted:{id}") for id in (1, 2)] == [{"1", "2"}] * 2
    named = {key for key, value in stored.items() if "program" in f"{key} {value}"}
    assert named == {"programs:bob", "inbox:bob", "unread:bob"}  # the inbox tells of the token


def test_restore_brings_back_what_programs_did(ann: Program, app: Flask, store: Store, mod: Browser) -> None:
    ann.send("POST /articles", {"title": "Posted", "text": "Some."})
    ann.send("POST /articles/1/comments", {"text": "Written."})
    Program(app, "mod").send("POST /articles/1/remove", {"reason": "Spam."})
    before, backup = lasting(store), back_up(store)
    restore(store, backup)
    assert lasting(store) == before
    assert (factories.stored_article(store).by_program, factories.thread(store).nodes[1].by_program) == (True, True)
    assert broken(store) == []
