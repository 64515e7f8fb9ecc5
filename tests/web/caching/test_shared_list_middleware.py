"""Lists of members that are answered before Flask: as Flask would answer, with every check."""

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.errors import Unavailable
from voteweb.store import Store
from voteweb.store.viewers import Viewers
from voteweb.web.caching.shared_list_middleware import SharedListMiddleware


@pytest.fixture
def app(settings: Settings, store: Store) -> Flask:
    """A site with one list, which it keeps as long as a test takes."""
    factories.article(store, title="First")
    return create_app(replace(settings, page_seconds=60.0), store)


@pytest.fixture
def member(app: Flask, store: Store) -> Browser:
    """A member who has read the list, so that a frame is kept."""
    browser = Browser(app)
    browser.start_session(factories.user(store, "bob"))
    browser.open("/new")
    return browser


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> list[bytes | None]:
    """The pages that the layer has sent, None for each request that it read in vain."""
    pages: list[bytes | None] = []
    fill = SharedListMiddleware._fill

    def record(*arguments: Any) -> bytes | None:
        pages.append(None)
        pages[-1] = fill(*arguments)
        return pages[-1]

    monkeypatch.setattr(SharedListMiddleware, "_fill", record)
    return pages


def test_answer_has_the_headers_of_flask(app: Flask, member: Browser, answered: list[bytes | None]) -> None:
    headers = {"Accept-Language": "zh"}
    from_flask = member.open("/new", headers=headers).response
    assert not answered
    from_frame = member.open("/new", headers=headers).response
    assert len(answered) == 1
    assert from_frame.data == from_flask.data == answered[0]
    ids = {"X-Request-Id"}
    assert [h for h in from_frame.headers if h[0] not in ids] == [h for h in from_flask.headers if h[0] not in ids]


def test_first_page_of_a_session_may_come_from_a_frame(app: Flask, store: Store, member: Browser) -> None:
    """Its form token is valid, though nothing has been signed for this session before."""
    browser = Browser(app)
    browser.start_session(factories.user(store, "cid"))
    assert browser.open("/new").press("/a/1/vote").status == 303


def test_message_is_shown(member: Browser, answered: list[bytes | None]) -> None:
    member.press("/a/1/vote")
    member.client.delete_cookie("acted")
    assert "Your vote has been counted." in _messages(member.open("/new"))
    assert not answered
    assert not _messages(member.open("/new"))
    assert answered


def _messages(browser: Browser) -> str:
    return browser.response.text.partition("data-status>")[2].partition("</div>")[0].strip()


def test_failure_is_answered_as_by_a_view(member: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise Unavailable()

    monkeypatch.setattr(Viewers, "queue_read", fail)
    response = member.open("/new").response
    assert (response.status_code, response.headers["Cache-Control"]) == (503, "private, no-store")
    assert "Retry-After" in response.headers
    assert "</html>" in response.text


def test_error_is_a_page_without_details(app: Flask, member: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(Viewers, "queue_read", fail)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    response = member.open("/new").response
    assert response.status_code == 500
    assert "secret" not in response.text
    assert "</html>" in response.text
