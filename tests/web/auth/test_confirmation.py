"""Bans, merges of groups and acts of admins need the actor's own password again an hour after the last check."""

import pytest

from tests import factories
from tests.store.examination import run
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeMember
from voteweb.core.models import Role
from voteweb.store import Store

pytestmark = pytest.mark.site(limits=1)

ACTS = [("ban", {"reason": "Spam & <b>ham</b>"}), ("role", {"role": "moderator"})]
HOUR = 3_600


@pytest.fixture
def boss(make_member: MakeMember, store: Store) -> Browser:
    """An admin whose password was checked a minute more than an hour ago."""
    browser = make_member("boss", Role.ADMIN)
    factories.user(store, "eve")
    for field, value in run(store, "HGETALL", "sessions:boss").items():
        if field != "of":
            began, rest = value.split(",", 1)
            run(store, "HSET", "sessions:boss", field, f"{int(began) - HOUR - 60},{rest}")
    return browser


def is_changed(store: Store) -> bool:
    eve = store.users.get("eve")
    return bool(eve.banned) or eve.role is not Role.MEMBER


@pytest.mark.parametrize(("act", "fields"), ACTS)
def test_act_goes_on_after_the_password_with_what_was_typed(
    act: str, fields: dict[str, str], boss: Browser, store: Store
) -> None:
    boss.open("/u/eve/ban" if act == "ban" else "/u/eve").submit(f"/u/eve/{act}", **fields)
    assert (boss.status, is_changed(store)) == (403, False)
    boss.submit(f"/u/eve/{act}", **{"own-password": "not this one"})
    assert (boss.status, is_changed(store)) == (403, False)
    assert boss.intro == "This is not your password."
    boss.submit(f"/u/eve/{act}", **{"own-password": PASSWORD})
    assert (boss.location, is_changed(store)) == ("/u/eve", True)
    assert store.users.get("eve").ban_reason == fields.get("reason", "")
    factories.user(store, "zed")
    assert boss.open("/u/zed").submit("/u/zed/role", role="moderator").status == 303, "asked again within minutes"


def test_switch_is_set_after_the_password(boss: Browser, store: Store) -> None:
    boss.open("/admin").submit("/admin/announcement", words="We move.")
    assert (boss.status, store.site_settings.read_switches().announcement) == (403, None)
    assert boss.submit("/admin/announcement", **{"own-password": PASSWORD}).location == "/admin"


def test_groups_are_merged_after_the_password(boss: Browser, store: Store) -> None:
    for name in ("go", "golang"):
        factories.group(store, name)
    boss.post("/g/go/merge", {"csrf_token": boss.csrf_token(), "into": "golang"})
    assert (boss.status, run(store, "EXISTS", "group-aliases:")) == (403, 0)
    assert boss.submit("/g/go/merge", **{"own-password": PASSWORD}).location == "/g/golang"


def test_guesses_of_the_password_are_limited(boss: Browser, store: Store) -> None:
    boss.post("/u/eve/ban", {"csrf_token": boss.csrf_token(), "reason": "Spam."}, headers=JSON)
    assert (boss.status, boss.response.json["error"]["code"]) == (403, "password-needed")
    boss.open("/u/eve/ban").submit("/u/eve/ban", reason="Spam.")
    for _ in range(6):
        boss.submit("/u/eve/ban", **{"own-password": "not this one"})
    boss.submit("/u/eve/ban", **{"own-password": PASSWORD})
    assert (boss.status, is_changed(store)) == (403, False)
    assert boss.intro.startswith("You have reached the limit of")
