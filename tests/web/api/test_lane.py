"""Lists and votes that are answered before Flask: as Flask answers them, and never late for who acted."""

import pytest
from flask import Flask

from tests import factories
from tests.web.aging import Clock
from tests.web.api.program import Answer, Program, ids, use_up_tokens
from tests.web.browser import Browser
from voteweb.core.models import Right
from voteweb.store import Store


@pytest.fixture
def app(kept: Flask, store: Store) -> Flask:
    """The site that keeps pages, with a comment."""
    factories.comment(store)
    return kept


def usual(program: Program) -> list[int]:
    """Return the ids of a list, which a program gets from the lane afterwards."""
    return ids(program.get("/articles")["articles"])


@pytest.mark.parametrize(
    "request_",
    [
        "GET /articles", "GET /articles?order=new&limit=2", "GET /articles?group=python%2Bredis",
        "PUT /articles/1/vote", "DELETE /articles/1/vote", "PUT /articles/1/comments/1/vote",
        "DELETE /articles/1/comments/1/vote",
    ],
)  # fmt: skip
def test_answers_are_those_of_flask(request_: str, app: Flask, reached: list[str]) -> None:
    program, is_list = Program(app, "bob"), request_.startswith("GET")
    program.send("PUT /articles/2/vote")
    by_flask, by_lane = (program.send(request_) for _ in range(2))
    assert reached == ["/api/v1/articles/2/vote"] + ["/api/v1/articles"] * is_list
    if not is_list:
        by_flask = Program(app, "bob").send(request_)
        assert len(reached) == 2
    assert by_lane.json == by_flask.json
    assert _headers(by_lane) == _headers(by_flask)
    assert by_lane.headers.getlist("Vary") == ["Authorization", "Cookie"]
    if is_list:
        assert program.send(request_, headers={"If-None-Match": by_lane.headers["ETag"]}).status == 304


def _headers(answer: Answer) -> dict[str, str]:
    """Return the headers that are the same for equal answers."""
    others = {"Date", "Vary", "X-Request-Id", "RateLimit"}
    return {name: value for name, value in answer.headers if name not in others}


def test_kept_list_is_never_late_for_a_program_that_acted(app: Flask, store: Store, clock: Clock) -> None:
    everybody, program = Program(app, "eve", Right.READ), Program(app, "bob")
    before = usual(everybody), usual(program)
    for method, votes in (("PUT", 2), ("DELETE", 1)):
        clock.now += 0.1
        assert program.send(f"{method} /articles/1/vote").status == 200
        rows = {row["id"]: row for row in program.get("/articles")["articles"]}
        assert (rows[1]["votes"], rows[1]["own"]["voted"]) == (votes, method == "PUT")
    factories.article(store)
    assert (usual(everybody), usual(program)) == before
    clock.now += 1.01
    assert len(usual(everybody)) == len(before[0]) + 1


def test_marks_of_a_kept_list_are_of_this_moment(app: Flask, bob: Browser) -> None:
    program = Program(app, "bob", Right.READ)
    usual(program)
    bob.send("/a/1/save")
    bob.send("/a/2/vote")
    own = {row["id"]: row["own"] for row in program.get("/articles")["articles"]}
    assert (own[1]["saved"], own[2]["voted"], own[3]["voted"]) == (True, True, False)


def test_program_that_gets_another_list_never_gets_that_of_others(
    app: Flask, store: Store, bob: Browser, mod: Browser
) -> None:
    program = Program(app, "bob", Right.READ)
    whole = usual(program)
    others = [Program(app, "bob", Right.VOTE), Program(app, "mod")]
    for _ in range(2):
        assert "own" not in others[0].get("/articles")["articles"][0]
        assert usual(others[1]) == whole
    bob.send("/a/1/hide")
    for _ in range(2):
        assert usual(program) == [id for id in whole if id != 1]
    bob.send("/a/1/unhide")
    assert usual(program) == usual(program) == whole
    factories.ban(store, "bob", by="mod")
    assert [program.send(request).status for request in ("GET /articles", "PUT /articles/2/vote")] == [401, 401]
    assert store.articles.get(2).votes == 1


def test_refusals_are_told_as_by_flask(app: Flask, store: Store) -> None:
    program = Program(app, "bob")
    program.get("/me")
    for path, code in (("99/vote", "unknown-article"), ("1/comments/9/vote", "unknown-comment")):
        answer = program.send(f"PUT /articles/{path}")
        assert answer.problem == (404, code)
        assert answer.headers["RateLimit-Policy"] == '"program";q=60;w=60'
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert Program(app, "bob", Right.READ).send("PUT /articles/1/vote").status == 403
    assert program.send("PUT /articles/1/vote", "x" * 65_537).status == 413
    elsewhere = program.send("PUT /articles/1/vote", headers={"Host": "other.example"})
    assert elsewhere.problem == (421, "misdirected-request")
    usual(program)
    use_up_tokens(store)
    assert program.send("GET /articles").problem == (429, "too-fast")
