"""The site that the table of addresses is about, and those who send requests to it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest
from flask import Flask

from tests import factories
from tests.prepared import prepared, restoring
from tests.store.examination import run
from tests.web.addresses.address import (
    ADMIN,
    BANNED,
    LATE,
    MAIL,
    MEMBER,
    MEMBERS,
    MODERATOR,
    PEOPLE,
    POSTER,
    READER,
    ROLES,
    Address,
)  # fmt: skip
from tests.web.addresses.table import ROUTES
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import EMAIL, FORMER, PENDING, content, make_codes, make_links, make_program
from voteweb.core import config, passwords
from voteweb.core.comments import CommentId
from voteweb.core.errors import ArticleGone, CommentGone
from voteweb.core.models import DomainAction, LogAction, LogEntry, Reason, Role, User
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.web.auth import login

MakePerson = Callable[[str], Browser]
URL_ENCODED = "application/x-www-form-urlencoded"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site that moderators invite to, with mail."""
    return replace(settings, signup="invite", **MAIL)


@pytest.fixture(autouse=True)
def site(store: Store, server_url: str) -> None:
    """The site that the table is about: see :func:`build_site`."""
    prepared(store, server_url, build_site)


def build_site(store: Store) -> None:
    """Make articles of the poster, of the late one, a removed one and one to vote for; reports; people; links.

    Article 4 has a reported comment of zoe's and a removed one; the conversation of article 5 is closed. Log entry 1
    can be undone. Each member has an unread entry in the inbox.
    """
    moderator = factories.user(store, MODERATOR, Role.MODERATOR)
    zoe = factories.user(store, "zoe", password_hash=passwords.hash_password(PASSWORD))
    store.users.describe(zoe, "I am zoe.")
    factories.group(store, "redis")
    factories.group(store, "编程")
    factories.article(store, factories.user(store, POSTER), link="", text="one", groups=("python",))
    factories.imported(store, poster=LATE, time=time.time() - 1_000, link="", text="two")
    for _ in range(2):
        factories.article(store, zoe)
    store.articles.set_groups(1, ["redis"], [], LogEntry(LogAction.GROUPS, moderator.name, article=1))
    factories.remove(store, 3, "Off topic.", by=moderator.name)
    for id in (1, 2):
        store.reports.make(id, zoe, Reason.SPAM, "")
    for _ in range(2):
        factories.comment(store, 4, zoe)
    other = factories.user(store, "other-mod", Role.MODERATOR)
    store.reports.make(CommentId(4, 1), other, Reason.SPAM, "")
    factories.remove(store, CommentId(4, 2), by=other.name)
    closing = LogEntry(LogAction.CLOSE, other.name, article=factories.article(store, zoe).id, why="Heated.")
    store.threads.set_closed(closing.article, closing, actor=other, closes=True)
    rule = LogEntry(LogAction.DOMAIN, moderator.name, title="ad.example", why="Ads.")
    store.domain_rules.set("ad.example", DomainAction.REFUSE, rule, actor=moderator)
    note = json.dumps({"by": MODERATOR, "time": "1", "text": "A note."})
    store.connection.command("HSET", store.keys.notes("zoe"), "1", note)
    for name in ("yan", "xan"):
        factories.ban(store, factories.user(store, name).name, by=ADMIN)
    store.bans.answer("xan", "It was not me.")
    _add_removed(store)
    _add_held(store)
    factories.user(store, "other-admin", Role.ADMIN)
    store.account_deletion.start(factories.user(store, "gone"), delete_articles=False)
    store.users.make("hal", "", network="", request="Please let me in.")
    # Comments of article 1: by zoe, by the member, who answers her, and one by zoe to vote for.
    for author, parent in ((zoe, 0), (factories.user(store, MEMBER), 1), (zoe, 0)):
        factories.comment(store, 1, author, parent=parent)
    for name in MEMBERS:
        for key in (store.keys.inbox(name), store.keys.unread(name)):
            store.connection.command("LPUSH", key, "reply 1.1 1")
    make_links(store, inviter=MODERATOR, forgetful="zoe")
    make_program(store, "zoe")


def _add_removed(store: Store) -> None:
    """Add two removed articles of the poster's: 6, and 7, which the poster has answered."""
    poster = factories.user(store, POSTER)
    for id in (6, 7):
        assert factories.article(store, poster, title="Removed", link="", text="x").id == id
        factories.remove(store, id, "Off topic.", by=MODERATOR)
    store.waiting.answer(7, poster, "It is no spam.")


def _add_held(store: Store) -> None:
    """Add article 8 of zoe's, which waits for a moderator because of its link, and 9, which a moderator has edited."""
    mod = factories.user(store, MODERATOR)
    rule = LogEntry(LogAction.DOMAIN, mod.name, title="look.example", why="A look first.")
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=mod)
    store.articles.post(factories.draft(link="https://look.example/"), factories.user(store, "zoe"), factories.token())
    edited = factories.article(store, factories.user(store, POSTER), title="Edited", link="", text="x")
    entry = LogEntry(LogAction.EDIT, mod.name, about=POSTER, article=edited.id, title=edited.title)
    store.articles.edit(edited.id, factories.draft(title="Better", link="", text="x"), mod, entry)


