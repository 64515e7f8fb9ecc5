"""The site with its page cache: readers see changes within a second, and nothing of members."""

from dataclasses import replace

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.settings import Settings
from voteweb.store import Store


@pytest.fixture
def app(settings: Settings, store: Store, clock: list[float]) -> Flask:
    """The site with an article and its default of cached pages."""
    factories.article(store, title="First")
    return create_app(replace(settings, page_seconds=1.0), store)


def test_pages_of_a_conversation_are_cached(reader: Browser, store: Store, clock: list[float]) -> None:
    factories.comment(store, 1)
    for path in ("/a/1", "/a/1?order=new", "/a/1?order=time&page=1", "/a/1/c/1"):
        reader.open(path)
        assert "Set-Cookie" not in reader.headers
        factories.comment(store, 1, text=f"Later than {path}")
        assert f"Later than {path}" not in reader.open(path).text, path


def test_reader_never_gets_a_members_page(reader: Browser, bob: Browser) -> None:
    for person in (bob, reader, bob, reader):
        person.open("/")
    assert "bob" not in reader.text
    assert "csrf_token" not in reader.text
    assert {"Set-Cookie", "X-Request-Id"}.isdisjoint(reader.headers.keys()), "the id is that of whoever made the page"
    assert bob.open("/").page.one("summary", class_="own-name").text == "bob"
    assert bob.headers["Cache-Control"] == "private, no-store"


def test_a_strangers_token_is_given_to_nobody_else(app: Flask) -> None:
    for path in ("/login", "/signup"):
        browser = Browser(app).open(path)
        token = browser.value("csrf_token").partition(".")[0]
        attacker = app.test_client(use_cookies=False)
        for spelling in ("voteweb=", "voteweb =", "x;voteweb\t="):
            response = attacker.get(path, headers={"Cookie": spelling + browser.session_cookie})
            assert token in response.text
            assert response.headers["Cache-Control"] == "private, no-store"
            assert token not in Browser(app).open(path).text, (path, spelling)
