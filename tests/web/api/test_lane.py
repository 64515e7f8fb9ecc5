"""Lists and votes that are answered before Flask: as Flask answers them, and never late for who acted."""

from dataclasses import replace

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests import factories
from tests.web.api.reading import Program, everywhere, ids
from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.models import Right
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.web.caching import page_cache, shared_pages


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of kept pages."""
    now = [1000.0]
    for module in (page_cache, shared_pages):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def app(settings: Settings, store: Store, clock: list[float]) -> Flask:
    """The site with its default of kept pages, and articles in two groups."""
    everywhere(store, 3)
    factories.comment(store)
    return create_app(replace(settings, page_seconds=1.0, limits=1), store)


def usual(program: Program, path: str = "/articles") -> list[int]:
    """Return the ids of a list, which a program gets from the lane afterwards."""
    return ids(program.get(path)["articles"])


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/articles"), ("GET", "/articles?order=new&limit=2"), ("GET", "/articles?group=python%2Bredis"),
        ("PUT", "/articles/1/vote"), ("DELETE", "/articles/1/vote"), ("PUT", "/articles/1/comments/1/vote"),
        ("DELETE", "/articles/1/comments/1/vote"),
    ],
)  # fmt: skip
def test_answers_are_those_of_flask(method: str, path: str, app: Flask, bob: Browser, reached: list[str]) -> None:
    program = Program(app, bob.user, *Right)
    program.send("PUT", "/articles/2/vote")
    by_flask, by_lane = (program.send(method, path) for _ in range(2))
    assert reached == ["/api/v1/articles/2/vote"] + ["/api/v1/articles"] * (method == "GET")
    if method != "GET":
        by_flask = Program(app, bob.user, *Right).send(method, path)
        assert len(reached) == 2
    assert by_lane.json == by_flask.json
    assert headers_of(by_lane) == headers_of(by_flask)
    assert by_lane.headers.getlist("Vary") == ["Authorization", "Cookie"]
    if method == "GET":
        etag = by_lane.headers["ETag"]
        assert program.send("GET", path, headers={"If-None-Match": etag}).status_code == 304


def headers_of(response: TestResponse) -> dict[str, str]:
    """Return the headers that are the same for equal answers."""
    others = {"Date", "Vary", "X-Request-Id", "RateLimit"}
    return {name: value for name, value in response.headers if name not in others}


def test_kept_list_is_never_late_for_a_program_that_acted(
    app: Flask, store: Store, bob: Browser, clock: list[float]
) -> None:
    everybody, program = Program(app, factories.user(store, "eve"), Right.READ), Program(app, bob.user, *Right)
    before = usual(everybody), usual(program)
    for method, votes in (("PUT", 2), ("DELETE", 1)):
        clock[0] += 0.1
        assert program.send(method, "/articles/1/vote").status_code == 200
        rows = {row["id"]: row for row in program.get("/articles")["articles"]}
        assert (rows[1]["votes"], rows[1]["own"]["voted"]) == (votes, method == "PUT")
    factories.article(store)
    assert (usual(everybody), usual(program)) == before
    clock[0] += 1.01
    assert len(usual(everybody)) == len(before[0]) + 1


def test_marks_of_a_kept_list_are_of_this_moment(app: Flask, bob: Browser) -> None:
    program = Program(app, bob.user, Right.READ)
    usual(program)
    bob.send("/a/1/save")
    bob.send("/a/2/vote")
    own = {row["id"]: row["own"] for row in program.get("/articles")["articles"]}
    assert (own[1]["saved"], own[2]["voted"], own[3]["voted"]) == (True, True, False)


def test_program_that_gets_another_list_never_gets_that_of_others(
    app: Flask, store: Store, bob: Browser, mod: Browser
) -> None:
    program = Program(app, bob.user, Right.READ)
    whole = usual(program)
    others = [Program(app, bob.user, Right.VOTE), Program(app, mod.user, *Right)]
    for _ in range(2):
        assert "own" not in others[0].get("/articles")["articles"][0]
        assert usual(others[1]) == whole
    bob.send("/a/1/hide")
    for _ in range(2):
        assert usual(program) == [id for id in whole if id != 1]
    bob.send("/a/1/unhide")
    assert usual(program) == usual(program) == whole
    factories.ban(store, "bob", by="mod")
    for method, path in (("GET", "/articles"), ("PUT", "/articles/2/vote")):
        assert program.send(method, path).status_code == 401
    assert store.articles.get(2).votes == 1


def test_refusals_are_told_as_by_flask(app: Flask, bob: Browser) -> None:
    program = Program(app, bob.user, *Right)
    program.get("/me")
    for path, status, code in (
        ("/articles/99/vote", 404, "unknown-article"), ("/articles/1/comments/9/vote", 404, "unknown-comment"),
    ):  # fmt: skip
        response = program.send("PUT", path)
        assert (response.status_code, (response.json or {})["code"]) == (status, code)
        assert response.headers["RateLimit-Policy"] == '"program";q=60;w=60'
        assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert Program(app, bob.user, Right.READ).send("PUT", "/articles/1/vote").status_code == 403
    assert program.send("PUT", "/articles/1/vote", data=b"x" * 65_537).status_code == 413
