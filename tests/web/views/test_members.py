"""Lists of members: who moderates, for everybody; the newest, the banned and a search, for moderators."""

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.core import config
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


def names(browser: Browser) -> list[str]:
    return [row.all("a")[0].text for row in browser.page.one("main").all("li")]


def test_moderators_are_shown_to_everybody(reader: Browser, store: Store) -> None:
    for name, role in (("zoe", Role.MODERATOR), ("amy", Role.MODERATOR), ("boss", Role.ADMIN), ("old", Role.MODERATOR)):
        factories.user(store, name)
        store.users.set_role(name, role, NewLogEntry(LogAction.ROLE, "boss", about=name, why=role))
    store.users.set_role("old", Role.MEMBER, NewLogEntry(LogAction.ROLE, "boss", about="old", why="member"))
    assert names(reader.open("/moderators")) == ["boss", "amy", "zoe"]
    factories.ban(store, "amy")
    assert names(reader.open("/moderators?again")) == ["boss", "zoe"]


def test_moderators_see_the_newest_members_and_search(mod: Browser, store: Store) -> None:
    for name in ("Carl", "carla", "c_x", "eve"):
        factories.user(store, name)
    factories.article(store, store.users.get("eve"))
    assert names(mod.open("/members"))[:4] == ["eve", "c_x", "carla", "Carl"]
    assert "1 article" in mod.page.one("main").all("li")[0].text
    for typed, found in (("CAR", ["Carl", "carla"]), ("c_", ["c_x"]), ("*", []), ("c?", []), ("[ce]", [])):
        assert names(mod.open("/members", query_string={"q": typed})) == found, typed


def test_banned_members_are_listed_once_while_banned(mod: Browser, store: Store) -> None:
    for name in ("eve", "kim"):
        factories.user(store, name)
        factories.ban(store, name)
    store.bans.lift("eve", NewLogEntry(LogAction.UNBAN, "mod", about="eve"))
    assert names(mod.open("/members?of=banned")) == ["kim"]
    factories.ban(store, "eve")
    assert names(mod.open("/members?of=banned")) == ["eve", "kim"]
    assert "Spam." in mod.page.one("main").text


def test_search_that_is_cut_off_says_so(mod: Browser, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(150):
        factories.user(store, f"member{number}")
    for number, value in (("MEMBER_SCAN_STEPS", 1), ("READ_BATCH_SIZE", 10)):
        monkeypatch.setattr(config, number, value)
    assert "There may be more" in mod.open("/members?q=mem").page.one("main").text
