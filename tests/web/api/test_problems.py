"""Refusals tell programs what to do: codes that lead somewhere, fields, and words that speak of no page or form."""

import re
from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.web.api.program import Program, Programs
from tests.web.browser import Browser
from tests.web.state import content
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.store import Store


def test_duplicate_names_the_article_and_is_posted_anyway(programs: Programs) -> None:
    link = {"title": "New", "link": "https://example.com/a"}
    id = programs["ann"].send("POST /articles", link).json["id"]
    for name in ("ann", "bob"):
        answer = programs[name].send("POST /articles", link)
        assert (answer.problem, answer.json["article"]) == ((409, "duplicate"), id)
    assert programs["ann"].send("POST /articles", {**link, "anyway": True}).status == 201
    waiting = programs["ann"].send("POST /articles", {"title": "New", "link": "https://look.example/5"})
    assert (waiting.json["code"], waiting.json["article"]) == ("already-waiting", 5)


def test_closed_conversation_has_no_end_to_wait_for(programs: Programs, store: Store) -> None:
    ann = programs["ann"]
    assert ann.get("/articles/1/comments")["open"]
    entry = LogEntry(LogAction.CLOSE, "mod", "ann", 1, "Article 1", "Enough.")
    store.threads.set_closed(1, entry, actor=store.users.get("mod"), closes=True)
    run(store, "HSET", "article:1", "closes", 1)
    for request, body in (("POST /articles/1/comments", {"text": "Late."}), ("PUT /articles/1/vote", None)):
        answer = ann.send(request, body)
        assert (answer.status, "until" in answer.json) == (410, False)
    assert not ann.get("/articles/1/comments")["open"]


def test_refusals_have_codes_and_speak_of_no_form_or_page(programs: Programs, app: Flask, store: Store) -> None:
    nobody, ann, mod = Program(app), programs["ann"], programs["mod"]
    seen = mod.get("/queue")["seen"]
    edited = ann.send("PATCH /articles/1", {"title": "Other", "revision": 0}).json
    assert (edited["title"], edited["text"], edited["revision"]) == ("Other", "Text.", 1)
    ann.send("PATCH /articles/5", {"title": "Other", "revision": 0})
    Program(app, store.users.make("other", "", Role.MODERATOR).name).send("POST /articles/2/dismiss")
    stale, conflict, gone = (409, "stale-edit"), "In conflict with what is there", "No longer available"
    for answer, problem, title in (
        (ann.send("PATCH /articles/1", {"title": "Third", "revision": 0}), stale, conflict),
        (ann.send("DELETE /articles/1?revision=0"), stale, conflict),
        (mod.send("POST /articles/5/publish", {"revision": 0}), stale, conflict),
        (mod.send("POST /articles/2/dismiss", {"seen": seen}), (409, "decided-meanwhile"), conflict),
        (ann.send("POST /articles/1/comments", {"text": "Yes.", "parent": 2}), (410, "parent-gone"), gone),
        (ann.send("POST /articles/1/comments", {"text": "Yes.", "parent": 9}), (404, "unknown-comment"), "Not found"),
        (ann.send("POST /me/inbox/read", {"until": "reply 1.1 1"}), (404, "unknown-entry"), "Not found"),
        (ann.send("GET /articles/99"), (404, "unknown-article"), "Not found"),
        (ann.send("POST /articles/1/report", {"reason": "ugly"}), (422, "invalid"), "The request is not valid"),
        (nobody.send("GET /me"), (401, "token-needed"), "No valid token"),
        (nobody.send("GET /nothing"), (404, "not-found"), "Not found"),
        (nobody.send("GET /../v2/articles"), (404, "not-found"), "Not found"),
        (nobody.send("POST /site"), (405, "method-not-allowed"), "Method not allowed"),
    ):  # fmt: skip
        assert (answer.problem, answer.json["title"]) == (problem, title)
        assert (answer.json.get("revision") == 1) == (problem == stale), "the newer one"
        assert not re.search(r"\b(form|page|here)\b", answer.json["detail"])
    assert ann.send("DELETE /articles/1?revision=1").status == 204


