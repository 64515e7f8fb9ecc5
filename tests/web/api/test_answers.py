"""Answers of the API: headers, pages that are kept for strangers, and refusals of who asks for too much."""

from dataclasses import replace

import pytest
from flask import Flask

from tests import factories
from tests.web.api.reading import Program, everywhere, ids
from tests.web.browser import Browser
from tests.web.fixed_index import FixedIndex
from tests.web.limits import use_up
from voteweb.app import create_app
from voteweb.core import cold_reads
from voteweb.core.config import ADDRESS_HEADER
from voteweb.core.errors import Unavailable
from voteweb.core.models import Right
from voteweb.core.rate_limits import PROGRAM, SEARCH, member_limit
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token
from voteweb.store.accounts.sessions import digest
from voteweb.store.connection.pipeline import Pipeline
from voteweb.web.caching import page_cache

LISTS = (
    "/articles", "/articles?order=new&limit=2", "/articles?group=python%2Bredis", "/articles?domain=example.com",
    "/articles/1/comments?order=new", "/articles/1", "/groups", "/members/ann", "/site",
)  # fmt: skip


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of kept pages and of the budget of cold ones."""
    now = [1000.0]
    for module in (page_cache, cold_reads):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def kept(settings: Settings, store: Store, clock: list[float]) -> Flask:
    """The site with kept pages, and a budget of three cold ones for each address behind its proxy."""
    everywhere(store, 3)
    return create_app(replace(settings, page_seconds=1.0, limits=1, cold_reads=3, trusted_proxies=1), store)


@pytest.mark.parametrize("path", LISTS)
def test_answer_is_not_sent_again_to_who_has_it(path: str, app: Flask, store: Store, bob: Browser) -> None:
    everywhere(store, 3)
    for program in (Program(app), Program(app, bob.user, Right.READ)):
        response = program.send("GET", path)
        again = program.send("GET", path, headers={"If-None-Match": response.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        head = program.send("HEAD", path)
        assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", response.headers["ETag"])
        assert "Authorization" in response.headers["Vary"]
        assert ("private" in response.headers.get("Cache-Control", "")) == bool(program.headers)
        bob.send("/a/2/vote")
        factories.article(store, groups=("python", "redis"))
        factories.comment(store)


@pytest.mark.site(limits=1)
@pytest.mark.usefixtures("_stopped_limits")
def test_program_is_told_what_is_left_of_its_limit(app: Flask, store: Store, bob: Browser) -> None:
    factories.article(store)
    program = Program(app, bob.user, Right.READ, Right.VOTE)
    left = [program.send("GET", path).headers["RateLimit"] for path in ("/articles", "/me", "/search?q=x")]
    assert left == ['"program";r=59;t=1', '"program";r=58;t=2', '"program";r=57;t=3']
    response = program.send("PUT", "/articles/1/vote")
    assert (response.status_code, response.headers["RateLimit-Policy"]) == (200, '"program";q=60;w=60')
    assert "RateLimit" not in response.headers
    secret = program.headers["Authorization"].rpartition(".")[2]
    for path in ("/articles", "/me", "/search?q=x", "/groups"):
        use_up(store, PROGRAM, digest(secret))
        response = program.send("GET", path)
        assert (response.status_code, response.headers["RateLimit"]) == (429, '"program";r=0;t=1')
        assert response.headers["Retry-After"] == "1"
        assert (response.json or {})["code"] == "too-fast"
    use_up(store, PROGRAM, digest(secret))
    assert program.send("DELETE", "/articles/1/vote").status_code == 429
    assert Program(app, bob.user, Right.READ).get("/search?q=x") == {"total": 0, "articles": []}, "another token"
    assert "RateLimit-Policy" not in Program(app).send("GET", "/articles").headers


@pytest.mark.site(limits=1)
@pytest.mark.usefixtures("_stopped_limits")
def test_searches_count_for_the_address_or_the_member(
    app: Flask, store: Store, bob: Browser, index: FixedIndex
) -> None:
    member_search = member_limit("search.show", "GET")
    assert member_search
    reader, program = Program(app), Program(app, bob.user, Right.READ)
    use_up(store, SEARCH, "127.0.0.1")
    reader.get("/search?q=x", 429)
    program.get("/search?q=x")
    use_up(store, member_search, "bob")
    response = program.send("GET", "/search?q=x")
    assert response.status_code == 429
    assert int(response.headers["Retry-After"]) > 0
    program.get("/articles")
    assert bob.open("/search?q=x").status == 429, "the limit is the member's"


def test_outage_is_told_with_when_to_try_again(app: Flask, bob: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(app, bob.user, Right.READ)
    program.get("/articles")

    def fail(_: Pipeline) -> None:
        raise Unavailable()

    with monkeypatch.context() as patch:
        patch.setattr(Pipeline, "execute", fail)
        response = program.send("GET", "/articles")
    assert (response.status_code, response.mimetype) == (503, "application/problem+json")
    assert int(response.headers["Retry-After"]) > 0


def test_list_without_a_place_is_kept_for_strangers(
    kept: Flask, store: Store, bob: Browser, clock: list[float]
) -> None:
    reader = Program(kept)
    for path in ("/articles", "/articles?order=new", "/articles?limit=2&group=redis&order=new", "/articles/1/comments"):
        before = reader.send("GET", path)
        factories.article(store, groups=("redis",))
        factories.comment(store)
        after = reader.send("GET", path, headers={"Origin": "https://app.example"})
        assert (after.data, after.headers["Access-Control-Allow-Origin"]) == (before.data, "*"), path
        again = reader.send("GET", path, headers={"If-None-Match": after.headers["ETag"]})
        assert again.status_code == 304
        clock[0] += 1.01
        assert reader.send("GET", path).data != before.data
    newest = reader.get("/articles?order=new&limit=1")
    factories.remove(store, newest["articles"][0]["id"])
    clock[0] += 1.01
    assert ids(newest["articles"]) != ids(reader.get("/articles?order=new&limit=1")["articles"])
    page = f"/articles?order=new&limit=1&next={newest['next']}"
    (first,) = reader.get(page)["articles"]
    factories.remove(store, first["id"])
    assert ids(reader.get(page)["articles"]) != [first["id"]], "it is not kept"


def test_member_gets_no_list_that_is_kept(kept: Flask, store: Store, bob: Browser, clock: list[float]) -> None:
    reader, program = Program(kept), Program(kept, bob.user, Right.READ)
    for _ in range(2):
        assert "own" in program.get("/articles")["articles"][0]
        assert "own" not in reader.get("/articles")["articles"][0]
    for wrong in (f"Bearer {new_token('bob')}", "Basic Ym9iOmJvYg==", "x"):
        assert reader.send("GET", "/articles", headers={"Authorization": wrong}).status_code == 401


@pytest.mark.parametrize(
    "path", ["/search?q=word{}", "/articles?order=new&next={}.5-3", "/articles/{}", "/members/ann{}"]
)
def test_operations_count_against_the_budget_of_cold_pages(
    path: str, kept: Flask, bob: Browser, clock: list[float]
) -> None:
    address = {ADDRESS_HEADER: "8.8.8.8"}
    stranger, program = Program(kept), Program(kept, bob.user, Right.READ)
    answers = [stranger.send("GET", path.format(number), headers=address) for number in range(1, 5)]
    assert [response.status_code == 429 for response in answers] == [False, False, False, True]
    refusal = answers[-1]
    assert (refusal.mimetype, (refusal.json or {})["code"]) == ("application/problem+json", "too-fast")
    assert refusal.headers["Access-Control-Allow-Origin"] == "*"
    assert "Retry-After" in refusal.headers["Access-Control-Expose-Headers"]
    assert int(refusal.headers["Retry-After"]) > 0
    assert 429 not in [program.send("GET", path.format(number), headers=address).status_code for number in range(9)]
