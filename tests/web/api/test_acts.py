"""Acts of programs are refused as the forms are that do the same, and need the right that the description names."""

from typing import Any

import pytest
from flask import Flask

from tests.store.examination import broken, run
from tests.store.test_site_switches import set_switch
from tests.web.api.program import ACTS, Act, Program, body_of, make_people, make_site
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeMember
from tests.web.state import content
from voteweb.core.models import Right, Role, Voter
from voteweb.core.rate_limits import member_limit
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store import Store
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.viewers import Viewer, Viewers
from voteweb.web.api.operations import OPERATIONS
from voteweb.web.i18n.formatting import RIGHT_NAMES

PEOPLE = ("ann", "bob", "dave", "mod")


@pytest.fixture(autouse=True)
def people(store: Store) -> None:
    """The members of the site."""
    make_people(store)


def _send_form(act: Act, browser: Browser) -> Browser:
    if act.form.startswith("GET "):
        return browser.open(act.form[4:], headers=JSON)
    return browser.send(act.form, headers=JSON, **act.fields)


def _content(store: Store) -> dict[str, Any]:
    """Return what is stored, without the ids that refused articles have used up."""
    return {key: value for key, value in content(store).items() if key != "article:"}


def _says(browser: Browser) -> str:
    """Return the words of a refusal, as script or the page of a form gets them."""
    if browser.response.is_json:
        return str(browser.json["error"]["message"])
    return browser.alert


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize("person", PEOPLE)
def test_program_is_refused_as_the_form_is(
    name: str, person: str, app: Flask, store: Store, make_member: MakeMember
) -> None:
    browser = make_member(person, Role.MODERATOR if person == "mod" else Role.MEMBER)
    act, program = ACTS[name], Program(app, person)
    make_site(store)
    before = _content(store)
    answer = program.send(act.request, body_of(name, store, person) or None)
    if person in act.allowed:
        assert answer.status in (200, 201, 204), answer.text
        assert _send_form(act, browser).status in (200, 303)
    else:
        assert _content(store) == before
        form = _send_form(act, browser)
        assert answer.status == form.status
        assert answer.json["detail"] == _says(form) or (person, answer.json["code"]) == ("dave", "held")
    assert broken(store) == []


@pytest.mark.parametrize("name", ACTS)
def test_act_needs_its_right_and_a_token(name: str, app: Flask, store: Store) -> None:
    act = ACTS[name]
    programs = [Program(app, "mod", [right for right in Right if right is not act.right]), Program(app)]
    make_site(store)
    before = _content(store)
    lacks, nobody = (program.send(act.request, act.body) for program in programs)
    assert lacks.problem == (403, "no-right")
    assert f"“{RIGHT_NAMES[act.right]}”" in lacks.json["detail"]
    assert nobody.problem == (401, "token-needed")
    assert _content(store) == before


def test_edit_of_anothers_article_needs_the_right_to_moderate(app: Flask, store: Store) -> None:
    program = Program(app, "mod", [Right.POST])
    make_site(store)
    answer = program.send("PATCH /articles/1", {"title": "Other", "revision": 0})
    assert answer.problem == (403, "no-right")
    assert "“moderate, as far as your role goes”" in answer.json["detail"]


@pytest.mark.parametrize("act", [act for act in ACTS.values() if act.right is Right.MODERATE])
def test_moderation_obeys_role_and_second_factor_of_today(act: Act, app: Flask, store: Store) -> None:
    program = Program(app, "mod")
    make_site(store)
    root = store.users.make("root", "", Role.ADMIN)
    set_switch(store, root, SwitchName.SECOND_FACTOR, ON)
    assert program.send(act.request, act.body).status == 403
    run(store, "HSET", "user:mod", "role", "member")
    assert program.send(act.request, act.body).status == 403