@pytest.fixture
def make_person(make_member: MakeMember, reader: Browser, store: Store) -> MakePerson:
    """A function that returns the browser of one of PEOPLE, who has voted for article 4 and comment 3."""

    def make(person: str) -> Browser:
        if person == READER:
            return reader
        browser = make_member(person, ROLES.get(person, Role.MEMBER))
        store.votes.cast(4, store.users.get(person))
        with suppress(ArticleGone, CommentGone):  # a person who comes after hostile forms
            store.votes.cast(CommentId(1, 3), store.users.get(person))
        choose(store, store.users.get(person))
        store.connection.command("HSET", store.keys.user(person), "email", EMAIL, "email-pending", str(PENDING))
        store.connection.command("SET", store.keys.former_mail(person), str(FORMER), "EX", config.FORMER_EMAIL_SECONDS)
        make_program(store, person)
        if person == MODERATOR:
            store.connection.command("HSET", store.keys.user(person), "second-factor", f"{'0' * 32} 0")
            make_codes(store, person)
        if person == BANNED:
            factories.ban(store, person, by=ADMIN)
        return browser

    return make


def choose(store: Store, member: User) -> None:
    """Make *member* follow and hide the group "redis", hide the poster, a domain and article 4, and save that."""
    factories.choices(store, member, group="redis", hidden=POSTER, article=4)
    for entry in ("gredis", "dexample.org", "a4"):
        store.connection.command("ZADD", store.keys.hides(member.name), 1, entry)


def _names() -> Iterator[tuple[Address, str]]:
    """Yield the name of each part, parameter and field of each address."""
    for address in ROUTES:
        next = ["next"] if address.returns_to is not None else []
        of_request = (*address.fields, *next, "csrf_token") if address.method == "POST" else (*address.parameters, "x")
        for name in (*address.part_names, *of_request):
            yield address, name


class Everybody:
    """Everybody on the site, which is made what it was before each case: a table is walked by one test."""

    def __init__(self, app: Flask, store: Store, make_person: MakePerson) -> None:
        self._app, self._store = app, store
        people = {person: make_person(person) for person in PEOPLE}
        self.tokens = {person: browser.csrf_token() for person, browser in people.items()}
        with people[READER].session():  # the moderator has just given the password there
            login.ask_for_code(store.users.get(MODERATOR))
        self._cookies = {person: browser.client.get_cookie("voteweb") for person, browser in people.items()}
        self._before, self._restore = content(store), restoring(store)
        self._written = self._writes()

    def browser(self, person: str) -> Browser:
        """Return the browser of *person*, on the site as it was before anything was sent."""
        if self._writes() != self._written:
            self._restore()
            self._written = self._writes()
        browser, cookie = Browser(self._app), self._cookies[person]
        assert cookie
        browser.client.set_cookie(cookie.key, cookie.value)
        return browser

    def send(self, address: Address, person: str, browser: Browser | None = None, **options: Any) -> Browser:
        """Send the request of *address*, whatever pages offer; with a *browser*, on the site as it is."""
        browser = browser or self.browser(person)
        if address.method == "GET":
            return browser.open(address.url(person), **options)
        fields = {**address.fields, "csrf_token": self.tokens[person], "next": "/new"}
        return browser.post(address.url(person), fields, **options)

    def post(self, address: Address, fields: Mapping[str, Any], url: str = "", **options: Any) -> Browser:
        """Send *fields* to *address* as somebody who may, with a valid token unless they have another."""
        body = urlencode({"csrf_token": self.tokens[address.sender], **fields}, errors="surrogatepass", doseq=True)
        return self.browser(address.sender).post(url or address.url(), body, content_type=URL_ENCODED, **options)

    def inputs(self, values: Sequence[str]) -> Iterator[tuple[Address, str, Callable[[str], Browser], Sequence[str]]]:
        """Yield each part, parameter and field of each address, a function that sends one, and the *values* to send.

        One function reads the token, and one the page to return to, wherever they are sent, and no view reads x: each
        of these gets one of the values.
        """
        for place, (address, name) in enumerate(_names()):
            is_part = name in address.part_names
            send = partial(self._send_part if is_part else self._send_value, address, name)
            first = place % len(values) if name in ("csrf_token", "next", "x") else None
            yield address, name, send, values if first is None else values[first:][:1]

    def _send_part(self, address: Address, name: str, value: str) -> Browser:
        url = address.url(**{name: value})
        if address.method == "POST":
            return self.post(address, address.fields, url)
        return self.browser(address.sender).open(url)

    def _send_value(self, address: Address, name: str, value: str) -> Browser:
        if address.method == "POST":
            return self.post(address, {**address.fields, name: value})
        return self.browser(address.sender).open(address.url(more_query={name: value}))

    def is_unchanged(self) -> bool:
        """Tell whether the content of the database is what it was; the count of writes tells at once if it is."""
        return self._writes() == self._written or content(self._store) == self._before

    def is_unchanged_but_for(self, *command: Any) -> bool:
        """Tell whether *command*, which changes one field, is all that was written; gaps of ids do no harm."""
        if self._writes() == self._written + 1 and run(self._store, "HGET", *command[1:3]) == command[3]:
            return True
        after = content(self._store)
        self._restore()
        run(self._store, *command)
        return after | {"article:": ""} == content(self._store) | {"article:": ""}

    def _writes(self) -> int:
        return int(run(self._store, "INFO", "persistence")["rdb_changes_since_last_save"])


@pytest.fixture
def everybody(app: Flask, store: Store, make_person: MakePerson) -> Everybody:
    """Everybody on the site of the table."""
    return Everybody(app, store, make_person)
