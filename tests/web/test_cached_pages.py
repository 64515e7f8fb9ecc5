"""The site with readers' pages kept: nobody sees what is not theirs, and nothing for longer than a second."""

from dataclasses import replace

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.config import Settings
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry
from voteweb.web.caching import page_cache


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(page_cache, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def app(settings: Settings, fake_store: Store, clock: list[float]) -> Flask:
    """The site as it comes, with its pages kept for a second."""
    factories.article(fake_store, title="First")
    return create_app(replace(settings, page_seconds=1.0), fake_store)


def titles(browser: Browser) -> list[str]:
    return [each.words for each in browser.open("/").page.all("a", class_="title")]


def test_a_reader_sees_a_change_after_a_second(reader: Browser, fake_store: Store, clock: list[float]) -> None:
    assert titles(reader) == ["First"]
    factories.article(fake_store, title="Second")
    assert titles(reader) == ["First"]
    clock[0] += 1
    assert titles(reader) == ["Second", "First"]


def test_a_member_sees_the_own_acts_on_the_next_page(reader: Browser, bob: Browser) -> None:
    assert titles(reader) == ["First"]
    bob.open("/").press("/a/1/vote").follow()
    assert bob.flashes == ["Your vote is counted."]
    assert bob.page.one("button", class_="vote")["aria-pressed"] == "true"
    bob.open("/submit").submit("/submit", title="Mine at once", link="https://example.com/mine").follow()
    assert "Mine at once" in titles(bob)


def test_a_reader_never_sees_what_is_a_members(reader: Browser, bob: Browser, clock: list[float]) -> None:
    for person in (bob, reader, bob, reader):
        person.open("/")
    assert "bob" not in reader.answer.text
    assert "csrf_token" not in reader.answer.text
    assert "Set-Cookie" not in reader.answer.headers
    assert bob.open("/").page.one("a", href="/account").words == "bob"
    assert bob.answer.headers["Cache-Control"] == "private, no-store"


def test_a_removed_article_is_gone_for_all_within_the_second(
    reader: Browser, bob: Browser, fake_store: Store, clock: list[float]
) -> None:
    assert [reader.open(path).status for path in ("/", "/a/1")] == [200, 200]
    fake_store.removals.remove(1, NewLogEntry(LogAction.REMOVE, "mod", about="ann", article=1, title="First", why="Spam."))
    assert titles(bob) == []
    clock[0] += 1
    assert titles(reader) == []
    assert reader.open("/a/1").status == 410


def test_each_language_has_its_own_pages(reader: Browser, app: Flask) -> None:
    assert reader.open("/").page.one("html")["lang"] == "en"
    chinese = Browser(app)
    assert chinese.open("/", headers={"Accept-Language": "zh-CN"}).page.one("html")["lang"] == "zh-Hans"
    reader.post("/language", {"language": "zh", "next": "/"})
    assert reader.open("/").page.one("html")["lang"] == "zh-Hans"
    assert Browser(app).open("/").page.one("html")["lang"] == "en"


@pytest.mark.parametrize("path", ["/login", "/signup"])
def test_forms_with_a_token_are_for_one_reader(path: str, app: Flask) -> None:
    tokens = {Browser(app).open(path).page.one("main").one("input", name="csrf_token")["value"] for _ in range(3)}
    assert len(tokens) == 3


def test_health_is_asked_for_each_time(reader: Browser, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(type(app.extensions["voteweb.store"].connection), "ping", lambda self: asked.append(1))
    for _ in range(3):
        assert reader.open("/healthz").status == 200
    assert len(asked) == 3


def test_logging_in_and_out_changes_the_page_at_once(reader: Browser, app: Flask, fake_store: Store) -> None:
    factories.user(fake_store, "bob", Role.MEMBER, passwords.hash_password(PASSWORD))
    assert "Log in" in reader.open("/").page.one("header").words
    reader.log_in("bob")
    assert "Log out" in reader.open("/").page.one("header").words
    reader.submit("/logout").follow()
    assert "Log in" in reader.open("/").page.one("header").words


def test_a_kept_page_carries_no_id_of_the_request_it_was_made_for(reader: Browser, app: Flask) -> None:
    for _ in range(2):
        assert "X-Request-Id" not in reader.open("/").answer.headers
    assert reader.open("/nowhere").answer.headers["X-Request-Id"]
