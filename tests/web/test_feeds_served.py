"""How feeds are served: whatever the database holds, to whoever has them already, and under which addresses."""

import json
import re
import time
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from tests.web.feed_reader import ARTICLE_LISTS, ATOM, FEEDS, atom, lay_in, rows, titles, tree
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.markup import xml_text
from voteweb.core.models import Draft, LogAction
from voteweb.store import Store
from voteweb.store.connection.connection import Connection
from voteweb.store.moderation_log import NewLogEntry

HOSTILE = [
    "<script>alert('1')</script> & \"co\"",
    "the end ]]> of <![CDATA[ data",
    "&amp; &lt; &#0; &bogus;",
    "Emoji 👩‍👩‍👧 and 𝒳",
    "שלום עולם, مرحبا",
    "编程语言：第一章",
    "x" * 200,
]


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """What the tests of feeds begin with."""
    lay_in(fake_store)


# --- whatever the database holds


def test_hostile_titles_arrive_as_they_are(reader: Browser, fake_store: Store) -> None:
    for title in HOSTILE:
        fake_store.connection.command("HSET", "article:2", "title", title)
        for path in ("/new", "/g/python+redis"):
            assert tree(reader, f"{path}.atom").findtext(f"{ATOM}entry/{ATOM}title") == title
            assert rows(reader, f"{path}.json")[0]["title"] == title
            atom(reader, f"{path}.atom")


@pytest.mark.parametrize("field", ["title", "text", "poster", "link", "groups"])
def test_what_xml_forbids_never_reaches_a_feed(field: str, reader: Browser, fake_store: Store) -> None:
    bad = "".join(chr(code) for code in (*range(32), 0x7F, 0x85, 0xFFFE, 0xFFFF))
    fake_store.connection.command("HSET", "article:2", field, f"https://a.example/{bad}b")
    for path in ARTICLE_LISTS:
        atom(reader, f"{path}.atom")
        rows(reader, f"{path}.json")
        assert not re.search(r"\\u00(0[0-8bBcCeEfF]|1)|[\ufffe\uffff]", reader.answer.text), path
    fake_store.connection.command("HSET", "group-info:python", "title", bad, "description", bad)
    atom(reader, "/g/python.atom")
    ElementTree.fromstring(reader.open("/groups.opml").answer.data)


def test_xml_text_drops_what_no_xml_can_hold_and_nothing_else() -> None:
    everything = "".join(chr(code) for code in range(0x110000))
    kept = xml_text(everything)
    allowed = [*range(0x20, 0xD800), *range(0xE000, 0xFFFE), *range(0x10000, 0x110000)]
    assert kept == "\t\n\r" + "".join(map(chr, allowed))
    escaped = kept.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    assert ElementTree.fromstring(f"<a>{escaped}</a>".encode()).text == kept


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("javascript:alert(1)", "http://localhost/a/2"),
        ("example.com", "http://localhost/a/2"),
        ("HTTPS://example.com/A", "HTTPS://example.com/A"),
        ("http://[", "http://localhost/a/2"),
        ('https://a.example/a b"<>\\{|}^`\u0001', "http://localhost/a/2"),
        ('https://a.example/a"<>{|}^`', "https://a.example/a%22%3C%3E%7B%7C%7D%5E%60"),
        ("https://例え.example/编程?a=%20#x", "https://例え.example/编程?a=%20#x"),
    ],
)
def test_a_link_of_another_program_does_no_harm(link: str, leads_to: str, reader: Browser, fake_store: Store) -> None:
    fake_store.connection.command("HSET", "article:2", "link", link)
    assert tree(reader, "/new.atom").find(f"{ATOM}entry/{ATOM}link").get("href") == leads_to  # type: ignore[union-attr]
    item = rows(reader, "/new.json")[0]
    assert item.get("external_url", item["url"]) == leads_to


def test_a_poster_who_is_no_member_is_named_without_a_page(reader: Browser, fake_store: Store) -> None:
    fake_store.connection.command("HSET", "article:2", "poster", "user:7")
    assert rows(reader, "/new.json")[0]["authors"] == [{"name": "user:7"}]
    fake_store.connection.command("HDEL", "article:2", "poster")
    assert "authors" not in rows(reader, "/new.json")[0]
    assert atom(reader, "/new.atom").entries[0].title == "A text"


# --- what stays, and what goes


def test_ids_outlive_edits_votes_and_another_domain(settings: Settings, reader: Browser, fake_store: Store) -> None:
    before = [row["id"] for row in rows(reader, "/new.json")]
    assert [entry.id for entry in atom(reader, "/new.atom").entries] == before
    assert len(set(before)) == 2
    fake_store.votes.cast(2, factories.user(fake_store, "zoe"))
    fake_store.articles.edit(2, Draft("Another title", "https://example.com/new", "", ()), factories.user(fake_store))
    moved = Browser(create_app(replace(settings, site_url="https://news.example/"), fake_store))
    for browser in (reader, moved):
        assert [row["id"] for row in rows(browser, "/new.json")] == before
        assert rows(browser, "/new.json")[0]["title"] == "Another title"
    assert rows(moved, "/new.json")[0]["url"] == "https://news.example/a/2"
    assert atom(moved, "/new.atom").feed.id == "https://news.example/new.atom"


