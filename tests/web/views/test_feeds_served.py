"""Feeds of unusual data, their caching, and their addresses."""

import re
import time
from itertools import product
from xml.etree import ElementTree

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser
from tests.web.feed_reader import ARTICLE_LISTS, ATOM, FEEDS, add_articles, atom, items, titles, tree
from voteweb.core.models import Draft
from voteweb.store import Store

HOSTILE_TITLES = [
    "<script>alert('1')</script> & \"co\"",
    "the end ]]> of <![CDATA[ data",
    "&amp; &lt; &#0; &bogus;",
    "Emoji 👩‍👩‍👧 and 𝒳",
]


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    add_articles(store)


def test_hostile_titles_arrive_unchanged(reader: Browser, store: Store) -> None:
    for title in HOSTILE_TITLES:
        store.connection.command("HSET", "article:2", "title", title)
        assert tree(reader, "/new.atom").findtext(f"{ATOM}entry/{ATOM}title") == title
        assert items(reader, "/new.json")[0]["title"] == title


@pytest.mark.parametrize("field", ["title", "text", "poster", "link", "groups"])
def test_characters_that_xml_forbids_are_dropped(field: str, reader: Browser, store: Store) -> None:
    forbidden = "".join(chr(code) for code in (*range(32), 0x7F, 0x85, 0xFFFE, 0xFFFF))
    store.connection.command("HSET", "article:2", field, f"https://a.example/{forbidden}b")
    for path in ("/new", "/g/python"):
        atom(reader, f"{path}.atom")
        items(reader, f"{path}.json")
        assert not re.search(r"\\u00(0[0-8bBcCeEfF]|1)|[\ufffe\uffff]", reader.text), path
    store.connection.command("HSET", "group-info:python", "title", forbidden, "description", forbidden)
    atom(reader, "/g/python.atom")
    ElementTree.fromstring(reader.open("/groups.opml").response.data)


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("javascript:alert(1)", "http://localhost/a/2"),
        ('https://a.example/a"<>{|}^`', "https://a.example/a%22%3C%3E%7B|%7D%5E%60"),
    ],
)
def test_any_link_in_the_database_is_harmless(link: str, url: str, reader: Browser, store: Store) -> None:
    store.connection.command("HSET", "article:2", "link", link)
    assert tree(reader, "/new.atom").find(f"{ATOM}entry/{ATOM}link").get("href") == url  # type: ignore[union-attr]
    item = items(reader, "/new.json")[0]
    assert item.get("external_url", item["url"]) == url


def test_poster_who_is_no_member_has_no_page(reader: Browser, store: Store) -> None:
    store.connection.command("HSET", "article:2", "poster", "user:7")
    assert items(reader, "/new.json")[0]["authors"] == [{"name": "user:7"}]
    store.connection.command("HDEL", "article:2", "poster")
    assert "authors" not in items(reader, "/new.json")[0]


def test_ids_stay_after_edits_votes_and_a_move(reader: Browser, make_browser: MakeBrowser, store: Store) -> None:
    before = [item["id"] for item in items(reader, "/new.json")]
    assert [entry.id for entry in atom(reader, "/new.atom").entries] == before
    assert len(set(before)) == 2
    store.articles.edit(2, Draft("Another title", "https://example.com/new", "", ()), factories.user(store))
    store.votes.cast(2, factories.user(store, "zoe"))
    moved = make_browser(site_url="https://news.example/")
    for browser in (reader, moved):
        assert [item["id"] for item in items(browser, "/new.json")] == before
    assert items(moved, "/new.json")[0]["url"] == "https://news.example/a/2"
    assert atom(moved, "/new.atom").feed.id == "https://news.example/new.atom"


def test_edit_changes_the_time_of_the_update(reader: Browser, store: Store) -> None:
    store.connection.command("HINCRBYFLOAT", "article:2", "edited", repr(time.time() + 60))
    item = items(reader, "/new.json")[0]
    assert item["date_modified"] > item["date_published"]
    feed = tree(reader, "/new.atom")
    assert feed.findtext(f"{ATOM}updated") == feed.findtext(f"{ATOM}entry/{ATOM}updated") == item["date_modified"]


def test_removed_and_deleted_articles_leave_every_feed_at_once(reader: Browser, store: Store) -> None:
    for path in ARTICLE_LISTS:
        titles(reader, path)  # from here on combined rankings are cached
    factories.remove(store, 1, "spam")
    store.removals.delete(2)
    for path in ARTICLE_LISTS:
        assert titles(reader, path) == [], path
        assert "Last-Modified" not in reader.headers


def test_unchanged_feed_is_not_sent_again(reader: Browser, make_browser: MakeBrowser, store: Store) -> None:
    """Neither by a site that keeps pages nor by one that does not."""
    for site, address in product((reader, make_browser(page_seconds=0.0)), FEEDS):
        headers = site.open(address).headers
        assert headers["Cache-Control"] == "public, max-age=60, s-maxage=1", address
        for condition in ({"If-None-Match": headers["ETag"]}, {"If-Modified-Since": headers["Last-Modified"]}):
            site.open(address, headers=condition)
            assert (site.status, site.response.data) == (304, b""), address
            assert site.headers["Cache-Control"] == headers["Cache-Control"]
    tag = reader.open("/feed.atom").headers["ETag"]
    store.votes.cast(2, factories.user(store, "zoe"))
    assert reader.open("/feed.atom", headers={"If-None-Match": tag}).status == 200
    assert "2 votes" in reader.text


def test_every_feed_has_one_address(reader: Browser, store: Store) -> None:
    for address in ("/g/nope.atom", "/g/a+b+c+d+e.json", "/u/nobody-here.atom", "/feed.rss", "/good.atom.json"):
        assert reader.open(address).status == 404, address
    for address, location in (
        ("/g/Python.atom", "/g/python.atom"),
        ("/g/redis+Python+redis/new.atom", "/g/python+redis/new.atom"),
    ):
        assert (reader.open(address).status, reader.location) == (301, location)
    assert reader.open("/u/ANN.json").json["feed_url"] == "http://localhost/u/ann.json"
    store.account_deletion.start(factories.user(store), delete_articles=True)
    assert reader.open("/u/ann.atom").status == 410
