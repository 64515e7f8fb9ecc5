"""Answers of the API: headers, pages that are kept for strangers, and refusals of who asks for too much."""

import pytest
from flask import Flask

from tests import factories
from tests.web.aging import Clock
from tests.web.api.program import Program, everywhere, ids, use_up_tokens
from tests.web.browser import Browser
from tests.web.fixed_index import FixedIndex
from tests.web.limits import use_up
from voteweb.core.config import ADDRESS_HEADER
from voteweb.core.models import Right
from voteweb.core.rate_limits import SEARCH, member_limit
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token

LISTS = (
    "/articles", "/articles?order=new&limit=2", "/articles?group=python%2Bredis", "/articles?domain=example.com",
    "/articles/1/comments?order=new", "/articles/1", "/groups", "/members/ann", "/site",
)  # fmt: skip


@pytest.mark.parametrize("path", LISTS)
def test_answer_is_not_sent_again_to_who_has_it(path: str, app: Flask, store: Store, bob: Browser) -> None:
    everywhere(store, 3)
    tags = set[str]()
    for program in (Program(app), Program(app, "bob", Right.READ)):
        headers = program.send(f"GET {path}").headers
        tags.add(headers["ETag"])
        again = program.send(f"GET {path}", headers={"If-None-Match": headers["ETag"]})
        assert (again.status, again.text) == (304, "")
        head = program.send(f"HEAD {path}")
        assert (head.status, head.text, head.headers["ETag"]) == (200, "", headers["ETag"])
        assert "Authorization" in headers["Vary"]
        assert ("private" in headers.get("Cache-Control", "")) == bool(program.token)
        bob.send("/a/2/vote")
        factories.article(store, groups=("python", "redis"))
        factories.comment(store)
    assert len(tags) == (1 if path == "/site" else 2), "it is another answer now"


@pytest.mark.site(limits=1)
def test_program_is_told_what_is_left_of_its_limit(app: Flask, store: Store) -> None:
    factories.article(store)
    for path in ("/articles", "/me", "/search?q=x"):
        program = Program(app, "bob", Right.READ, Right.VOTE)
        assert program.send(f"GET {path}").headers["RateLimit"] == '"program";r=59;t=1'
    vote = program.send("PUT /articles/1/vote")
    assert (vote.status, vote.headers["RateLimit-Policy"]) == (200, '"program";q=60;w=60')
    assert "RateLimit" not in vote.headers
    use_up_tokens(store)
    for path in ("/articles", "/me", "/search?q=x", "/groups"):
        answer = program.send(f"GET {path}")
        assert (answer.problem, answer.headers["RateLimit"]) == ((429, "too-fast"), '"program";r=0;t=1')
        assert (answer.headers["Retry-After"], "until" in answer.json) == ("1", True)
    assert program.send("DELETE /articles/1/vote").problem == (429, "too-fast")
    assert Program(app, "bob", Right.READ).get("/search?q=x") == {"total": 0, "articles": []}, "another token"
    assert "RateLimit-Policy" not in Program(app).send("GET /articles").headers


@pytest.mark.site(limits=1)
@pytest.mark.usefixtures("_stopped_limits")
def test_searches_count_for_the_address_or_the_member(
    app: Flask, store: Store, bob: Browser, index: FixedIndex
) -> None:
    member_search = member_limit("search.show", "GET")
    assert member_search
    program = Program(app, "bob", Right.READ)
    use_up(store, SEARCH, "127.0.0.1")
    Program(app).get("/search?q=x", 429)
    program.get("/search?q=x")
    use_up(store, member_search, "bob")
    answer = program.send("GET /search?q=x")
    assert (answer.status, int(answer.headers["Retry-After"]) > 0) == (429, True)
    program.get("/articles")
    assert bob.open("/search?q=x").status == 429, "the limit is the member's"


def test_list_without_a_place_is_kept_for_strangers(kept: Flask, store: Store, clock: Clock) -> None:
    reader = Program(kept)
    for path in ("/articles", "/articles?order=new", "/articles?limit=2&group=redis&order=new", "/articles/1/comments"):
        before = reader.get(path)
        factories.article(store, groups=("redis",))
        factories.comment(store)
        after = reader.send(f"GET {path}", headers={"Origin": "https://app.example"})
        assert (after.json, after.headers["Access-Control-Allow-Origin"]) == (before, "*"), path
        assert reader.send(f"GET {path}", headers={"If-None-Match": after.headers["ETag"]}).status == 304
        clock.now += 1.01
        assert reader.get(path) != before
    page = f"/articles?order=new&limit=1&next={reader.get('/articles?order=new&limit=1')['next']}"
    (first,) = reader.get(page)["articles"]
    factories.remove(store, first["id"])
    assert ids(reader.get(page)["articles"]) != [first["id"]], "it is not kept"


def test_member_gets_no_list_that_is_kept(kept: Flask) -> None:
    reader, program = Program(kept), Program(kept, "bob", Right.READ)
    for _ in range(2):
        assert "own" in program.get("/articles")["articles"][0]
        assert "own" not in reader.get("/articles")["articles"][0]
    for wrong in (f"Bearer {new_token('bob')}", "Basic Ym9iOmJvYg==", "x"):
        assert reader.send("GET /articles", headers={"Authorization": wrong}).status == 401


@pytest.mark.parametrize(
    "path", ["/search?q=word{}", "/articles?order=new&next={}.5-3", "/articles/{}", "/members/ann{}"]
)
def test_operations_count_against_the_budget_of_cold_pages(path: str, kept: Flask) -> None:
    address = {ADDRESS_HEADER: "8.8.8.8"}
    stranger, program = Program(kept), Program(kept, "bob", Right.READ)
    *answers, refusal = (stranger.send(f"GET {path.format(number)}", headers=address) for number in range(1, 5))
    assert 429 not in [answer.status for answer in answers]
    assert refusal.problem == (429, "too-fast")
    assert refusal.headers["Access-Control-Allow-Origin"] == "*"
    assert "Retry-After" in refusal.headers["Access-Control-Expose-Headers"]
    assert int(refusal.headers["Retry-After"]) > 0
    assert 429 not in [program.send(f"GET {path.format(number)}", headers=address).status for number in range(9)]