@pytest.mark.parametrize(
    ("request_", "body", "fields", "says"),
    [
        ("POST /articles", {"text": "Some."}, "title", "This operation needs “title”."),
        ("POST /articles", {"title": 1}, "title", "“title” has to be: string 2…200."),
        ("POST /articles", {"title": "New", "groups": ["go", 1]}, "groups", "“groups” has to be: [string]."),
        ("POST /articles", {"title": "New", "own": True}, "own", "This operation takes no “own”."),
        ("POST /articles", {"title": "", "link": "ftp://x.org", "groups": ["none"]}, "title link groups", "A title"),
        ("POST /articles", {"title": "New"}, "link", ""),
        ("POST /articles", {"title": "New", "text": "x" * 20_001}, "text", "string …20000."),
        ("PATCH /articles/1", {"title": "Other"}, "revision", ""),
        ("PATCH /articles/1", {"revision": -1}, "revision", ""),
        ("PATCH /articles/1", {"revision": 0, "text": ""}, "link", ""),
        ("DELETE /articles/1", None, "revision", ""),
        ("POST /articles/1/comments", {"text": " "}, "text", ""),
        ("PATCH /articles/1/comments/1", {"text": " "}, "text", ""),
        ("POST /articles/2/report", {"reason": "ugly"}, "reason", "broken | posted | rules | spam | topic."),
        ("POST /articles/2/report", {"reason": "spam", "note": "x" * 501}, "note", "string …300."),
        ("POST /articles/1/comments/1/report", {"reason": "broken"}, "reason", "“reason” has to be: "),
        ("POST /articles/2/remove", {"reason": " "}, "reason", "Please give a reason."),
        ("POST /articles/2/comments/1/remove", {"reason": "x" * 600}, "reason", "string 1…300."),
        ("POST /articles/2/restore", {"seen": "1"}, "seen", "“seen” has to be: integer | null."),
        ("POST /articles/5/publish", {}, "revision", ""),
        ("POST /me/inbox/read", {}, "until", ""),
        ("GET /articles?order=worst", None, "order", "“order” has to be: good | hot | new | top."),
        ("GET /search?q=x&order=best", None, "order", "“order” has to be: new | relevance | votes."),
        ("GET /articles?limit=0", None, "limit", "“limit” has to be: integer 1…100."),
    ],
)  # fmt: skip
def test_wrong_fields_are_named(
    request_: str, body: Any, fields: str, says: str, programs: Programs, store: Store
) -> None:
    before = {**content(store), "article:": None}
    answer = programs["mod"].send(request_, body)
    assert answer.problem == (422, "invalid")
    assert {**content(store), "article:": None} == before
    assert answer.json["errors"].keys() == set(fields.split())
    assert says in str(answer.json["errors"])


def test_all_wrong_parameters_are_named_in_the_language_asked_for(app: Flask) -> None:
    answer = Program(app).send("GET /articles?limit=0&order=worst&own=1", headers={"Accept-Language": "zh"})
    assert answer.json["errors"].keys() == {"limit", "order", "own"}
    assert not re.search("[A-Za-z]+ [A-Za-z]+", answer.json["detail"])


def test_scripts_of_other_sites_read_and_send_headers(app: Flask) -> None:
    headers = Program(app).send("OPTIONS /articles").headers
    exposed = set(headers["Access-Control-Expose-Headers"].split(", "))
    assert exposed >= {"ETag", "Location", "Content-Language", "Idempotency-Replayed"}
    assert "If-None-Match" in headers["Access-Control-Allow-Headers"]


def test_body_without_needed_fields_may_be_empty(programs: Programs) -> None:
    for path in ("3/restore", "1/dismiss", "1/comments/2/restore", "1/comments/1/dismiss"):
        assert programs["mod"].send(f"POST /articles/{path}").status == 204
    assert programs["mod"].send("POST /articles/1/remove").status == 415


def test_comment_of_a_hidden_member_is_marked(app: Flask, store: Store, bob: Browser) -> None:
    factories.article(store)
    for author in ("ann", "carl"):
        factories.comment(store, 1, factories.user(store, author))
    assert bob.send("/u/carl/hide").status == 303
    for program, hidden in ((Program(app, "bob"), ["carl"]), (Program(app), [])):
        comments = program.get("/articles/1/comments")["comments"]
        assert [comment["author"] for comment in comments if "hidden" in comment] == hidden


def test_rows_say_nothing_about_what_lists_do_not_read(app: Flask) -> None:
    program = Program(app, "ann")
    program.send("POST /articles", {"title": "New", "text": "Some."})
    program.send("PATCH /articles/1", {"title": "Other", "revision": 0})
    program.send("PUT /articles/1/save")
    for path in ("/articles", "/me/saved"):
        (row,) = program.get(path)["articles"]
        assert row.keys().isdisjoint({"revision", "edited", "by_program", "text"})
    assert program.get("/articles/1").keys() >= {"revision", "edited", "by_program", "text"}
