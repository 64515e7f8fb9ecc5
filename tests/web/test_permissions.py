"""Who may do what: every act by direct post, with a valid token of whoever sends it."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import TOKEN, everything, know_token
from voteweb.core.config import Settings
from voteweb.core.models import LogAction, Reason, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

MakePerson = Callable[[str], tuple[Browser, str]]

MEMBERS = ("member", "poster", "late")
STAFF = ("moderator", "admin")
ROLES = {"moderator": Role.MODERATOR, "admin": Role.ADMIN}
PEOPLE = ("reader", *MEMBERS, *STAFF, "banned")


class Deal(NamedTuple):
    """An act: where it is sent to, with which fields, who may do it, and what those who may not are told.

    ``{id}`` is the article of the late poster for that one, and of the other poster for everybody else.
    """

    name: str
    address: str
    fields: dict[str, Any]
    allowed: tuple[str, ...]
    refusal: int = 403
    method: str = "POST"


DEALS = [
    Deal("see the form to edit", "/a/{id}/edit", {}, ("poster", *STAFF), method="GET"),
    Deal("edit", "/a/{id}/edit", {"title": "Another title", "text": "words"}, ("poster", *STAFF)),
    Deal("delete", "/a/{id}/delete", {}, ("poster",)),
    Deal("set groups", "/a/{id}/groups", {"add": "redis"}, STAFF),
    Deal("remove", "/a/{id}/remove", {"reason": "Spam."}, STAFF),
    Deal("restore", "/a/3/restore", {}, STAFF),
    Deal("read what was removed", "/a/3", {}, STAFF, 410, "GET"),
    Deal("report", "/a/{id}/report", {"reason": "spam"}, ("member", *STAFF)),
    Deal("dismiss", "/a/{id}/dismiss", {}, STAFF),
    Deal("see the reports", "/reports", {}, STAFF, method="GET"),
    Deal("ban", "/u/zoe/ban", {"reason": "Spam."}, STAFF),
    Deal("ban a moderator", "/u/other-mod/ban", {"reason": "Spam."}, ("admin",)),
    Deal("ban an admin", "/u/other-admin/ban", {"reason": "Spam."}, ()),
    Deal("ban who has left", "/u/gone/ban", {"reason": "Spam."}, ()),
    Deal("unban", "/u/yan/unban", {}, STAFF),
    Deal("set a role", "/u/zoe/role", {"role": "moderator"}, ("admin",)),
    Deal("set the role of who has left", "/u/gone/role", {"role": "admin"}, ()),
    Deal("undo an act of the moderator's", "/log/1/undo", {}, ("moderator",)),
    Deal("make a group", "/groups/new", {"name": "go", "title": "Go"}, STAFF),
    Deal("change a group", "/g/redis/edit", {"title": "Valkey"}, STAFF),
    Deal("invite", "/invitations", {}, STAFF),
    Deal("see the own invitations", "/invitations", {}, STAFF, method="GET"),
    Deal("withdraw the moderator's invitation", f"/invitations/{TOKEN}/revoke", {}, STAFF, 404),
    Deal("change the password", "/account", {"old": PASSWORD, "new": "another password"}, (*MEMBERS, *STAFF)),
    Deal("see the account", "/account", {}, (*MEMBERS, *STAFF), method="GET"),
    Deal("log out everywhere", "/account/logout-everywhere", {}, (*MEMBERS, *STAFF)),
    Deal("download the data", "/account/data", {}, (*MEMBERS, *STAFF), method="GET"),
    Deal("delete the account", "/account/delete", {"password": PASSWORD, "articles": "keep"}, (*MEMBERS, *STAFF)),
    Deal("vote", "/a/{id}/vote", {}, ("member", *STAFF), 409),
    Deal("take a vote back", "/a/4/unvote", {}, (*MEMBERS, *STAFF)),
]
#: Who may do what to oneself, though the same is allowed to others.
TO_ONESELF = [
    ("moderator", "/u/moderator/ban", {"reason": "Spam."}),
    ("moderator", "/u/moderator/role", {"role": "admin"}),
    ("admin", "/u/admin/ban", {"reason": "Spam."}),
    ("admin", "/u/admin/role", {"role": "member"}),
]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site whose moderators invite."""
    return replace(settings, signup="invite")


@pytest.fixture
def make_person(make_member: MakeMember, reader: Browser, fake_store: Store) -> MakePerson:
    """Makes one of PEOPLE, with a valid token of the own session."""

    def make(name: str) -> tuple[Browser, str]:
        if name == "reader":
            return reader, reader.open("/login").page.one("input", name="csrf_token")["value"]
        person = make_member(name, ROLES.get(name, Role.MEMBER))
        token = person.token()
        fake_store.votes.cast(4, fake_store.users.get(name))
        if name == "banned":
            fake_store.users.ban(name, NewLogEntry(LogAction.BAN, "admin", about=name, why="Spam."))
        return person, token

    return make


