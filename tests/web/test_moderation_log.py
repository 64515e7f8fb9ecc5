"""The public log: what it says, how it is narrowed down and gone through, its feed, and undoing."""

import time
from typing import Any
from xml.etree import ElementTree

import pytest
from markupsafe import escape

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from tests.web.dom import Element
from tests.web.state import everything
from voteweb.core import config
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "</q><script>alert(1)</script> ]]> & &amp; \"quotes\" 'too' {{ 7*7 }} %(x)s"


@pytest.fixture(autouse=True)
def article(fake_store: Store) -> None:
    """An article of ann's in one of three groups."""
    for name in ("lua", "python", "redis"):
        factories.group(fake_store, name)
    factories.article(fake_store, title="On Redis", groups=("redis",))


def entries(person: Browser, address: str = "/log") -> list[Element]:
    """Return the acts of the log's page at *address*."""
    return person.open(address).page.one("main").all("li")


def ban(store: Store, who: str, name: str, why: str = "Spam.") -> None:
    """Ban *name* as *who* would."""
    store.users.ban(factories.user(store, name).name, NewLogEntry(LogAction.BAN, who, about=name, why=why))


def test_each_kind_of_act_is_told_in_a_sentence(
    mod: Browser, reader: Browser, make_member: MakeMember, fake_store: Store
) -> None:
    mod.open("/a/1").submit("/a/1/groups", add="lua python", remove="redis")
    mod.open("/a/1/edit").submit("/a/1/edit", title="On Valkey")
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    mod.open("/a/1").submit("/a/1/restore")
    mod.open("/groups/new").submit("/groups/new", name="go", title="Go")
    factories.user(fake_store, "eve")
    mod.open("/u/eve").submit("/u/eve/ban", reason="Spam.")
    mod.open("/u/eve").submit("/u/eve/unban")
    make_member("boss", Role.ADMIN).open("/u/eve").submit("/u/eve/role", role="moderator")
    said = [each.all("p")[0].words for each in entries(reader)]
    assert said == [
        "boss gave eve another role : moderator",
        "mod let eve in again",
        "mod banned eve : Spam.",
        "mod made or changed the group go",
        "mod restored “On Valkey”",
        "mod removed “On Valkey” : Off topic.",
        "mod edited “On Redis”",
        "mod changed the groups of “On Redis”: into lua, python, out of redis",
    ]
    assert reader.page.one("p", class_="total").words == "8 acts"


def test_an_empty_log_says_so(reader: Browser) -> None:
    assert reader.open("/log").page.one("div", class_="empty").words == "No such act is in the log."


def test_it_is_narrowed_down_by_moderator_and_kind(reader: Browser, fake_store: Store) -> None:
    fake_store.removals.remove(1, NewLogEntry(LogAction.REMOVE, "eve", article=1, title="On Redis", why="Spam."))
    ban(fake_store, "eve", "yan")
    ban(fake_store, config.COMMAND_LINE, "zoe")
    reader.open("/log")
    assert [each.attrs.get("value", each.words) for each in reader.page.all("option")] == ["", *LogAction]
    for address, found in (
        ("/log?who=eve", ["eve banned yan", "eve removed"]),
        ("/log?who=EVE&kind=ban", ["eve banned yan"]),
        ("/log?kind=ban", ["command line banned zoe", "eve banned yan"]),
        ("/log?who=command%20line&kind=", ["command line banned zoe"]),
        ("/log?who=nobody", []),
        ("/log?who=%3Cscript%3E&kind=ban", []),
        ("/log?who=" + "x" * 1_000, []),
        ("/log?kind=nonsense", ["command line", "eve banned", "eve removed"]),
    ):
        assert len(entries(reader, address)) == len(found), address
        for entry, start in zip(entries(reader, address), found, strict=True):
            assert entry.words.startswith(start)
    reader.open("/log?who=eve&kind=ban")
    assert reader.page.one("input", name="who")["value"] == "eve"
    assert [each["value"] for each in reader.page.all("option") if "selected" in each] == ["ban"]


def test_it_goes_on_from_page_to_page_within_its_filter(reader: Browser, fake_store: Store) -> None:
    for i in range(60):
        ban(fake_store, "eve" if i % 2 else config.COMMAND_LINE, f"member{i}")
    assert len(entries(reader)) == 25
    assert reader.page.one("a", rel="next")["href"] == "/log?page=2"
    reader.open("/log?who=command+line&kind=ban")
    assert reader.page.one("p", class_="total").words == "30 acts"
    reader.open(reader.page.one("a", rel="next")["href"])
    assert [each.words.partition(",")[0].split()[3] for each in reader.page.one("ol").all("li")] == [
        f"member{i}" for i in (8, 6, 4, 2, 0)
    ]
    reader.open(reader.page.one("a", rel="prev")["href"])
    assert reader.page.one("ol").all("li")[0].words.startswith("command line banned member58")
    assert reader.open("/log?page=4").status == 404


