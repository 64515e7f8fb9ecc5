"""Sessions in cookies: who brings one is believed for as long as sessions last, and no longer."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from itsdangerous.timed import TimestampSigner

from tests import factories
from tests.web.browser import Browser
from voteweb.store import Store
from voteweb.web.auth import sessions

DAY = 86_400
#: How long a log-in lasts, unless a setting says otherwise.
LASTS = 30 * DAY


@pytest.fixture
def content(fake_store: Store) -> dict[str, Any]:
    """What a session of bob's holds."""
    bob = factories.user(fake_store, "bob")
    return {"_user_id": f"{bob.session}:{bob.id}:bob", "_permanent": True, "csrf_token": "0" * 40}


def signed(app: Flask, content: dict[str, Any], age: float, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the cookie that held *content* so many seconds ago."""
    signer = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]
    now = datetime.now(UTC).timestamp()
    with monkeypatch.context() as patch:
        patch.setattr(TimestampSigner, "get_timestamp", lambda self: int(now - age))
        return str(signer.dumps(content))


def is_logged_in(browser: Browser) -> bool:
    return bool(browser.open("/").page.all("form", action="/logout"))


@pytest.mark.parametrize(
    ("age", "is_good"), [(0, True), (LASTS - 60, True), (LASTS + 60, False), (10 * LASTS, False), (-60, False)]
)
def test_a_session_is_good_for_as_long_as_sessions_last(
    age: float, is_good: bool, app: Flask, reader: Browser, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.client.set_cookie("voteweb", signed(app, content, age, monkeypatch))
    for _ in range(3):
        assert is_logged_in(reader) is is_good


def test_a_session_grows_old_also_where_it_was_looked_at(
    app: Flask, reader: Browser, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    later = timedelta(0)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) + later

    reader.client.set_cookie("voteweb", signed(app, content, 0, monkeypatch))
    monkeypatch.setattr(sessions, "datetime", Clock)
    assert is_logged_in(reader)
    later = timedelta(seconds=LASTS + 60)
    assert not is_logged_in(reader)
    later = timedelta(0)
    assert is_logged_in(reader)


def test_what_a_request_does_to_its_session_stays_with_it(
    app: Flask, reader: Browser, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    flashes = [("message", "Said by this cookie.")]
    cookie = signed(app, content | {"_flashes": flashes}, 0, monkeypatch)
    for _ in range(3):
        reader.client.set_cookie("voteweb", cookie)
        assert reader.open("/").flashes == ["Said by this cookie."]
        assert reader.open("/").flashes == [], "the answer set another cookie"
    reader.client.set_cookie("voteweb", cookie)
    reader.post("/a/99/vote", {"csrf_token": "none", "next": "/"})  # which flashes too
    reader.client.set_cookie("voteweb", cookie)
    assert reader.open("/").flashes == ["Said by this cookie."]


@pytest.mark.parametrize(
    "spoil", [lambda it: it[:-1], lambda it: f"x{it}", lambda it: it.replace(".", "", 1), lambda _: "."]
)
def test_a_cookie_that_is_not_quite_ours_is_a_readers(
    spoil: Any, app: Flask, reader: Browser, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = signed(app, content, 0, monkeypatch)
    for value, is_good in ((cookie, True), (spoil(cookie), False), (cookie, True), (spoil(cookie), False)):
        reader.client.set_cookie("voteweb", value)
        assert is_logged_in(reader) is is_good