@pytest.fixture(autouse=True)
def site(fake_store: Store) -> None:
    """Articles of the poster, of the late one, a removed one, zoe's; reports, people, an act to undo, an invitation."""
    factories.article(fake_store, factories.user(fake_store, "poster"), link="", text="one", groups=("redis",))
    factories.imported(fake_store, poster="late", time=time.time() - 1_000, link="", text="two")
    factories.article(fake_store, factories.user(fake_store, "zoe"))
    factories.article(fake_store, factories.user(fake_store, "zoe"))
    fake_store.articles.set_groups(1, [], ["redis"], NewLogEntry(LogAction.GROUPS, "moderator", article=1))
    fake_store.removals.remove(3, NewLogEntry(LogAction.REMOVE, "moderator", about="zoe", article=3, why="Off topic."))
    for id in (1, 2):
        fake_store.reports.make(id, factories.user(fake_store, "zoe"), Reason.SPAM, "")
    fake_store.users.ban(factories.user(fake_store, "yan").name, NewLogEntry(LogAction.BAN, "admin", about="yan", why="Spam."))
    factories.user(fake_store, "other-mod", Role.MODERATOR)
    factories.user(fake_store, "other-admin", Role.ADMIN)
    fake_store.account_deletion.start(factories.user(fake_store, "gone"), delete_articles=False)
    know_token(fake_store, inviter="moderator")


def send(person: Browser, deal: Deal, token: str, id: int, headers: dict[str, str] | None = None) -> None:
    """Do *deal* by hand, whatever the pages of *person* offer."""
    address = deal.address.format(id=id)
    if deal.method == "GET":
        person.open(address, headers=headers)
    else:
        person.post(address, deal.fields | {"csrf_token": token, "next": "/new"}, headers=headers)


@pytest.mark.parametrize(
    ("deal", "who"), [pytest.param(d, who, id=f"{d.name}-{who}") for d in DEALS for who in d.allowed]
)
def test_each_act_is_done_by_those_who_may(deal: Deal, who: str, make_person: MakePerson, fake_store: Store) -> None:
    person, token = make_person(who)
    before = everything(fake_store)
    send(person, deal, token, 2 if who == "late" else 1)
    assert person.status in ((200,) if deal.method == "GET" else (303,))
    assert not person.answer.headers.get("Location", "").startswith("/login?")
    assert (everything(fake_store) != before) == (deal.method == "POST")


@pytest.mark.parametrize("deal", DEALS, ids=[deal.name for deal in DEALS])
def test_each_act_is_refused_to_all_others_and_changes_nothing(
    deal: Deal, make_person: MakePerson, fake_store: Store
) -> None:
    people = {who: make_person(who) for who in PEOPLE if who not in deal.allowed}
    before = everything(fake_store)
    for who, (person, token) in people.items():
        for headers in (JSON, {}):
            send(person, deal, token, 2 if who == "late" else 1, headers)
            assert everything(fake_store) == before, who
            assert person.status == expected(deal, who, by_script=bool(headers)), who
            if person.status == 303:
                assert person.location.startswith(
                    "/new#a" if deal.name == "vote" and who in MEMBERS else "/login?next=/"
                )


def expected(deal: Deal, who: str, *, by_script: bool) -> int:
    """Return the status with which *deal* is refused to *who*."""
    if who in ("reader", "banned") and deal.address != "/a/3":
        # The form of an article is shown again, with what was typed and the way to log in.
        return 401 if by_script else 422 if deal.name == "edit" else 303
    if deal.name == "vote":
        return 409 if by_script else 303  # a form leads back to its list, which says what was wrong
    if who == "admin" and "undo" in deal.name:
        return 409
    return deal.refusal


@pytest.mark.parametrize(("who", "address", "fields"), TO_ONESELF)
def test_nobody_bans_or_promotes_oneself(
    who: str, address: str, fields: dict[str, str], make_person: MakePerson, fake_store: Store
) -> None:
    person, token = make_person(who)
    before = everything(fake_store)
    person.post(address, fields | {"csrf_token": token})
    assert (person.status, everything(fake_store)) == (403, before)


def test_every_address_that_takes_a_post_is_in_the_table(app: Flask) -> None:
    """But for those anybody may use: joining, logging in and out, a link for a password, the language; and posting."""
    match = app.url_map.bind("localhost").match
    tried = {match(deal.address.format(id=1), "POST")[0] for deal in DEALS if deal.method == "POST"}
    posts = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    free = {"auth.signup", "auth.login", "auth.logout", "auth.reset", "language.choose"}
    assert tried | free | {"articles.submit"} == posts
