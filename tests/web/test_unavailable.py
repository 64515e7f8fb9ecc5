"""Redis unavailable: a clear response within the deadline, and recovery without a restart."""

import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from tests import factories
from tests.conftest import MakeStore
from tests.web.api.program import ACTS, Program
from tests.web.browser import JSON, PASSWORD, Browser, fields_of
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.errors import Unavailable
from voteweb.core.models import Role
from voteweb.core.settings import Settings
from voteweb.store import open_store
from voteweb.store.connection.connection import Connection

DEADLINE = 0.1
READERS_PAGES = "/ /new /good /groups /g/python /g/python/new /g/python+redis /a/1 /u/ann /?page=2".split()
MEMBERS_PAGES = [*READERS_PAGES, *"/submit /about /groups/new /g/python/edit /login /signup".split()]
FORMS = ["/a/1/vote", "/a/1/unvote", "/a/1/groups", "/submit", "/groups/new", "/g/python/edit"]


class Link:
    """A path to the socket of the database, which can be cut and restored."""

    def __init__(self, path: Path, target: str) -> None:
        self.path = path
        self._target = target
        os.symlink(target, path)

    def cut(self, app: Flask) -> None:
        """Close all connections of *app* and prevent new ones, for which it waits DEADLINE."""
        self.path.unlink()
        _set_deadline(app, DEADLINE)

    def restore(self, app: Flask) -> None:
        os.symlink(self._target, self.path)
        _set_deadline(app, 10.0)


def _set_deadline(app: Flask, seconds: float) -> None:
    connection = app.extensions["voteweb.store"].connection
    connection.deadline, pool = seconds, connection.client.connection_pool
    pool.disconnect()
    pool.connection_kwargs.update(dict.fromkeys(("socket_timeout", "socket_connect_timeout"), seconds))
    pool.reset()


@pytest.fixture
def link(settings: Settings, tmp_path: Path) -> Link:
    """The path over which the site reaches its database."""
    return Link(tmp_path / "redis.sock", settings.redis_url.removeprefix("unix://"))


@pytest.fixture
def app(link: Link, settings: Settings, make_store: MakeStore) -> Iterator[Flask]:
    """A site with an article."""
    make_store()
    store = open_store(replace(settings, redis_url=f"unix://{link.path}", limits=1))
    factories.article(store, groups=("python", "redis"))
    factories.user(store, "mod", Role.MODERATOR, passwords.hash_password(PASSWORD))
    yield create_app(replace(settings, search=0), store)
    store.connection.close()


@pytest.fixture
def moderator(app: Flask) -> Browser:
    return Browser(app).log_in("mod")


