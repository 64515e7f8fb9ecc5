"""Data that another program wrote into Redis: pages show it where possible, and never fail."""

import time
from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.escaping import EVIL, assert_harmless
from voteweb.core.models import Reason
from voteweb.store import Store

LISTS = ["/", "/good", "/g/python/new", "/g/python+redis", "/u/ann"]
#: The keys of all lists that the articles of another program are put into.
RANKINGS = ["time:", "score:", "good:", "posted:ann", "time:python", "score:python", "time:redis", "score:redis"]
POSTERS = ["user:1", "<b>x</b>", EVIL, "编 程", "a/../b", "", "x" * 500, "user:83271"]
TITLES = [EVIL, "", " ", "\u202eRTL", "x" * 5_000, "a\x00b\n\nc"]
LINKS = [
    "javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:alert(1)", "\tjavascript:alert(1)", "vbscript:x",
    "data:text/html,<script>alert(1)</script>", "//evil.example", "/logout", "x", "ftp://example.com/",
    "http://[", "http://[::1", "https://", "http://" + "x" * 300 + "é.example", "http://a..é/",
    "https://ex ample.com/", "http://\u202e/", "http://[fe80::1%" + "é" * 70 + "]/",
]  # fmt: skip
#: Fields of an article in other forms than ours, or missing.
FIELDS: list[dict[str, Any]] = [
    {"time": "1795228320425"},  # milliseconds, as a Java program may write them
    {"time": "1e300"}, {"time": "inf"}, {"time": "nan"}, {"time": "-1"}, {"time": "-1e18"}, {"time": "yesterday"},
    {"time": ""}, {"time": None}, {"title": None}, {"votes": "many"}, {"votes": "12.0"}, {"votes": "-3"},
    {"votes": "1" * 400}, {"votes": None}, {"votes": ""}, {"groups": "a/b <b> ../.. nope"}, {"groups": " " * 100},
    {"base": "x"},
]  # fmt: skip
NO_ARTICLES = ["article:8", "article:", "article:x", "user:1", "", EVIL, "article:٣", "article:-1"]


@pytest.fixture(autouse=True)
def own_article(store: Store) -> None:
    """An article of the site in all lists, which they must show."""
    factories.article(store, title="Ours", groups=("python", "redis"))
    store.connection.client.zadd("good:", {"article:1": 1.0})


def write_articles(store: Store, *changes: dict[str, Any]) -> list[int]:
    """Write articles as a program after the book does, with these fields, into every list; return their ids."""
    now, client = time.time(), store.connection.client
    fields = {"title": "Theirs", "link": "https://example.org/", "poster": "user:1", "time": now, "votes": 1}
    for id, changed in enumerate(changes, 7):
        mapping = {name: value for name, value in (fields | changed).items() if value is not None}
        client.hset(f"article:{id}", mapping=mapping)
        client.sadd(f"voted:{id}", "user:1")
        for key in RANKINGS:
            client.zadd(key, {f"article:{id}": now})
    return list(range(7, 7 + len(changes)))


def assert_lists_work(*people: Browser) -> None:
    """Fail unless every list shows the site's article to all *people*, and nothing harmful."""
    for person in people:
        for path in LISTS:
            assert person.open(path).status == 200, path
            assert person.page.by_id("a1")
            assert_harmless(person.page)


def test_any_poster_is_shown_without_a_link(reader: Browser, mod: Browser, store: Store) -> None:
    ids = write_articles(store, *({"poster": poster} for poster in POSTERS))
    assert_lists_work(reader, mod)
    for id, poster in zip(ids, POSTERS, strict=True):
        assert_harmless(reader.open(f"/a/{id}").page)
        assert reader.page.one("span", class_="by").text == f"by {poster}".strip()


def test_the_number_of_a_member_is_shown_as_that_member(reader: Browser, mod: Browser, store: Store) -> None:
    for number in range(30):
        eve = factories.user(store, f"Eve{number}")
    (id,) = write_articles(store, {"poster": eve.id})
    store.reports.make(id, eve, Reason.SPAM, "")
    for person, path in (
        (reader, "/"),
        (reader, "/new"),
        (mod, "/"),
        (reader, f"/a/{id}"),
        (mod, f"/a/{id}"),
        (mod, "/queue"),
    ):
        link = person.open(path).page.by_id("main").one("a", href=f"/u/{eve.name}")
        assert link.text == f"by {eve.name}", path
    assert f"<name>{eve.name}</name>" in reader.open("/new.atom").text
    store.account_deletion.start(eve, delete_articles=False)
    for path in ("/", f"/a/{id}"):
        for person in (reader, mod):
            assert f"by {eve.name}" not in person.open(path).page.by_id("main").text, path
    factories.user(store, "32")  # a name goes before a number
    assert store.users.names_of(["32"]) == {}


def test_any_title_and_any_link_are_harmless(reader: Browser, mod: Browser, store: Store) -> None:
    ids = write_articles(store, *({"title": title} for title in TITLES), *({"link": link} for link in LINKS))
    assert_lists_work(reader, mod)
    for id in ids:
        assert reader.open(f"/a/{id}").status == 200
        assert_harmless(reader.page)
        for title in reader.page.one("main").all("a", class_="title"):
            assert title["href"].startswith(("https://", "http://"))


def test_lists_work_with_any_fields(reader: Browser, mod: Browser, store: Store) -> None:
    ids = write_articles(store, *FIELDS)
    assert_lists_work(reader, mod)
    for id in ids:
        assert reader.open(f"/a/{id}").status in (200, 404)


def test_lists_skip_members_that_are_no_articles(reader: Browser, mod: Browser, store: Store) -> None:
    for key in RANKINGS:
        store.connection.client.zadd(key, dict.fromkeys(NO_ARTICLES, 1e10))
    assert_lists_work(reader, mod)


def test_group_without_a_title_is_shown_by_its_name(reader: Browser, store: Store) -> None:
    store.connection.client.sadd("groups:", "bare")
    assert reader.open("/g/bare").heading == "bare"
    assert reader.open("/groups").page.one("a", href="/g/bare").text == "bare"
