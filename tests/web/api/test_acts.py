"""Acts of programs are refused as the forms are that do the same, and decide as of today."""

from typing import Any

import pytest
from flask import Flask

from tests.store.examination import broken, run
from tests.store.test_site_switches import set_switch
from tests.web.api.program import ACTS, Act, Program, Programs, body_of
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


def _send_form(act: Act, browser: Browser) -> Browser:
    if act.form.startswith("GET "):
        return browser.open(act.form[4:], headers=JSON)
    return browser.send(act.form, headers=JSON, **act.fields)


def _content(store: Store) -> dict[str, Any]:
    """Return what is stored, without the ids that refused articles have used up."""
    return {key: value for key, value in content(store).items() if key != "article:"}


def _says(browser: Browser) -> str:
    """Return the words of a refusal, as script or the page of a form gets them."""
    return str(browser.json["error"]["message"]) if browser.response.is_json else browser.alert


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize("person", ["ann", "bob", "dave", "mod"])
def test_program_is_refused_as_the_form_is(
    name: str, person: str, programs: Programs, app: Flask, store: Store, make_member: MakeMember
) -> None:
    browser, act = make_member(person, store.users.get(person).role), ACTS[name]
    before = _content(store)
    answer = programs[person].send(act.request, body_of(name, store, person) or None)
    if person in act.allowed:
        assert answer.status in (200, 201, 204), answer.text
        if answer.status == 201:
            assert Program(app).get(answer.headers["Location"].removeprefix("/api/v1")) == answer.json
        assert _send_form(act, browser).status in (200, 303)
    else:
        assert _content(store) == before
        form = _send_form(act, browser)
        assert answer.status == form.status
        assert answer.json["detail"] == _says(form) or (person, answer.json["code"]) == ("dave", "held")
    assert broken(store) == []


def test_edit_of_anothers_article_needs_the_right_to_moderate(programs: Programs, app: Flask) -> None:
    answer = Program(app, "mod", Right.POST).send("PATCH /articles/1", {"title": "Other", "revision": 0})
    assert answer.problem == (403, "no-right")
    assert "“moderate, as far as your role goes”" in answer.json["detail"]


def test_read_only_site_accepts_moderation_alone(programs: Programs, store: Store) -> None:
    root = store.users.make("root", "", Role.ADMIN)
    set_switch(store, root, SwitchName.READ_ONLY, ON, "Back at nine.")
    before = _content(store)
    acts = [(act.request, act.body) for act in ACTS.values() if act.right is not Right.MODERATE]
    for request, body in [*acts, ("PUT /articles/1/vote", None), ("PUT /articles/1/comments/1/vote", None)]:
        answer = programs["mod"].send(request, body)
        assert (answer.status, answer.headers.get("Retry-After")) == (503, "300")
        assert "Back at nine." in answer.json["detail"]
    assert _content(store) == before
    assert programs["mod"].send("POST /articles/1/remove", {"reason": "Spam."}).status == 204


def test_all_operations_that_change_something_are_here() -> None:
    tested = {*ACTS, "vote", "unvote", "vote_for_comment", "unvote_comment"}
    assert {row.name for row in OPERATIONS if row.method != "GET"} <= tested
    rows = {row.name: row for row in OPERATIONS if row.name in ACTS}
    assert {name: row.right for name, row in rows.items()} == {name: act.right for name, act in ACTS.items()}
    # The limit of the form counts each.
    assert [name for name, row in rows.items() if row.method != "GET" and not member_limit(row.form, "POST")] == []


def test_deleted_article_and_comment_stay_deleted(programs: Programs) -> None:
    ann = programs["ann"]
    for path in ("1/comments/1", "1?revision=0"):
        assert [ann.send(f"DELETE /articles/{path}").status for _ in range(2)] == [204, 204]
    assert programs["bob"].send("DELETE /articles/1?revision=0").problem == (403, "not-yours")
    assert ann.send("POST /articles/1/comments", {"text": "Late."}).problem == (410, "article-gone")


def test_same_removal_again_is_done_and_another_refused(programs: Programs) -> None:
    for path in ("1", "1/comments/1"):
        answers = [programs["mod"].send(f"POST /articles/{path}/remove", {"reason": why}) for why in ("A.", "A.", "B.")]
        assert [answer.status for answer in answers] == [204, 204, 410]


def test_removal_takes_the_replies_if_asked_to(programs: Programs, app: Flask) -> None:
    reply = programs["bob"].send("POST /articles/2/comments", {"text": "So.", "parent": 1}).json["number"]
    programs["mod"].send("POST /articles/2/comments/1/remove", {"reason": "A.", "replies": True})
    Program(app).get(f"/articles/2/comments/{reply}", 410)


def test_queue_lists_articles_reports_and_answers_that_wait(programs: Programs, store: Store) -> None:
    store.waiting.answer(3, store.users.get("ann"), "Why?")
    queue = programs["mod"].get("/queue")
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


@pytest.mark.parametrize(
    "name", [name for name, act in ACTS.items() if act.right is Right.MODERATE and act.body is not None]
)
def test_decision_on_what_others_decided_meanwhile_is_refused(
    name: str, programs: Programs, app: Flask, store: Store
) -> None:
    act, queue = ACTS[name], programs["mod"].get("/queue")
    Program(app, store.users.make("other", "", Role.MODERATOR).name).send(act.request, act.body)
    answer = programs["mod"].send(act.request, {**(act.body or {}), "seen": queue["seen"]})
    assert answer.problem == (409, "decided-meanwhile")


def test_new_moderator_notices_decisions_since_the_queue_was_read(
    programs: Programs, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, program = ACTS["dismiss_article"], programs["bob"]
    program.get("/me")
    store.users.set_role("bob", Role.MODERATOR)
    queue_read = Viewers.queue_read

    def decide(viewers: Viewers, pipeline: Pipeline, voter: Voter) -> Future[Viewer]:
        monkeypatch.undo()
        pipeline.then(lambda: programs["mod"].send(act.request, act.body))
        return queue_read(viewers, pipeline, voter)

    monkeypatch.setattr(Viewers, "queue_read", decide)
    queue = program.get("/queue")
    assert queue["reports_total"] == 4
    assert program.send(act.request, {"seen": queue["seen"]}).problem == (409, "decided-meanwhile")


def test_groups_are_unfollowed_under_their_aliases(programs: Programs, store: Store) -> None:
    run(store, "HSET", "group-aliases:", "golang", "go")
    for method, follows in (("PUT", ["go"]), ("DELETE", [])):
        assert programs["ann"].send(f"{method} /groups/golang/follow").status == 204
        assert run(store, "ZRANGE", "follows:ann", 0, -1) == follows
