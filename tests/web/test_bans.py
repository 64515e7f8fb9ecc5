"""Bans, and the other ways in which sessions end: at once, everywhere, with a reason."""

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import everything
from voteweb.core import passwords
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

HOSTILE = "<b>&amp;</b> \"quotes\" 'too' {{ 7*7 }} %(x)s"


@pytest.fixture
def bobs(app: Flask, bob: Browser) -> list[Browser]:
    """Three browsers in which bob is logged in."""
    more = [Browser(app), Browser(app)]
    for each in more:
        each.log_in("bob")
    return [bob, *more]


def is_logged_in(browser: Browser) -> bool:
    """Tell whether the pages of this browser are a member's."""
    return bool(browser.open("/new").page.all("form", action="/logout"))


def test_a_ban_ends_every_session_with_its_next_request_and_says_why(bobs: list[Browser], mod: Browser) -> None:
    mod.open("/u/bob").submit("/u/bob/ban", reason=HOSTILE)
    assert (mod.status, mod.location) == (303, "/u/bob")
    assert mod.follow().flashes == ["bob is banned and logged out everywhere."]
    says = [f"This account is banned: {HOSTILE}"]
    on_a_page, by_a_button, by_script = bobs
    assert on_a_page.open("/new").flashes == says
    assert not is_logged_in(on_a_page)
    assert on_a_page.flashes == []
    by_a_button.post("/submit", {"csrf_token": "any", "title": "One more", "text": "words"})
    assert by_a_button.flashes == says
    assert not is_logged_in(by_a_button)
    by_script.post("/a/1/vote", {}, headers=JSON)
    assert by_script.status in (400, 401)
    assert by_script.open("/new").flashes == says


def test_whoever_is_banned_cannot_log_in_and_is_told_why_only_with_the_password(
    bob: Browser, reader: Browser, fake_store: Store
) -> None:
    fake_store.users.ban("bob", NewLogEntry(LogAction.BAN, "mod", about="bob", why=HOSTILE))
    reader.log_in("bob", "not this one")
    assert reader.page.one("div", role="alert").words == "No member has this name and this password."
    reader.log_in("bob")
    assert (reader.status, reader.page.one("div", role="alert").words) == (422, f"This account is banned: {HOSTILE}")
    assert not is_logged_in(reader)


def test_whoever_is_banned_cannot_post_or_vote(bob: Browser, fake_store: Store) -> None:
    factories.article(fake_store)
    token = bob.token()
    fake_store.users.ban("bob", NewLogEntry(LogAction.BAN, "mod", about="bob", why="Spam."))
    before = everything(fake_store)
    cookie = bob.client.get_cookie("voteweb")
    assert cookie is not None
    for address in ("/a/1/vote", "/submit", "/a/1/report", "/account"):
        bob.client.set_cookie("voteweb", cookie.value)  # whoever kept the cookie
        bob.post(address, {"csrf_token": token, "title": "One more", "text": "words", "reason": "spam"})
        assert bob.status in (303, 422)
    assert everything(fake_store) == before


def test_a_password_that_was_changed_while_being_banned_lets_nobody_in(bob: Browser, fake_store: Store) -> None:
    """As when the ban comes between reading the form and storing the new password."""
    fake_store.users.ban("bob", NewLogEntry(LogAction.BAN, "mod", about="bob", why="Spam."))
    fake_store.users.set_password("bob", passwords.hash_password(PASSWORD))
    with bob.client.session_transaction() as session:
        session["_user_id"] = f"{fake_store.users.get('bob').session}:bob"
    assert not is_logged_in(bob)


def test_a_ban_is_shown_to_all_and_taken_back(mod: Browser, reader: Browser, bob: Browser, fake_store: Store) -> None:
    mod.open("/u/bob").submit("/u/bob/ban", reason="Spam.")
    words = reader.open("/u/bob").page.one("p", class_="wrong").words
    assert words.startswith("Banned since ")
    assert words.endswith(": Spam.")
    assert not mod.open("/u/bob").page.all("form", action="/u/bob/ban")
    mod.submit("/u/bob/unban")
    assert mod.follow().flashes == ["bob can log in again."]
    assert not reader.open("/u/bob").page.all("p", class_="wrong")
    assert not is_logged_in(bob)
    assert is_logged_in(bob.log_in("bob"))


@pytest.mark.parametrize("reason", ["", " ", "x" * 301])
def test_a_ban_needs_a_reason_and_keeps_what_was_typed(reason: str, mod: Browser, bob: Browser) -> None:
    mod.open("/u/bob").submit("/u/bob/ban", reason=reason)
    form = mod.form("/u/bob/ban")
    assert mod.status == 422
    assert form.one("p", role="alert").words
    assert form.one("input", name="reason")["value"] == reason
    assert is_logged_in(bob)
    assert mod.submit("/u/bob/ban", reason="Spam.").location == "/u/bob"


def test_who_may_be_banned_is_offered_and_nobody_else(
    mod: Browser, bob: Browser, reader: Browser, make_member: MakeMember
) -> None:
    boss = make_member("boss", Role.ADMIN)
    make_member("second", Role.MODERATOR)
    for person, may in ((reader, []), (bob, []), (mod, ["bob"]), (boss, ["bob", "mod", "second"])):
        names = ["bob", "mod", "second", "boss"]
        assert [name for name in names if person.open(f"/u/{name}").page.all("form", action=f"/u/{name}/ban")] == may


def test_logging_out_everywhere_ends_all_sessions(bobs: list[Browser]) -> None:
    bobs[0].open("/account").submit("/account/logout-everywhere")
    assert bobs[0].location == "/login"
    assert bobs[0].follow().flashes == ["You are logged out everywhere."]
    assert [is_logged_in(each) for each in bobs] == [False] * 3
    assert bobs[1].flashes == []


def test_a_new_password_ends_all_other_sessions_but_not_this_one(bobs: list[Browser], reader: Browser) -> None:
    bobs[0].open("/account").submit("/account", old=PASSWORD, new="another password")
    assert bobs[0].location == "/account"
    assert bobs[0].follow().flashes == ["Your password is changed. Every other session has ended."]
    assert [is_logged_in(each) for each in bobs] == [True, False, False]
    assert reader.log_in("bob").status == 422
    assert reader.log_in("bob", "another password").status == 303


def test_another_role_counts_at_once_and_ends_no_session(
    make_member: MakeMember, bob: Browser, reader: Browser, fake_store: Store
) -> None:
    boss = make_member("boss", Role.ADMIN)
    boss.open("/u/bob").submit("/u/bob/role", role="moderator")
    assert boss.follow().flashes == ["bob has the role moderator now."]
    assert bob.open("/reports").status == 200
    assert reader.open("/u/bob").page.one("p", class_="lead").words.startswith("Moderator · ")
    for role in ("", "owner", "<b>"):
        boss.post("/u/bob/role", {"csrf_token": boss.token(), "role": role})
        assert (boss.status, boss.page.one("p", class_="lead").words) == (400, "There is no such role.")
    boss.open("/u/bob").submit("/u/bob/role", role="member")
    assert bob.open("/reports").status == 403
    assert fake_store.users.get("bob").role is Role.MEMBER
