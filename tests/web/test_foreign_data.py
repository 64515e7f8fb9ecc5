"""What another program wrote straight into Redis: shown where it can be, and never a page that fails."""

import time
from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.test_escaping import EVIL, assert_harmless
from voteweb.store import Store

PLACES = ["/", "/new", "/good", "/g/python", "/g/python/new", "/g/python+redis", "/u/ann", "/a/7"]


def write(store: Store, id: int = 7, **over: Any) -> None:
    """Write an article as a program after the book does, and put it into every list there is."""
    now = time.time()
    fields = {"title": "Theirs", "link": "https://example.org/", "poster": "user:1", "time": now, "votes": 1} | over
    client = store.connection.client
    client.hset(f"article:{id}", mapping={name: value for name, value in fields.items() if value is not None})
    client.sadd(f"voted:{id}", "user:1")
    for name in ("time:", "score:", "good:", "posted:ann", "time:python", "score:python", "time:redis", "score:redis"):
        client.zadd(name, {f"article:{id}": now})


@pytest.fixture(autouse=True)
def ours(fake_store: Store) -> None:
    """One article of our own in two groups, which must be seen whatever stands beside it."""
    factories.article(fake_store, title="Ours", groups=("python", "redis"))


def assert_lists_work(fake_store: Store, *people: Browser) -> None:
    """Fail unless every list shows our own article, and nothing harmful, to all *people*."""
    fake_store.connection.client.zadd("good:", {"article:1": 1.0})
    for person in people:
        for place in PLACES[:-1]:
            assert person.open(place).status == 200, place
            assert person.page.by_id("a1")
            assert_harmless(person.page)


@pytest.mark.parametrize("poster", ["user:1", "<b>x</b>", EVIL, "编程", "a/../b", "", "x" * 500, "user:83271"])
def test_a_poster_of_any_name_is_shown_without_a_page_of_its_own(
    poster: str, reader: Browser, mod: Browser, fake_store: Store
) -> None:
    write(fake_store, poster=poster)
    assert_lists_work(fake_store, reader, mod)
    for person in (reader, mod):
        assert person.open("/a/7").status == 200
        assert_harmless(person.page)
        assert person.page.one("span", class_="by").words == poster
        assert not person.page.all("a", class_="by")


@pytest.mark.parametrize("title", [EVIL, "", " ", "\u202eRTL", "x" * 5_000, "a\x00b\n\nc"])
def test_a_title_of_any_kind_is_harmless(title: str, reader: Browser, mod: Browser, fake_store: Store) -> None:
    write(fake_store, title=title)
    assert_lists_work(fake_store, reader, mod)
    assert reader.open("/a/7").status == 200
    assert_harmless(reader.page)


@pytest.mark.parametrize(
    "link",
    [
        *("javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:alert(1)", "\tjavascript:alert(1)", "vbscript:x"),
        *("data:text/html,<script>alert(1)</script>", "//evil.example", "/logout", "x", "ftp://example.com/"),
        *("http://[", "http://[::1", "https://", "http://" + "x" * 300 + "é.example", "http://a..é/"),
        *("https://ex ample.com/", "http://\u202e/", "http://[fe80::1%" + "é" * 70 + "]/"),
    ],
)
def test_a_link_of_any_kind_leads_nowhere_harmful(link: str, reader: Browser, mod: Browser, fake_store: Store) -> None:
    write(fake_store, link=link)
    assert_lists_work(fake_store, reader, mod)
    assert reader.open("/a/7").status == 200
    assert_harmless(reader.page)
    for each in reader.page.one("main").all("a", class_="title"):
        assert each["href"].startswith(("https://", "http://"))


@pytest.mark.parametrize(
    "fields",
    [
        {"time": "1795228320425"},  # milliseconds, as a Java program may write them
        {"time": "1e300"},
        {"time": "inf"},
        {"time": "nan"},
        {"time": "-1"},
        {"time": "-1e18"},
        {"time": "yesterday"},
        {"time": ""},
        {"time": None},
        {"title": None},
        {"votes": "many"},
        {"votes": "12.0"},
        {"votes": "-3"},
        {"votes": "1" * 400},
        {"votes": None},
        {"votes": ""},
        {"groups": "a/b <b> ../.. nope"},
        {"groups": " " * 100},
        {"base": "x"},
    ],
    ids=str,
)
def test_fields_of_any_kind_do_not_take_the_lists_down(
    fields: dict[str, Any], reader: Browser, mod: Browser, fake_store: Store
) -> None:
    write(fake_store, **fields)
    assert_lists_work(fake_store, reader, mod)
    assert reader.open("/a/7").status in (200, 404)


@pytest.mark.parametrize(
    "member", ["article:8", "article:", "article:x", "user:1", "", EVIL, "article:٣", "article:-1"]
)
def test_members_of_rankings_that_are_no_articles_are_passed_over(
    member: str, reader: Browser, mod: Browser, fake_store: Store
) -> None:
    for name in ("time:", "score:", "good:", "posted:ann", "time:python", "score:python", "time:redis", "score:redis"):
        fake_store.connection.client.zadd(name, {member: 1e10})
    assert_lists_work(fake_store, reader, mod)


def test_a_group_that_only_has_a_name_is_called_by_it(reader: Browser, fake_store: Store) -> None:
    fake_store.connection.client.sadd("groups:", "bare")
    assert reader.open("/g/bare").heading == "bare"
    assert reader.open("/groups").page.one("a", href="/g/bare").words == "bare"
