"""Refusals tell programs what to do: codes that lead somewhere, fields, and words that speak of no page or form."""

import re
from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.web.api.program import ACTS, POSTS, Program, body_of, make_people, make_site
from tests.web.browser import Browser
from tests.web.limits import use_up
from voteweb.core.models import LogAction, LogEntry, Right, Role
from voteweb.core.rate_limits import PROGRAM
from voteweb.store import Store


@pytest.fixture(autouse=True)
def site(store: Store) -> None:
    """The members, and what they wrote."""
    make_people(store)


def test_duplicate_names_the_article(app: Flask, store: Store) -> None:
    ann, bob = Program(app, "ann"), Program(app, "bob")
    make_site(store)
    link = {"title": "New", "link": "https://example.com/a"}
    id = ann.send("POST /articles", link).json["id"]
    for program in (ann, bob):
        answer = program.send("POST /articles", link)
        assert answer.problem == (409, "duplicate")
        assert answer.json["article"] == id
    waiting = ann.send("POST /articles", {"title": "New", "link": "https://look.example/5"})
    assert (waiting.json["code"], waiting.json["article"]) == ("already-waiting", 5)


def test_closed_conversation_has_no_end_to_wait_for(app: Flask, store: Store) -> None:
    program = Program(app, "ann")
    make_site(store)
    assert program.send("GET /articles/1/comments").json["open"]
    entry = LogEntry(LogAction.CLOSE, "mod", "ann", 1, "Article 1", "Enough.")
    store.threads.set_closed(1, entry, actor=store.users.get("mod"), closes=True)
    run(store, "HSET", "article:1", "closes", 1)
    for request in ("POST /articles/1/comments", "PUT /articles/1/vote"):
        answer = program.send(request, {"text": "Late."} if "comments" in request else None)
        assert (answer.status, "until" in answer.json) == (410, False)
    assert not program.send("GET /articles/1/comments").json["open"]


def test_parent_that_never_was_is_unknown(app: Flask, store: Store) -> None:
    program = Program(app, "ann")
    make_site(store)
    answer = program.send("POST /articles/1/comments", {"text": "Yes.", "parent": 99})
    assert answer.problem == (404, "unknown-comment")


def test_refusals_speak_of_no_form_or_page(app: Flask, store: Store) -> None:
    ann, mod = Program(app, "ann"), Program(app, "mod")
    make_site(store)
    seen = mod.send("GET /queue").json["seen"]
    ann.send("PATCH /articles/1", {"title": "Other", "revision": 0})
    other = store.users.make("other", "", Role.MODERATOR)
    Program(app, other.name).send("POST /articles/2/dismiss")
    for answer, title in (
        (ann.send("PATCH /articles/1", {"title": "Third", "revision": 0}), "In conflict with what is there"),
        (ann.send("POST /articles/1/comments", {"text": "Yes.", "parent": 2}), "No longer available"),
        (mod.send("POST /articles/2/dismiss", {"seen": seen}), "In conflict with what is there"),
        (ann.send("POST /articles/1/report", {"reason": "ugly"}), "The request is not valid"),
        (ann.send("GET /articles/99"), "Not found"),
        (Program(app).send("GET /me"), "No valid token"),
    ):
        assert answer.json["title"] == title
        assert not re.search(r"\b(form|page|here)\b", answer.json["detail"])


@pytest.mark.parametrize(
    ("request_", "body", "field", "says"),
    [
        ("POST /articles", {"text": "Some."}, "title", "This operation needs “title”."),
        ("POST /articles", {"title": 1}, "title", "“title” has to be: string 2…200."),
        ("POST /articles", {"title": "New", "groups": ["go", 1]}, "groups", "“groups” has to be: [string]."),
        ("POST /articles", {"title": "New", "own": True}, "own", "This operation takes no “own”."),
        ("POST /articles/2/restore", {"seen": "1"}, "seen", "“seen” has to be: integer | null."),
        ("GET /articles?order=worst", None, "order", "“order” has to be: good | hot | new | top."),
        ("GET /search?q=x&order=best", None, "order", "“order” has to be: new | relevance | votes."),
        ("GET /articles?limit=0", None, "limit", "“limit” has to be: integer 1…100."),
        ("GET /articles?limit=1&limit=2", None, "limit", "The parameter “limit” is there twice."),
        ("POST /articles/2/report", {"reason": "ugly"}, "reason", "broken | posted | rules | spam | topic."),
        ("POST /articles/2/remove", {"reason": " "}, "reason", "Please give a reason."),
        ("POST /articles/2/comments/1/remove", {"reason": "x" * 600}, "reason", "string 1…300."),
    ],
)
def test_wrong_field_is_named(request_: str, body: Any, field: str, says: str, app: Flask, store: Store) -> None:
    program = Program(app, "mod")
    make_site(store)
    answer = program.send(request_, body)
    assert answer.problem == (422, "invalid")
    assert answer.json["errors"].keys() == {field}
    assert says in answer.json["errors"][field]