def test_read_only_site_accepts_moderation_alone(app: Flask, store: Store) -> None:
    program = Program(app, "mod")
    make_site(store)
    root = store.users.make("root", "", Role.ADMIN)
    set_switch(store, root, SwitchName.READ_ONLY, ON, "Back at nine.")
    before = _content(store)
    for act in (act for act in ACTS.values() if act.right is not Right.MODERATE):
        answer = program.send(act.request, act.body)
        assert (answer.status, answer.headers["Retry-After"]) == (503, "300")
        assert "Back at nine." in answer.json["detail"]
    assert _content(store) == before
    assert program.send("POST /articles/1/remove", {"reason": "Spam."}).status == 204


def test_all_operations_that_change_something_are_here() -> None:
    tested = {*ACTS, "vote", "unvote", "vote_for_comment", "unvote_comment"}
    assert {row.name for row in OPERATIONS if row.method != "GET"} <= tested
    rows = {row.name: row for row in OPERATIONS if row.name in ACTS}
    assert {name: row.right for name, row in rows.items()} == {name: act.right for name, act in ACTS.items()}
    # The limit of the form counts each.
    assert [name for name, row in rows.items() if row.method != "GET" and not member_limit(row.form, "POST")] == []


def test_all_wrong_fields_are_named_at_once(app: Flask, store: Store) -> None:
    answer = Program(app, "ann").send("POST /articles", {"title": "", "link": "ftp://example.com/"})
    assert answer.problem == (422, "invalid")
    assert {name: words[:7] for name, words in answer.json["errors"].items()} == {"title": "A title", "link": "A link "}


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        ("POST /articles", {"title": "New"}),
        ("POST /articles", {"title": "New", "text": "Half \ud800."}),
        ("POST /articles", {"title": "New", "text": "Some.", "groups": ["\ud800"]}),
        ("POST /articles", {"title": "New", "text": "Some.", "own": True}),
        ("POST /articles", {"title": "New", "text": "x" * 20_001}),
        ("PATCH /articles/1", {"title": "Other"}),
        ("PATCH /articles/1", {"revision": -1}),
        ("PATCH /articles/1", {"revision": 0, "link": "", "text": ""}),
        ("DELETE /articles/1", None),
        ("POST /articles/1/comments", {"text": " "}),
        ("POST /articles/1/report", {"reason": "ugly"}),
        ("POST /articles/1/comments/1/report", {"reason": "broken"}),
        ("POST /articles/1/remove", {"reason": ""}),
        ("POST /articles/5/publish", {}),
        ("POST /me/inbox/read", {}),
    ],
)
def test_wrong_bodies_are_refused(request_: str, body: Any, app: Flask, store: Store) -> None:
    program = Program(app, "mod")
    make_site(store)
    before = _content(store)
    answer = program.send(request_, body)
    assert answer.problem == (422, "invalid")
    assert _content(store) == before


def test_stale_revision_is_answered_with_the_newer_one(app: Flask, store: Store) -> None:
    ann, mod = Program(app, "ann"), Program(app, "mod")
    make_site(store)
    edited = ann.send("PATCH /articles/1", {"title": "Other", "revision": 0}).json
    assert (edited["title"], edited["text"], edited["revision"]) == ("Other", "Text.", 1)
    ann.send("PATCH /articles/5", {"title": "Other", "revision": 0})
    for program, request_, body in (
        (ann, "PATCH /articles/1", {"title": "Third", "revision": 0}),
        (ann, "DELETE /articles/1?revision=0", None),
        (mod, "POST /articles/5/publish", {"revision": 0}),
    ):
        answer = program.send(request_, body)
        assert answer.problem == (409, "stale-edit")
        assert answer.json["revision"] == 1
    assert ann.send("DELETE /articles/1?revision=1").status == 204


def test_deleted_article_and_comment_stay_deleted(app: Flask, store: Store) -> None:
    ann, bob = Program(app, "ann"), Program(app, "bob")
    make_site(store)
    for path in ("1/comments/1", "1?revision=0"):
        assert [ann.send(f"DELETE /articles/{path}").status for _ in range(2)] == [204, 204]
    assert bob.send("DELETE /articles/1?revision=0").problem == (403, "not-yours")
    assert ann.send("POST /articles/1/comments", {"text": "Late."}).problem == (410, "article-gone")