def test_hostile_words_are_only_words(reader: Browser, fake_store: Store) -> None:
    fake_store.connection.client.hset("article:1", "title", HOSTILE)
    fake_store.removals.remove(1, NewLogEntry(LogAction.REMOVE, HOSTILE, about=HOSTILE, article=1, title=HOSTILE, why=HOSTILE))
    (entry,) = entries(reader)
    assert entry.all("p")[0].words == f"{HOSTILE} removed “{HOSTILE}” : {HOSTILE}"
    assert entry.one("q").words == HOSTILE
    assert not [each for each in entry.all("a") if each["href"].startswith("/u/")]
    assert not reader.page.one("main").all("script")


def test_the_feed_is_well_formed_whatever_was_typed(reader: Browser, fake_store: Store) -> None:
    odd = f"{HOSTILE}\x00\x0b\x1b\ufffe\uffff編🎉"
    fake_store.removals.remove(1, NewLogEntry(LogAction.REMOVE, "eve", article=1, title=odd, why=odd))
    ban(fake_store, "eve", "yan")
    reader.open("/log.atom")
    assert reader.answer.content_type == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(reader.answer.data)
    assert feed.tag == f"{ATOM}feed"
    titles = [each.findtext(f"{ATOM}title") for each in feed.findall(f"{ATOM}entry")]
    assert titles == ["eve banned yan", f"eve removed “{HOSTILE}編🎉”"]
    assert str(escape(f"{HOSTILE}編🎉")) in (feed.findall(f"{ATOM}entry")[1].findtext(f"{ATOM}content") or "")
    ids = [each.findtext(f"{ATOM}id") for each in feed.findall(f"{ATOM}entry")]
    assert len(set(ids)) == 2
    assert feed.find(f"{ATOM}link[@rel='self']").attrib["href"] == "http://localhost/log.atom"
    only = ElementTree.fromstring(reader.open("/log.atom?kind=ban&who=eve").answer.data)
    assert len(only.findall(f"{ATOM}entry")) == 1
    assert only.find(f"{ATOM}link[@rel='self']").attrib["href"] == "http://localhost/log.atom?who=eve&kind=ban"


def test_an_empty_feed_is_a_feed(reader: Browser) -> None:
    assert not ElementTree.fromstring(reader.open("/log.atom").answer.data).findall(f"{ATOM}entry")


def test_groups_and_a_removal_are_undone_by_their_moderator(mod: Browser, reader: Browser, fake_store: Store) -> None:
    mod.open("/a/1").submit("/a/1/groups", add="lua", remove="redis")
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    mod.open("/log?who=mod&kind=").submit("/log/2/undo")
    assert (mod.status, mod.location) == (303, "/log?who=mod&kind=#l2")
    assert mod.follow().flashes == ["The act is undone; the log says so."]
    assert fake_store.articles.get(1).groups == ("lua",)
    mod.submit("/log/1/undo")
    assert fake_store.articles.get(1).groups == ("redis",)
    said = [each.all("p")[0].words for each in entries(reader)]
    assert said == [
        "mod changed the groups of “On Redis”: into redis, out of lua",
        "mod restored “On Redis”",
        "mod removed “On Redis” : Off topic. undone",
        "mod changed the groups of “On Redis”: into lua, out of redis undone",
    ]
    assert not [
        each for each in mod.open("/log").page.all("form") if each.attrs.get("action") in ("/log/1/undo", "/log/2/undo")
    ]


def offered(person: Browser) -> int:
    """Return how many acts of the log *person* may undo."""
    return len(
        [each for each in person.open("/log").page.all("form") if each.attrs.get("action", "").endswith("/undo")]
    )


def test_undoing_is_offered_only_to_its_moderator_and_only_for_ten_minutes(
    mod: Browser, make_member: MakeMember, reader: Browser, ann: Browser, fake_store: Store
) -> None:
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    ban(fake_store, "mod", "yan")
    others = (reader, ann, make_member("second", Role.MODERATOR), make_member("boss", Role.ADMIN))
    assert [offered(each) for each in others] == [0] * 4
    assert offered(mod) == 1
    token = mod.token()
    fake_store.connection.client.hset("log-entry:1", "time", time.time() - config.UNDO_SECONDS - 1)
    assert offered(mod) == 0
    before = everything(fake_store)
    for id in (1, 2, 99):
        mod.post(f"/log/{id}/undo", {"csrf_token": token})
        assert (mod.status, mod.page.one("p", class_="lead").words) == (409, "This act cannot be undone any more.")
    assert everything(fake_store) == before


def test_what_another_took_back_meanwhile_is_not_said_to_be_undone(mod: Browser, fake_store: Store) -> None:
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    mod.open("/log")
    fake_store.removals.restore(1, NewLogEntry(LogAction.RESTORE, "second", article=1, title="On Redis"))
    mod.submit("/log/1/undo")
    assert (mod.status, mod.page.one("p", class_="lead").words) == (409, "This act cannot be undone any more.")


@pytest.mark.parametrize("fields", [{"next": "//evil.example"}, {"next": "https://evil.example"}, {}])
def test_undoing_leads_nowhere_else(fields: dict[str, Any], mod: Browser) -> None:
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    mod.post("/log/1/undo", fields | {"csrf_token": mod.token()})
    assert mod.location == "/log"