def test_all_wrong_parameters_are_named_in_the_language_asked_for(app: Flask) -> None:
    wrong = {"limit": "0", "order": "worst", "own": "1"}
    answer = app.test_client().get("/api/v1/articles", query_string=wrong, headers={"Accept-Language": "zh"})
    assert answer.json["errors"].keys() == wrong.keys()
    assert not re.search("[A-Za-z]+ [A-Za-z]+", answer.json["detail"])


def test_unknown_group_is_named_with_other_wrong_fields(app: Flask, store: Store) -> None:
    answer = Program(app, "ann").send("POST /articles", {"title": "", "link": "ftp://x.example", "groups": ["none"]})
    assert answer.json["errors"].keys() == {"title", "link", "groups"}


@pytest.mark.site(limits=1)
@pytest.mark.usefixtures("_stopped_limits")
def test_vote_without_right_counts_against_the_limit(app: Flask, store: Store) -> None:
    factories.article(store)
    program = Program(app, "bob", [Right.READ])
    assert program.send("PUT /articles/1/vote").problem == (403, "no-right")
    (digest,) = set(run(store, "HKEYS", "programs:bob")) - {"of"}
    use_up(store, PROGRAM, digest)
    answer = program.send("PUT /articles/1/vote")
    assert answer.problem == (429, "too-fast")
    assert {"until"} <= answer.json.keys()
    assert answer.headers["Retry-After"]


@pytest.mark.parametrize("groups", ["none", "go%2Bnone", "none%2Bnone2"])
def test_unknown_group_is_refused_alone_and_with_others(groups: str, app: Flask, store: Store) -> None:
    factories.group(store, "go")
    for order in ("hot", "new"):
        assert Program(app).send(f"GET /articles?order={order}&group={groups}").problem == (404, "unknown-group")


def test_unknown_entry_of_the_inbox_is_refused(app: Flask, store: Store) -> None:
    program = Program(app, "ann")
    assert program.send("POST /me/inbox/read", {"until": "reply 1.1 1"}).problem == (404, "unknown-entry")
    assert program.send("GET /me/inbox?next=zz").problem == (404, "unknown-page")


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("GET /nothing", (404, "not-found")),
        ("POST /site", (405, "method-not-allowed")),
        ("GET /../v2/articles", (404, "not-found")),
    ],
)
def test_unknown_address_is_a_problem_of_its_own(address: str, problem: tuple[int, str], app: Flask) -> None:
    assert Program(app).send(address).problem == problem


def test_scripts_of_other_sites_read_and_send_headers(app: Flask) -> None:
    headers = Program(app).send("OPTIONS /articles").headers
    exposed = set(headers["Access-Control-Expose-Headers"].split(", "))
    assert exposed >= {"ETag", "Location", "Content-Language", "Idempotency-Replayed"}
    assert "If-None-Match" in headers["Access-Control-Allow-Headers"]


@pytest.mark.parametrize("name", POSTS)
def test_answer_that_is_given_again_says_so(name: str, app: Flask, store: Store) -> None:
    act = ACTS[name]
    program = Program(app, act.allowed[0])
    make_site(store)
    body = body_of(name, store)
    answers = [program.send(act.request, body, key="one") for _ in range(2)]
    assert [answer.headers.get("Idempotency-Replayed") for answer in answers] == [None, "true"]


def test_body_without_needed_fields_may_be_empty(app: Flask, store: Store) -> None:
    program = Program(app, "mod")
    make_site(store)
    for path in ("3/restore", "1/dismiss", "1/comments/2/restore", "1/comments/1/dismiss"):
        assert program.send(f"POST /articles/{path}").status == 204
    assert program.send("POST /articles/1/remove").problem == (415, "unsupported-media-type")


def test_comment_of_a_hidden_member_is_marked(app: Flask, store: Store, bob: Browser) -> None:
    program = Program(app, "bob")
    factories.article(store)
    for author in ("ann", "carl"):
        factories.comment(store, 1, store.users.get(author))
    assert bob.send("/u/carl/hide").status == 303
    comments = program.send("GET /articles/1/comments?order=time").json["comments"]
    assert [(comment["author"], "hidden" in comment) for comment in comments] == [("ann", False), ("carl", True)]
    assert not any("hidden" in row for row in Program(app).send("GET /articles/1/comments").json["comments"])


def test_rows_say_nothing_about_what_lists_do_not_read(app: Flask) -> None:
    program = Program(app, "ann")
    article = program.send("POST /articles", {"title": "New", "text": "Some."}).json
    program.send("PATCH /articles/1", {"title": "Other", "revision": 0})
    program.send("PUT /articles/1/save")
    for path in ("/articles", "/me/saved"):
        (row,) = program.send(f"GET {path}").json["articles"]
        assert row.keys().isdisjoint({"revision", "edited", "by_program", "text"})
    whole = program.send(f"GET /articles/{article['id']}").json
    assert (whole["revision"], whole["by_program"], "edited" in whole) == (1, True, True)


def test_same_removal_again_is_done_and_another_refused(app: Flask, store: Store) -> None:
    program = Program(app, "mod")
    make_site(store)
    for path in ("1", "1/comments/1"):
        sent = [program.send(f"POST /articles/{path}/remove", {"reason": why}) for why in ("Spam.", "Spam.", "Rude.")]
        assert [answer.status for answer in sent] == [204, 204, 410]