def test_queue_lists_articles_reports_and_answers_that_wait(app: Flask, store: Store) -> None:
    program = Program(app, "mod")
    make_site(store)
    store.waiting.answer(3, store.users.get("ann"), "Why?")
    queue = program.send("GET /queue").json
    assert [(article["id"], article["status"]) for article in queue["held"]] == [(5, "held"), (6, "held")]
    articles = [post["article"] for post in queue["reports"] if "article" in post]
    comments = [post["comment"] for post in queue["reports"] if "comment" in post]
    assert [(one["id"], one["text"], one["poster"]) for one in articles] == [(1, "Text.", "ann"), (2, "Text.", "ann")]
    told = [(one["article"], one["number"], one["text"], one["author"]) for one in comments]
    assert told == [(1, 1, "First.", "ann"), (2, 1, "First.", "ann")]
    assert [(report["by"], report["reason"]) for report in queue["reports"][0]["reports"]] == [("carl", "spam")]
    answers = [(answer["article"]["id"], answer["reason"], answer["answer"]) for answer in queue["answers"]]
    assert answers == [(3, "Spam.", "Why?")]
    assert (queue["reports_total"], queue["held_total"], queue["answers_total"]) == (4, 2, 1)


@pytest.mark.parametrize("name", ["remove_article", "dismiss_article", "remove_comment", "dismiss_comment"])
def test_decision_on_what_others_decided_meanwhile_is_refused(name: str, app: Flask, store: Store) -> None:
    act, program = ACTS[name], Program(app, "mod")
    make_site(store)
    queue = program.send("GET /queue").json
    other = store.users.make("other", "", Role.MODERATOR)
    Program(app, other.name).send(act.request, act.body)
    answer = program.send(act.request, {**(act.body or {}), "seen": queue["seen"]})
    assert answer.problem == (409, "decided-meanwhile")


def test_new_moderator_notices_decisions_since_the_queue_was_read(
    app: Flask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_site(store)
    act, program, other = ACTS["dismiss_article"], Program(app, "bob"), Program(app, "mod")
    program.send("GET /me")
    store.users.set_role("bob", Role.MODERATOR)
    queue_read = Viewers.queue_read

    def decide(viewers: Viewers, pipeline: Pipeline, voter: Voter) -> Future[Viewer]:
        monkeypatch.undo()
        pipeline.then(lambda: other.send(act.request, act.body))
        return queue_read(viewers, pipeline, voter)

    monkeypatch.setattr(Viewers, "queue_read", decide)
    queue = program.send("GET /queue").json
    assert queue["reports"][0]["article"]["id"] == 1
    answer = program.send(act.request, {"seen": queue["seen"]})
    assert answer.problem == (409, "decided-meanwhile")


def test_posts_are_answered_with_what_they_made(app: Flask, store: Store) -> None:
    program = Program(app, "ann")
    make_site(store)
    article = program.send("POST /articles", {"title": "New", "link": "example.com/a", "groups": ["go"]})
    assert (article.status, article.headers["Location"]) == (201, "/api/v1/articles/7")
    assert (article.json["link"], article.json["groups"]) == ("https://example.com/a", ["go"])
    comment = program.send("POST /articles/1/comments", {"text": "Hello.", "parent": 1})
    assert (comment.status, comment.headers["Location"]) == (201, "/api/v1/articles/1/comments/3")
    assert (comment.json["parent"], comment.json["text"]) == (1, "Hello.")
    again = program.send("POST /articles", {"title": "New", "link": "example.com/a"})
    assert again.problem == (409, "duplicate")
    anyway = program.send("POST /articles", {"title": "New", "link": "example.com/a", "anyway": True})
    assert anyway.status == 201


def test_groups_are_unfollowed_under_their_aliases(app: Flask, store: Store) -> None:
    program = Program(app, "ann")
    make_site(store)
    run(store, "HSET", "group-aliases:", "golang", "go")
    assert program.send("PUT /groups/golang/follow").status == 204
    assert run(store, "ZRANGE", "follows:ann", 0, -1) == ["go"]
    assert program.send("DELETE /groups/golang/follow").status == 204
    assert run(store, "ZRANGE", "follows:ann", 0, -1) == []