@pytest.fixture
def exceeded_deadlines(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list with one item for each deadline that has passed without an answer of Redis."""
    exceeded: list[int] = []
    retry_until_deadline = Connection.retry_until_deadline

    def record(self: Connection, *arguments: Any, **options: Any) -> Any:
        try:
            return retry_until_deadline(self, *arguments, **options)
        except Unavailable:
            exceeded.append(1)
            raise

    monkeypatch.setattr(Connection, "retry_until_deadline", record)
    return exceeded


def assert_unavailable(browser: Browser, exceeded_deadlines: list[int]) -> None:
    """Fail unless the last response, after one deadline, is a page of the site that says that Redis is unavailable."""
    assert browser.status == 503
    assert int(browser.headers["Retry-After"]) > 0
    assert browser.heading == "Temporarily unavailable"
    assert "cannot reach its database" in browser.intro
    assert browser.page.one("a", class_="wordmark")
    assert "Traceback" not in browser.text
    assert len(exceeded_deadlines) == 1, "one deadline for the whole response"
    exceeded_deadlines.clear()


def test_every_page_and_form_says_so_within_the_deadline(
    link: Link, moderator: Browser, reader: Browser, exceeded_deadlines: list[int]
) -> None:
    token = moderator.csrf_token()
    reader.open("/login")
    link.cut(reader.client.application)
    assert_unavailable(reader.submit("/login", username="mod", password=PASSWORD), exceeded_deadlines)
    for browser, addresses in ((reader, READERS_PAGES), (moderator, MEMBERS_PAGES)):
        for address in addresses:
            assert_unavailable(browser.open(address), exceeded_deadlines)
    for address in FORMS:
        assert_unavailable(moderator.post(address, {"csrf_token": token, "next": "/"}), exceeded_deadlines)
    moderator.post("/a/1/vote", headers=JSON | {"X-CSRFToken": token})
    assert (moderator.status, moderator.json["error"]["code"]) == (503, "unavailable")


def test_every_act_of_a_program_says_so_within_the_deadline(
    link: Link, app: Flask, exceeded_deadlines: list[int]
) -> None:
    program = Program(app, "mod")
    assert program.send("GET /articles/1").status == 200
    link.cut(app)
    for request, body in [("GET /articles", None), *((act.request, act.body) for act in ACTS.values())]:
        answer = program.send(request, body)
        assert answer.problem == (503, "unavailable")
        assert int(answer.headers["Retry-After"]) > 0
        assert len(exceeded_deadlines) == 1
        exceeded_deadlines.clear()


def test_pages_that_note_nothing_are_read_while_writes_are_paused(
    reader: Browser, moderator: Browser, settings: Settings
) -> None:
    pages = [(reader, path) for path in READERS_PAGES] + [(moderator, path) for path in MEMBERS_PAGES]
    read = [(browser, path) for browser, path in pages if "+" not in path and (browser, path) != (moderator, "/a/1")]
    before = [browser.open(path).status for browser, path in read]
    with Redis.from_url(settings.redis_url) as other:
        other.client_pause(60_000, all=False)
        try:
            assert [browser.open(path).status for browser, path in read] == before
        finally:
            other.client_unpause()


@pytest.mark.parametrize("path", ["/", "/a/1/vote"])
def test_request_waits_only_once_for_a_database_that_never_answers(
    path: str, app: Flask, link: Link, settings: Settings
) -> None:
    """A new process also asks for the switches of the site, before a page and before a vote."""
    store = app.extensions["voteweb.store"]
    member = Browser(create_app(replace(settings, search=0), store)).start_session(store.users.get("mod"))
    form, attempts = {"csrf_token": member.csrf_token()}, list[float]()
    link.cut(app)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(link.path))
        silent.listen()
        store.connection.on_round_trip = attempts.append
        response = member.post(path, form) if path.endswith("vote") else member.open(path)
    assert (response.status, len(attempts)) == (503, 1)


def test_form_is_sent_again_from_the_page_that_says_so(link: Link, moderator: Browser, app: Flask) -> None:
    text = 'The "first" words\r\n<b>\r\n'
    moderator.open("/submit")
    link.cut(app)
    moderator.submit("/submit", title="On locks", link="", text=text, groups=["python", "redis"])
    sent = moderator.response
    moderator.post("/submit", {"csrf_token": "another site's", "title": "On locks"})
    assert (moderator.status, moderator.page.one("main").all("form")) == (503, [])
    moderator.response = sent
    link.restore(app)
    assert moderator.submit("/submit").status == 303
    article = app.extensions["voteweb.store"].articles.get(2)
    assert (article.title, article.text, article.groups) == ("On locks", 'The "first" words\n<b>', ("python", "redis"))
    fields = fields_of(moderator.open("/account").form("/account"))
    link.cut(app)
    page = moderator.post("/account", fields | {"old": PASSWORD, "new": "another secret"})
    assert (page.status, PASSWORD in page.response.text, page.page.one("main").all("form")) == (503, False, [])


def test_health_says_why_and_site_and_session_recover_without_restart(
    link: Link, moderator: Browser, app: Flask
) -> None:
    health = {"status": "ok", "reasons": []}
    assert (moderator.open("/healthz").status, moderator.json) == (200, health)
    link.cut(app)
    down = {"status": "down", "reasons": ["Redis does not answer"]}
    assert (moderator.open("/healthz").status, moderator.json) == (503, down)
    assert int(moderator.headers["Retry-After"]) > 0
    assert moderator.open("/").status == 503
    link.restore(app)
    assert moderator.open("/").status == 200
    assert moderator.is_logged_in()
    assert (moderator.open("/healthz").status, moderator.json) == (200, health)


def test_scripts_are_loaded_again_into_a_server_without_them(moderator: Browser, make_store: MakeStore) -> None:
    client: Redis = make_store().connection.client
    client.script_flush()
    moderator.fill_in("/submit", title="After a restart", link="https://example.com/")
    assert moderator.location == "/a/2"
    client.script_flush()
    assert moderator.open("/g/python+redis").page.by_id("a1")
    client.script_flush()
    moderator.open("/new").submit("/a/2/groups", add="python")
    assert "The article is now in: python." in moderator.follow().page.by_id("a2").text
