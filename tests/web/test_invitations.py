"""Joining by invitation, and the one-time link for a forgotten password."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.app import create_app
from voteweb.core import config, passwords
from voteweb.core.config import Settings
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

Enter = Callable[..., Browser]
DEAD = "This invitation is used, withdrawn or past its end. Please ask for a new one."


@pytest.fixture
def enter(settings: Settings, fake_store: Store) -> Enter:
    """Opens a browser at a site where people join by invitation, as *name* if given; *over* are settings."""

    def make(name: str = "", role: Role = Role.MEMBER, **over: Any) -> Browser:
        browser = Browser(create_app(replace(settings, **{"signup": "invite"} | over), fake_store))
        if name:
            factories.user(fake_store, name, role, passwords.hash_password(PASSWORD))
            assert browser.log_in(name).status == 303
        return browser

    return make


def invite(inviter: Browser) -> str:
    """Make an invitation and return the way to use it."""
    inviter.open("/invitations").submit("/invitations")
    assert inviter.follow().flashes == ["The invitation is made. Send its link to one person."]
    return inviter.page.one("ol").all("li")[0].one("a")["href"]


def test_an_invitation_lets_one_person_in(enter: Enter, fake_store: Store) -> None:
    mod, guest, late = enter("mod", Role.MODERATOR), enter(), enter()
    link = invite(mod)
    assert mod.page.one("ol").one("a").words == f"http://localhost{link}"
    assert guest.open(link).status == 200
    assert "mod invited you." in guest.page.one("main").words
    late.open(link)
    guest.submit("/signup", username="carl", password="long enough")
    assert (guest.status, guest.location) == (303, "/")
    assert fake_store.users.get("carl").invited_by == "mod"
    late.submit("/signup", username="dora", password="long enough")
    assert (late.status, fake_store.users.find("dora")) == (403, None)
    assert late.page.one("p", class_="lead").words == DEAD
    assert "Used by carl" in mod.open("/invitations").page.one("ol").words
    assert mod.page.one("p", class_="total").words == "1 of 1 used"


def test_a_name_that_is_taken_does_not_use_the_invitation_up(enter: Enter, fake_store: Store) -> None:
    guest = enter()
    guest.open(invite(enter("eve", Role.MODERATOR))).submit("/signup", username="eve", password="long enough")
    assert guest.error_at("username") == "The name eve is taken."
    assert guest.submit("/signup", username="carl", password="long enough").status == 303


def end(store: Store, link: str, field: str, value: object) -> None:
    """Spoil the invitation behind *link*."""
    store.connection.client.hset(f"invite:{link.partition('=')[2]}", field, value)


@pytest.mark.parametrize(
    ("field", "value"), [("used", "zoe"), ("revoked", "1"), ("until", 1_000)], ids=["used", "revoked", "expired"]
)
def test_a_dead_invitation_says_so_at_once(field: str, value: object, enter: Enter, fake_store: Store) -> None:
    link = invite(enter("mod", Role.MODERATOR))
    end(fake_store, link, field, value)
    guest = enter().open(link)
    assert (guest.status, guest.page.one("p", class_="lead").words) == (403, DEAD)
    guest.post("/signup", {"username": "carl", "password": "long enough", "invite": link.partition("=")[2]})
    assert (guest.status, fake_store.users.find("carl")) == (403, None)


def test_an_invitation_goes_with_whoever_made_it(enter: Enter, fake_store: Store) -> None:
    gone = "Whoever made this invitation is no longer a member. Please ask somebody else for a new one."
    link, guest = invite(enter("mod", Role.MODERATOR)), enter()
    guest.open(link)
    fake_store.users.ban("mod", NewLogEntry(LogAction.BAN, "admin", about="mod", why="Spam."))
    guest.submit("/signup", username="carl", password="long enough")
    assert (guest.status, guest.page.one("p", class_="lead").words) == (403, gone)
    assert (guest.open(link).status, guest.page.one("p", class_="lead").words) == (403, gone)
    assert fake_store.users.find("carl") is None
    fake_store.users.unban("mod", NewLogEntry(LogAction.UNBAN, "admin", about="mod"))
    assert guest.open(link).submit("/signup", username="carl", password="long enough").status == 303


@pytest.mark.parametrize("token", ["nonsense", "x" * 3_000, "<b>", "%00", "a:b"])
def test_an_invitation_that_never_was_says_so(token: str, enter: Enter) -> None:
    guest = enter().open(f"/signup?invite={token}")
    assert guest.status == 403
    assert guest.page.one("p", class_="lead").words.startswith("There is no such invitation.")


def test_without_an_invitation_one_is_asked_for(enter: Enter, fake_store: Store) -> None:
    guest = enter().open("/signup")
    assert (guest.status, guest.heading) == (403, "By invitation")
    assert guest.page.one("p", class_="lead").words.startswith("New members come by invitation: ask ")
    guest.post("/signup", {"username": "carl", "password": "long enough"})
    assert (guest.status, fake_store.users.find("carl")) == (403, None)


def test_a_closed_site_takes_nobody_even_with_an_invitation(enter: Enter, fake_store: Store) -> None:
    link = invite(enter("mod", Role.MODERATOR))
    closed = enter(signup="closed").open(link)
    assert (closed.status, closed.heading) == (403, "Not taking new members")
    assert not closed.page.all("a", href="/signup")


def test_an_open_site_takes_no_notice_of_invitations(enter: Enter, fake_store: Store) -> None:
    link = invite(enter("mod", Role.MODERATOR))
    guest = enter(signup="open").open(link)
    guest.submit("/signup", username="carl", password="long enough")
    assert (guest.status, fake_store.users.get("carl").invited_by) == (303, "")


def test_an_invitation_is_withdrawn(enter: Enter) -> None:
    mod = enter("mod", Role.MODERATOR)
    link = invite(mod)
    mod.submit(f"/invitations/{link.partition('=')[2]}/revoke")
    assert mod.follow().flashes == ["The invitation is withdrawn."]
    assert mod.page.one("ol").words.startswith("Withdrawn")
    assert enter().open(link).status == 403


def test_a_used_invitation_cannot_be_withdrawn(enter: Enter, fake_store: Store) -> None:
    mod = enter("mod", Role.MODERATOR)
    link = invite(mod)
    end(fake_store, link, "used", "carl")
    mod.submit(f"/invitations/{link.partition('=')[2]}/revoke")
    assert (mod.status, mod.page.one("p", class_="lead").words) == (409, "This invitation has been used already.")


@pytest.mark.parametrize(
    ("members_invite", "days", "may"), [(0, 8, False), (1, 6.9, False), (1, 7.1, True)], ids=["not set", "new", "old"]
)
def test_members_invite_where_they_may_and_are_here_a_week(
    members_invite: int, days: float, may: bool, enter: Enter, fake_store: Store
) -> None:
    member = enter("carl", members_invite=members_invite)
    fake_store.connection.client.hset("user:carl", "since", time.time() - days * 86_400)
    assert bool(member.open("/account").page.all("a", href="/invitations")) == may
    assert member.open("/invitations").status == (200 if may else 403)
    member.post("/invitations", {"csrf_token": member.token()})
    assert member.status == (303 if may else 403)
    if may:
        other = enter("dora", members_invite=1)
        token = invite(member).partition("=")[2]
        other.post(f"/invitations/{token}/revoke", {"csrf_token": other.token()})
        assert (other.status, other.page.one("p", class_="lead").words) == (404, "There is no such invitation.")


def test_who_invited_whom_and_the_log_about_a_member_are_for_moderators(enter: Enter, fake_store: Store) -> None:
    mod, guest = enter("mod", Role.MODERATOR), enter()
    guest.open(invite(mod)).submit("/signup", username="carl", password="long enough")
    mod.open("/u/carl").submit("/u/carl/ban", reason="Spam.")
    assert mod.open("/u/carl").page.one("p", class_="lead").one("a", href="/u/mod").words == "mod"
    about = mod.page.one("section", aria_labelledby="about-heading")
    assert about.one("li").words.startswith("mod banned carl : Spam.")
    assert mod.open("/u/mod").page.one("section", aria_labelledby="about-heading").one("a", href="/u/carl")
    for person in (enter(), enter("dora")):
        for name in ("carl", "mod"):
            main = person.open(f"/u/{name}").page.one("main")
            assert not main.all("section", aria_labelledby="about-heading")
            assert "invited" not in main.words.lower()


def test_the_link_for_a_forgotten_password_works_once_and_ends_all_sessions(
    bob: Browser, reader: Browser, fake_store: Store
) -> None:
    link = f"/reset/{fake_store.password_resets.make('bob')}"
    assert reader.open(link).heading == "New password for bob"
    reader.submit(link, new="short")
    assert (reader.status, reader.error_at("new")) == (422, "A password has 8 to 256 characters.")
    reader.submit(link, new="another password")
    assert (reader.status, reader.location) == (303, "/login")
    assert reader.follow().flashes == ["The password is set. Please log in with it."]
    assert reader.log_in("bob", "another password").status == 303
    assert not bob.open("/new").page.all("form", action="/logout")
    for method in (reader.open, reader.post):
        assert method(link).status == 410
        assert reader.heading == "Gone"


@pytest.mark.parametrize("token", ["nonsense", "x" * 3_000, "%00", "<b>"])
def test_a_link_that_never_was_is_410(token: str, reader: Browser) -> None:
    assert reader.open(f"/reset/{token}").status == 410


def test_a_banned_members_link_lets_nobody_in(bob: Browser, fake_store: Store) -> None:
    assert config.RESET_SECONDS == 86_400
    link = f"/reset/{fake_store.password_resets.make('bob')}"
    fake_store.connection.client.hset("user:bob", mapping={"banned": "1", "ban-reason": "Spam."})
    bob.open(link).submit(link, new="another password")
    bob.log_in("bob", "another password")
    assert bob.page.one("div", role="alert").words == "This account is banned: Spam."