def test_an_edit_is_an_update(reader: Browser, fake_store: Store) -> None:
    fake_store.connection.command("HINCRBYFLOAT", "article:2", "edited", repr(time.time() + 60))
    item = rows(reader, "/new.json")[0]
    assert item["date_modified"] > item["date_published"]
    feed = tree(reader, "/new.atom")
    assert feed.findtext(f"{ATOM}updated") == feed.findtext(f"{ATOM}entry/{ATOM}updated") == item["date_modified"]


def test_what_is_removed_or_deleted_is_gone_from_every_feed_at_once(reader: Browser, fake_store: Store) -> None:
    for path in ARTICLE_LISTS:
        titles(reader, path)  # combined rankings are kept from here on
    fake_store.removals.remove(1, NewLogEntry(LogAction.REMOVE, "mod", article=1, why="spam"))
    fake_store.removals.delete(2)
    assert {path: titles(reader, path) for path in ARTICLE_LISTS} == {path: [] for path in ARTICLE_LISTS}


def test_who_has_a_feed_already_is_told_so(reader: Browser) -> None:
    for address in FEEDS:
        headers = reader.open(address).answer.headers
        assert headers["Cache-Control"] == "public, max-age=60", address
        for known in ({"If-None-Match": headers["ETag"]}, {"If-Modified-Since": headers["Last-Modified"]}):
            reader.open(address, headers=known)
            assert (reader.status, reader.answer.data) == (304, b""), address
            assert reader.answer.headers["ETag"] == headers["ETag"]
            assert reader.answer.headers["Cache-Control"] == headers["Cache-Control"]
        for old in ({"If-None-Match": '"other"'}, {"If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"}):
            assert reader.open(address, headers=old).status == 200, address


def test_a_vote_makes_a_feed_new(reader: Browser, fake_store: Store) -> None:
    tag = reader.open("/feed.atom").answer.headers["ETag"]
    fake_store.votes.cast(2, factories.user(fake_store, "zoe"))
    assert reader.open("/feed.atom", headers={"If-None-Match": tag}).status == 200
    assert "2 votes" in reader.answer.text


def test_nobodys_session_is_looked_at_and_nobodys_language(reader: Browser, mod: Browser) -> None:
    for address in (*FEEDS, "/groups.opml", "/robots.txt", "/sitemap.xml", "/sitemap-0.xml", "/sitemap-1.xml"):
        people = ((reader, "en"), (mod, "zh"))
        answers = [person.open(address, headers={"Accept-Language": language}).answer for person, language in people]
        assert answers[0].data == answers[1].data, address
        for answer in answers:
            assert "Set-Cookie" not in answer.headers, address
            assert "Vary" not in answer.headers, address
            assert answer.headers["Cache-Control"].startswith("public, "), address


def test_a_feed_is_one_round_trip(reader: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    trips: list[Any] = []
    insist = Connection.insist
    monkeypatch.setattr(Connection, "insist", lambda *a, **k: trips.append(a) or insist(*a, **k))
    for address in FEEDS:
        reader.open(address)
        trips.clear()
        assert (reader.open(address).status, len(trips)) == (200, 1), address


# --- addresses


def test_the_feed_of_what_is_not_there_is_404(reader: Browser) -> None:
    for path in ("/g/nope", "/g/nope+python", "/g/a%20b", "/g/a+b+c+d+e", "/g/nope/new", "/u/nobody-here", "/u/x"):
        for form in ("atom", "json"):
            assert reader.open(f"{path}.{form}").status == 404, path


def test_there_are_no_other_forms(reader: Browser) -> None:
    for address in ("/feed", "/feed.rss", "/new.xml", "/g/python.rss", "/u/ann.rss", "/good.atom.json"):
        assert reader.open(address).status == 404, address


def test_the_feed_of_a_closed_account_is_gone(reader: Browser, fake_store: Store) -> None:
    fake_store.account_deletion.start(factories.user(fake_store), delete_articles=True)
    assert reader.open("/u/ann.atom").status == 410


def test_each_feed_has_one_address(reader: Browser) -> None:
    for address, leads_to in (
        ("/g/Python.atom", "/g/python.atom"),
        ("/g/redis+python.json", "/g/python+redis.json"),
        ("/g/redis+Python+redis/new.atom", "/g/python+redis/new.atom"),
    ):
        assert (reader.open(address).status, reader.location) == (301, leads_to)


def test_a_member_is_found_in_any_letters(reader: Browser) -> None:
    assert json.loads(reader.open("/u/ANN.json").answer.data)["feed_url"] == "http://localhost/u/ann.json"


def test_groups_whose_names_look_like_addresses_have_pages_and_feeds(reader: Browser, fake_store: Store) -> None:
    for name in ("new", "atom", "json", "编程"):
        factories.group(fake_store, name)
        for address in (f"/g/{name}", f"/g/{name}.atom", f"/g/{name}/new", f"/g/{name}/new.json"):
            assert reader.open(address).status == 200, address


def test_a_feed_of_links_is_light(app: Flask, reader: Browser, fake_store: Store) -> None:
    for i in range(30):
        factories.article(
            fake_store, title=f"{i} {'long title ' * 6}", link=f"https://example.com/{i}", groups=("python",)
        )
    for form in ("atom", "json"):
        reader.open(f"/new.{form}")
        assert len(reader.answer.data) <= 30_000
    assert len(rows(reader, "/new.json")) == app.extensions["voteweb.settings"].page_size
