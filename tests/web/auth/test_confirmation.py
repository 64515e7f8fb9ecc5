"""Bans, merges of groups and acts of admins need the actor's own password again an hour after the last check."""

from typing import Any

import pytest

from tests import factories
from tests.store.examination import run
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import content
from voteweb.core.models import Role
from voteweb.store import Store

pytestmark = pytest.mark.site(limits=1)

#: Acts that need the password: the address of each form, its fields, and where it leads.
ACTS = [
    ("/u/eve/ban", {"reason": "Spam & <b>ham</b>"}, "/u/eve"),
    ("/u/eve/ban", {"reason": "Spam.", "spam": "1"}, "/u/eve"),
    ("/ban", {"reason": "Spam.", "name": "eve"}, "/members?of=banned"),
    ("/u/mod/undo", {"since": "hour"}, "/log?kind=undo"),
    ("/u/eve/role", {"role": "moderator"}, "/u/eve"),
    ("/admin/announcement", {"words": "We move."}, "/admin"),
    ("/g/go/merge", {"into": "golang"}, "/g/go"),
]
HOUR = 3_600


@pytest.fixture
def boss(make_member: MakeMember, store: Store) -> Browser:
    """An admin whose password was checked a minute more than an hour ago."""
    browser = make_member("boss", Role.ADMIN)
    factories.user(store, "eve")
    factories.ban(store, factories.user(store, "raider").name, by=factories.user(store, "mod").name)
    for name in ("go", "golang"):
        factories.group(store, name)
    for field, value in run(store, "HGETALL", "sessions:boss").items():
        if field != "of":
            began, rest = value.split(",", 1)
            run(store, "HSET", "sessions:boss", field, f"{int(began) - HOUR - 60},{rest}")
    return browser


def stored(store: Store) -> dict[str, Any]:
    """Return everything in the database but what limits count."""
    return {key: value for key, value in content(store).items() if not key.startswith("limit:")}


@pytest.mark.parametrize(("path", "fields", "target"), ACTS)
def test_act_goes_on_after_the_password_with_what_was_typed(
    path: str, fields: dict[str, str], target: str, boss: Browser, store: Store
) -> None:
    before = stored(store)
    boss.send(path, **fields)
    assert (boss.status, stored(store)) == (403, before)
    boss.submit(path, **{"own-password": "not this one"})
    assert (boss.status, boss.intro, stored(store)) == (403, "This is not your password.", before)
    assert boss.submit(path, **{"own-password": PASSWORD}).location == target
    assert stored(store) != before
    assert store.users.get("eve").ban_reason == fields.get("reason", "")
    factories.user(store, "zed")
    assert boss.open("/u/zed").submit("/u/zed/role", role="moderator").status == 303, "asked again within minutes"


def test_guesses_of_the_password_are_limited(boss: Browser, store: Store) -> None:
    boss.send("/u/eve/ban", headers=JSON, reason="Spam.")
    assert (boss.status, boss.json["error"]["code"]) == (403, "password-needed")
    boss.fill_in("/u/eve/ban", reason="Spam.")
    for _ in range(6):
        boss.submit("/u/eve/ban", **{"own-password": "not this one"})
    boss.submit("/u/eve/ban", **{"own-password": PASSWORD})
    assert (boss.status, store.users.get("eve").banned) == (403, 0)
    assert boss.intro.startswith("The limit is 5 password checks, then one in 6 min: the next in ")
