"""Session cookies: valid as long as sessions last, if the site has signed them."""

import time
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeApp
from voteweb.core import config
from voteweb.store import Store
from voteweb.web.auth import sessions
from voteweb.web.auth.sessions import Signer

#: The default length of a session.
SESSION_SECONDS = 30 * 86_400


@pytest.fixture
def content(store: Store) -> dict[str, Any]:
    """The content of a session of bob."""
    bob = factories.user(store, "bob")
    store.sessions.open(bob, "token")
    return {"_user_id": f"{bob.session}:{bob.id}:bob", "sid": "token", "_permanent": True, "csrf_token": "0" * 40}


def signed(app: Flask, content: dict[str, Any], age: float, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a cookie with *content* that was signed *age* seconds ago."""
    assert isinstance(app.session_interface, sessions.SessionInterface)
    signer = app.session_interface.get_signing_serializer(app)
    assert signer
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(Signer, "get_timestamp", lambda self: int(now - age))
        return str(signer.dumps(content))


def test_verified_cookie_is_valid_as_long_as_any_session(
    app: Flask, reader: Browser, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = signed(app, content, 0, monkeypatch)
    longest = config.MAX_SESSION_SECONDS
    for seconds, is_valid in (
        (0, True), (longest - 60, True), (longest + 60, False), (0, True), (-60, True),  # another machine is ahead
    ):  # fmt: skip
        clock = SimpleNamespace(now=lambda later=seconds: time.time() + later)
        monkeypatch.setattr(sessions, "clock", clock)
        reader.client.set_cookie("voteweb", cookie)
        assert reader.is_logged_in() is is_valid


def test_requests_with_one_cookie_do_not_share_changes(
    app: Flask, reader: Browser, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    flashes = [("message", "A message of this cookie.")]
    cookie = signed(app, content | {"_flashes": flashes}, 0, monkeypatch)
    for _ in range(3):
        reader.client.set_cookie("voteweb", cookie)
        assert reader.open("/").flashes == ["A message of this cookie."]
        assert reader.open("/").flashes == [], "the answer set another cookie"
    reader.client.set_cookie("voteweb", cookie)
    reader.post("/a/99/vote", {"csrf_token": "none", "next": "/"})  # which flashes too
    reader.client.set_cookie("voteweb", cookie)
    assert reader.open("/").flashes == ["A message of this cookie."]


@pytest.mark.parametrize(
    "damage", [lambda it: it[:-1], lambda it: f"x{it}", lambda it: it.replace(".", "", 1), lambda _: "."]
)
def test_damaged_cookie_is_a_readers(
    damage: Any, app: Flask, reader: Browser, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = signed(app, content, 0, monkeypatch)
    without_id = signed(app, {name: content[name] for name in content if name != "sid"}, 0, monkeypatch)
    for value, is_valid in (
        (without_id, False),
        (cookie, True),
        (damage(cookie), False),
        (cookie, True),
        (damage(cookie), False),
    ):
        reader.client.set_cookie("voteweb", value)
        assert reader.is_logged_in() is is_valid


def test_cookie_without_prefix_is_a_readers(
    make_app: MakeApp, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(site_url="https://news.example")
    browser = Browser(app)
    browser.client.set_cookie("voteweb", signed(app, content, 0, monkeypatch), domain="news.example")
    assert not browser.is_logged_in()
