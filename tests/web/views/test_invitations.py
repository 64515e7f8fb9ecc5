"""Joining by invitation."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeBrowser
from voteweb.core import passwords
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.schema.values import digest_of

Enter = Callable[..., Browser]
INVALID = "This invitation has expired, or was used or withdrawn. Please ask for a new one."


@pytest.fixture
def enter(make_browser: MakeBrowser, store: Store) -> Enter:
    """A function that returns a browser at a site where people join by invitation, logged in as *name* if given."""

    def make(name: str = "", role: Role = Role.MEMBER, **changes: Any) -> Browser:
        browser = make_browser(**{"signup": "invite"} | changes)
        if name:
            browser.start_session(factories.user(store, name, role, passwords.hash_password(PASSWORD)))
        return browser

    return make


def invite(inviter: Browser) -> str:
    """Make an invitation and return its link, which is shown once."""
    inviter.fill_in("/invitations")
    created, _advice = inviter.follow().flashes
    assert created.startswith("Invitation created. Send its link to one person: http://localhost/signup?invite=")
    link = created.partition("http://localhost")[2]
    assert token_of(link) not in inviter.open("/invitations").text
    return link


def test_invitation_is_for_one_person(enter: Enter, store: Store) -> None:
    mod, guest, late = enter("mod", Role.MODERATOR), enter(), enter()
    link = invite(mod)
    assert guest.open(link).status == 200
    assert "mod invited you." in guest.main
    late.open(link)
    assert guest.submit("/signup", username="carl", password="long enough").status == 303
    assert store.users.get("carl").invited_by == "mod"
    late.submit("/signup", username="late", password="long enough")
    assert (late.status, store.users.find("late")) == (403, None)
    assert late.intro == INVALID
    assert "Used by carl" in mod.open("/invitations").page.one("ol").text
    mod.send(f"/invitations/{digest_of(token_of(link))}/revoke")
    assert (mod.status, mod.intro) == (409, "This invitation has been used already.")


def token_of(link: str) -> str:
    return link.partition("=")[2]


def test_signup_needs_an_invitation(enter: Enter, store: Store) -> None:
    guest = enter()
    for query, message in (
        ("", "You need an invitation to sign up: "),
        ("?invite=a:b", "There is no such invitation."),
    ):
        assert (guest.open(f"/signup{query}").status, guest.intro.startswith(message)) == (403, True)
    link = invite(enter("mod", Role.MODERATOR))
    factories.ban(store, "mod", by="admin")
    assert guest.open(link).intro.startswith("The person who made this invitation is no longer a member.")
    guest.post("/signup", {"username": "carl", "password": "long enough"})
    assert (guest.status, store.users.find("carl")) == (403, None)


def test_open_site_ignores_invitations(enter: Enter, store: Store) -> None:
    link = invite(enter("mod", Role.MODERATOR))
    guest = enter(signup="open").open(link)
    guest.submit("/signup", username="carl", password="long enough")
    assert (guest.status, store.users.get("carl").invited_by) == (303, "")


def test_members_of_a_week_may_invite_if_so_configured(enter: Enter, store: Store) -> None:
    member = enter("carl", members_invite=1)
    for days, status in ((6.9, 403), (7.1, 200)):
        store.connection.client.hset("user:carl", "since", time.time() - days * 86_400)
        assert bool(member.open("/account").page.all("a", href="/invitations")) is (status == 200)
        assert member.open("/invitations").status == status
    assert invite(member)


def test_only_moderators_see_who_invited_a_member(enter: Enter, store: Store) -> None:
    mod, guest = enter("mod", Role.MODERATOR), enter()
    guest.open(invite(mod)).submit("/signup", username="carl", password="long enough")
    mod.fill_in("/u/carl/ban", reason="Spam.")
    assert mod.open("/u/carl").page.one("p", class_="intro").one("a", href="/u/mod").text == "mod"
    about = mod.page.one("section", aria_labelledby="about-heading")
    assert about.one("li").text.startswith("mod banned carl : Spam.")
    assert mod.open("/u/mod").page.one("section", aria_labelledby="about-heading").one("a", href="/u/carl")
    for name in ("carl", "mod"):
        assert "invited" not in enter("dora").open(f"/u/{name}").main.lower()


def test_moderators_page_through_the_invitations_of_a_member(enter: Enter, store: Store) -> None:
    mod, carl = enter("mod", Role.MODERATOR, signup="open"), enter("carl")
    tokens = [store.invitations.make(store.users.get("carl")) for _ in range(30)]
    mod.open("/u/carl")
    mod.open(mod.page.one("a", href="/invitations?by=carl")["href"])
    assert (len(mod.page.one("ol").all("li")), mod.page.one("p", class_="total").text) == (25, "30 invitations")
    mod.open_next()
    mod.submit(f"/invitations/{digest_of(tokens[0])}/revoke")
    assert mod.location == "/invitations?by=carl&page=2"
    assert mod.follow().page.one("ol").text.endswith("Withdrawn")
    assert carl.open("/invitations?by=mod").status == 403
    assert mod.open("/invitations?by=nobody").status == 404
