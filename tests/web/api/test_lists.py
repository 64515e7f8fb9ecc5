"""Lists of articles: each as its page has it, page by page, and as the member of the token sees it."""

import time
from itertools import chain, product
from urllib.parse import urlencode

import pytest
from flask import Flask

from tests import factories
from tests.web.api.program import Program, everywhere, ids
from tests.web.browser import Browser
from voteweb.core.models import Right
from voteweb.store import Store

#: The lists that exist, and their pages.
LISTS = {
    "": "/",
    "order=hot": "/",
    "order=new": "/new",
    "order=good": "/good",
    "order=top": "/top",
    "order=top&period=all": "/top?of=all",
    "order=top&group=python": "/g/python/top",
    "order=top&group=python&period=year": "/g/python/top?of=year",
    "group=python": "/g/python",
    "group=snakes": "/g/python",
    "group=redis%2Bpython": "/g/python+redis",
    "order=new&group=python+redis": "/g/python+redis/new",
    "order=new&group=redis": "/g/redis/new",
    "domain=example.com": "/d/example.com",
    "order=new&domain=www.example.com": "/d/example.com",
    "member=ann": "/u/ann",
    "order=new&member=ANN": "/u/ann",
}
BY_TIME = ["order=new", "order=new&group=python", "order=new&group=python+redis", "domain=example.com", "member=ann"]


def test_each_list_has_the_articles_of_its_page(app: Flask, store: Store, reader: Browser) -> None:
    everywhere(store)
    days_ago = time.time() - 3 * 86_400
    factories.imported(store, title="Of this week", time=days_ago, groups=("python",), link="https://week.example/")
    store.groups.change("python", "Python", "", aliases=["snakes"])
    for query, page in LISTS.items():
        rows = Program(app).get(f"/articles?{query}")["articles"]
        assert [row["title"] for row in rows] == reader.open(page).titles, query


def test_other_combinations_are_refused_with_those_that_exist(app: Flask, store: Store) -> None:
    everywhere(store, 1)
    names = {"group": "python", "domain": "example.com", "member": "ann", "period": "day"}
    choices = product(["", "hot", "new", "top", "good"], *([False, True] for _ in names))
    refused = 0
    for order, *given in choices:
        chosen = {name: value for (name, value), used in zip(names.items(), given, strict=True) if used}
        answer = Program(app).send(f"GET /articles?{urlencode(chosen | ({'order': order} if order else {}))}")
        if answer.status != 200:
            assert answer.problem == (422, "unknown-list")
            assert "order=new, also with domain or member" in answer.json["detail"]
            refused += 1
    assert refused == 5 * 16 - 15


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("limit=101", 422), ("page=2", 422), ("limit=5&limit=6", 422), ("next=x", 404), ("next=9", 404),
        ("order=new&next=2", 404), ("next=1.5-3", 404),
        ("group=none", 404), ("group=python%2Bnone", 404), ("order=new&group=none%2Bother", 404), ("group=a%2Fb", 404),
        ("domain=none.example", 404), ("domain=%20", 404),
        ("member=nobody", 404), ("order=new&next=" + "9" * 101, 422),
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused(query: str, status: int, app: Flask, store: Store) -> None:
    everywhere(store, 1)
    Program(app).get(f"/articles?{query}", status)


@pytest.mark.parametrize("query", BY_TIME)
def test_list_by_time_has_each_row_once(query: str, app: Flask, store: Store) -> None:
    everywhere(store, 8)
    before = ids(Program(app).get(f"/articles?{query}")["articles"])
    seen, link = list[int](), f"/articles?{query}&limit=2"
    while link:
        answer = Program(app).send(f"GET {link}")
        seen, link = [*seen, *ids(answer.json["articles"])], answer.next
        factories.article(store, groups=("python", "redis"))
        for id in (before[0], before[1], before[4]) if len(seen) == 2 else ():  # the next page begins after one of them
            factories.remove(store, id)
    assert seen == before[:4] + before[5:]


def test_articles_of_one_second_are_on_one_page_each(app: Flask, store: Store) -> None:
    second = int(time.time()) - 60
    for number in range(7):
        factories.imported(store, time=second + number / 10, link=f"https://example.com/{number}")
    pages = Program(app).pages("/articles?domain=example.com&limit=3")
    assert list(map(ids, pages)) == [[7, 6, 5], [4, 3, 2], [1]]


def test_good_articles_go_on_beyond_their_page(app: Flask, store: Store) -> None:
    for _ in range(3):
        factories.imported(store, votes=300)
    assert list(map(len, Program(app).pages("/articles?order=good&limit=2"))) == [2, 1]


@pytest.mark.parametrize("query", ["order=hot", "order=top&period=all", "group=python+redis"])
def test_list_by_score_has_pages(query: str, app: Flask, store: Store) -> None:
    everywhere(store, 7)
    whole = Program(app).get(f"/articles?{query}")["articles"]
    parts = Program(app).pages(f"/articles?{query}&limit=3")
    assert list(chain(*parts)) == whole
    assert len(parts) == 3


def test_rows_have_own_marks_and_none_is_hidden(app: Flask, store: Store, bob: Browser) -> None:
    everywhere(store, 4)
    for path in ("/a/1/vote", "/a/2/save", "/a/3/hide"):
        bob.send(path)
    reading = Program(app, "bob", Right.READ)
    rows = reading.get("/articles?order=new")["articles"]
    assert {row["id"]: (row["own"]["voted"], row["own"]["saved"]) for row in rows} == {
        5: (False, False), 4: (False, False), 2: (False, True), 1: (True, False),
    }  # fmt: skip
    for program in (Program(app), Program(app, "bob", Right.VOTE, Right.POST)):
        rows = program.get("/articles?order=new")["articles"]
        assert ids(rows) == [4, 3, 2, 1, 5]
        assert not any("own" in row for row in rows)
    bob.send("/g/python/hide")
    assert [len(reading.get(f"/articles{query}")["articles"]) for query in ("", "?group=python")] == [0, 4]


def test_saved_articles_have_each_row_once(app: Flask, store: Store, bob: Browser) -> None:
    everywhere(store, 6)
    for id in (1, 2, 3, 4):
        bob.send(f"/a/{id}/save")
    factories.remove(store, 2)
    program = Program(app, "bob", Right.READ)
    first = program.send("GET /me/saved?limit=2")
    bob.send("/a/4/unsave")
    bob.send("/a/5/save")
    rest = program.get(first.next)["articles"]
    assert ids(first.json["articles"] + rest) == [4, 3, 2, 1]
    assert (rest[0]["status"], "link" in rest[0]) == ("removed", False)
