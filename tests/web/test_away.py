"""Redis away: a clear answer within the deadline, and all is well again without a restart."""

import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from tests import factories
from tests.conftest import MakeStore
from tests.web.browser import JSON, PASSWORD, Browser
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.config import Settings
from voteweb.core.errors import Unavailable
from voteweb.core.models import Role
from voteweb.store import open_store
from voteweb.store.connection.connection import Connection

DEADLINE = 0.1
PAGES = ["/", "/new", "/good", "/groups", "/g/python", "/g/python/new", "/g/python+redis", "/a/1", "/u/ann", "/?page=2"]
MEMBERS_PAGES = [*PAGES, "/submit", "/about", "/groups/new", "/g/python/edit", "/login", "/signup"]
POSTS = ["/a/1/vote", "/a/1/unvote", "/a/1/groups", "/submit", "/groups/new", "/g/python/edit"]


@pytest.fixture
def door(settings: Settings, tmp_path: Path) -> Path:
    """A path where the server's socket can be made to appear and to disappear."""
    return tmp_path / "redis.sock"


@pytest.fixture
def site(door: Path, settings: Settings, make_store: MakeStore) -> Iterator[Browser]:
    """A moderator, logged in, at a site whose database is behind the *door*, which is open."""
    os.symlink(settings.redis_url.removeprefix("unix://"), door)
    store = open_store(replace(settings, redis_url=f"unix://{door}", redis_deadline=DEADLINE, limits=1))
    factories.article(store, groups=("python", "redis"))
    factories.user(store, "mod", Role.MODERATOR, passwords.hash_password(PASSWORD))
    yield Browser(create_app(settings, store)).log_in("mod")
    store.connection.client.close()


def shut(door: Path, site: Browser) -> None:
    """Take the database away: no new connection, and none of the old ones."""
    door.unlink()
    store = site.client.application.extensions["voteweb.store"]
    store.connection.client.connection_pool.disconnect()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one each time that a deadline is waited for in vain."""
    counted: list[int] = []
    insist = Connection.insist

    def counting(self: Connection, *arguments: Any, **more: Any) -> Any:
        try:
            return insist(self, *arguments, **more)
        except Unavailable:
            counted.append(1)
            raise

    monkeypatch.setattr(Connection, "insist", counting)
    return counted


def assert_away(browser: Browser, waits: list[int]) -> None:
    """Fail unless the last answer says in the site's look, and after one deadline, that Redis is away."""
    assert browser.status == 503
    assert int(browser.answer.headers["Retry-After"]) > 0
    assert browser.heading == "Back in a moment"
    assert "cannot reach its database" in browser.page.one("p", class_="lead").words
    assert browser.page.one("a", class_="wordmark")
    assert "Traceback" not in browser.answer.text
    assert len(waits) == 1, "one deadline for the whole answer"
    waits.clear()


def test_every_page_and_every_button_says_so_within_the_deadline(door: Path, site: Browser, waits: list[int]) -> None:
    token = site.token()
    reader = Browser(site.client.application)
    shut(door, site)
    for browser, addresses in ((reader, PAGES), (site, MEMBERS_PAGES)):
        for address in addresses:
            browser.open(address)
            assert_away(browser, waits)
    for address in POSTS:
        site.post(address, {"csrf_token": token, "next": "/"})
        assert_away(site, waits)


def test_a_database_that_takes_calls_but_never_answers_is_away_as_well(
    door: Path, site: Browser, waits: list[int]
) -> None:
    shut(door, site)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(door))
        silent.listen()
        for address in ("/", "/a/1"):
            site.open(address)
            assert_away(site, waits)


def test_pages_that_need_nothing_of_redis_are_served(door: Path, site: Browser) -> None:
    reader = Browser(site.client.application)
    shut(door, site)
    for address in ("/login", "/signup", "/static/site.css"):
        assert reader.open(address).status == 200
    assert reader.open("/nowhere").status == 404
    assert reader.open("/submit").status == 503


def test_logging_in_says_so_too(door: Path, site: Browser, waits: list[int]) -> None:
    reader = Browser(site.client.application)
    reader.open("/login")
    shut(door, site)
    reader.submit("/login", username="mod", password=PASSWORD)
    assert_away(reader, waits)


def test_script_is_told_in_json(door: Path, site: Browser) -> None:
    token = site.token()
    shut(door, site)
    site.post("/a/1/vote", headers=JSON | {"X-CSRFToken": token})
    assert (site.status, site.answer.json["error"]["code"]) == (503, "unavailable")
    assert int(site.answer.headers["Retry-After"]) > 0


def test_health_says_so_and_why(door: Path, site: Browser) -> None:
    assert (site.open("/healthz").status, site.answer.json) == (200, {"status": "ok", "reasons": []})
    shut(door, site)
    assert (site.open("/healthz").status, site.answer.json) == (
        503,
        {"status": "down", "reasons": ["Redis does not answer"]},
    )
    assert int(site.answer.headers["Retry-After"]) > 0


def test_all_is_well_again_without_a_restart_and_the_session_still_holds(
    door: Path, site: Browser, settings: Settings
) -> None:
    shut(door, site)
    assert site.open("/").status == 503
    os.symlink(settings.redis_url.removeprefix("unix://"), door)
    assert site.open("/").status == 200
    assert site.page.all("form", action="/logout")
    assert site.open("/healthz").status == 200


def test_a_server_that_lost_the_scripts_is_given_them_again(
    door: Path, site: Browser, settings: Settings, make_store: MakeStore
) -> None:
    client: Redis = make_store().connection.client
    client.script_flush()
    site.open("/submit").submit("/submit", title="After a restart", link="https://example.com/")
    assert site.location == "/a/2"
    client.script_flush()
    assert site.open("/g/python+redis").page.by_id("a1")
    client.script_flush()
    site.open("/new").submit("/a/2/groups", add="python")
    assert site.follow().flashes == ["The article is now in: python."]
