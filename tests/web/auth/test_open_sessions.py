"""Open sessions: log-out ends them on the server, /account lists them, and none is renewed by its copy."""

import time
from collections.abc import Callable

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run, snapshot
from tests.web.auth.test_sessions import SESSION_SECONDS
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeApp
from voteweb.core import config
from voteweb.store import Store

FIREFOX = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
SAFARI = {
    "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
}


def copy_of(browser: Browser) -> Browser:
    """Return another browser with the session cookie of *browser*."""
    thief = Browser(browser.client.application)
    thief.client.set_cookie("voteweb", browser.session_cookie)
    return thief


def session_labels(browser: Browser) -> list[str]:
    """Return what the page of all that lets in says about each open session."""
    return browser.open("/account/access").page.by_id("sessions").one("tbody").texts("tr")


def age(store: Store, seconds: int, *, used: int = 0) -> None:
    """Move the beginning of all sessions of bob into the past; *used* is when they were used last, from then."""
    for field, value in run(store, "HGETALL", "sessions:bob").items():
        if field != "of":
            began, _, rest = value.split(",", 2)
            run(store, "HSET", "sessions:bob", field, f"{int(began) - seconds},{used},{rest}")


def test_logout_ends_a_copied_cookies_session_and_no_other(bob: Browser, reader: Browser, store: Store) -> None:
    factories.article(store)
    reader.log_in("bob")
    thief = copy_of(bob.open("/"))
    fields = {"csrf_token": thief.csrf_token(), "next": "/"}
    assert thief.is_logged_in()
    bob.log_out()
    assert (bob.status, bob.location) == (303, "/")
    assert not bob.is_logged_in()
    assert "Set-Cookie" not in bob.open("/").headers
    assert reader.is_logged_in()
    copy = copy_of(thief)
    assert not copy.is_logged_in()
    assert "voteweb=;" in copy.headers["Set-Cookie"]
    assert thief.post("/a/1/vote", fields).location.startswith("/login?next=/%23a1")
    assert store.articles.get(1).votes == 1


@pytest.mark.parametrize(
    ("seconds", "used", "is_open"),
    [
        (SESSION_SECONDS + 60, 0, False),
        (SESSION_SECONDS + 60, 120, True),
        (config.MAX_SESSION_SECONDS + 60, config.MAX_SESSION_SECONDS - 60, False),
    ],
)
def test_a_session_ends_if_unused_and_after_a_year(
    seconds: int, used: int, is_open: bool, bob: Browser, store: Store
) -> None:
    factories.article(store)
    fields = {"csrf_token": bob.csrf_token(), "next": "/"}
    age(store, seconds, used=used)
    assert copy_of(bob).is_logged_in() is is_open
    assert (bob.post("/a/1/vote", fields).location == "/#a1") is is_open
    assert (store.articles.get(1).votes == 2) is is_open


@pytest.mark.parametrize("form", ["/a/1/vote", "/account/sessions"])
def test_only_forms_note_uses_and_at_most_one_a_day(form: str, bob: Browser, store: Store) -> None:
    factories.article(store)

    def changes(act: Callable[[], object]) -> bool:
        before = run(store, "HGETALL", "sessions:bob")
        act()
        return bool(run(store, "HGETALL", "sessions:bob") != before)

    fields = {"csrf_token": bob.csrf_token(), "next": "/"}
    age(store, config.SESSION_USE_SECONDS - 60)
    assert not changes(lambda: bob.post(form, fields))
    age(store, 120)
    assert not changes(lambda: bob.open("/account"))
    assert changes(lambda: bob.post("/a/1/unvote" if "vote" in form else form, fields))
    assert abs(run(store, "EXPIRETIME", "sessions:bob") - time.time() - SESSION_SECONDS) < 60
    assert not changes(lambda: bob.post(form, fields))


def test_account_lists_sessions_and_ends_one_the_others_or_this(
    bob: Browser, reader: Browser, app: Flask, store: Store
) -> None:
    bob.log_out()
    for browser, headers in ((bob, FIREFOX), (reader, SAFARI)):
        assert browser.send("/login", headers=headers, username="bob", password=PASSWORD).status == 303
    with bob.client.session_transaction() as cookie:
        assert cookie["sid"] not in str(run(store, "HGETALL", "sessions:bob"))
    here, there = sorted(session_labels(bob), key=lambda label: "Safari" in label)
    assert here.startswith("Firefox, Linux")
    assert there.startswith("Safari, iPhone")
    assert ["this browser" in label for label in (here, there)] == [True, False]
    item = next(item for item in bob.page.by_id("sessions").all("tr") if "Safari" in item.text)
    bob.send("/account/sessions", end=item.one("button")["value"])
    assert bob.location == "/account/access#sessions"
    assert bob.follow().flashes == ["The session has ended."]
    assert (reader.is_logged_in(), bob.is_logged_in()) == (False, True)
    others = [Browser(app).log_in("bob"), Browser(app).log_in("bob")]
    bob.send("/account/sessions", end="others")
    assert bob.follow().flashes == ["All other sessions have ended."]
    assert not any(browser.is_logged_in() for browser in others)
    assert len(session_labels(bob)) == 1
    own = bob.page.by_id("sessions").one("button", name="end")["value"]
    assert bob.submit("/account/sessions", end=own).location == "/login"
    assert bob.follow().flashes == ["You have been logged out."]
    assert not bob.is_logged_in()


def test_ending_an_unknown_session_changes_nothing(bob: Browser, ann: Browser, store: Store) -> None:
    (foreign,) = (field for field in run(store, "HGETALL", "sessions:ann") if field != "of")
    for digest in ("", "of", "nonsense", foreign, "x" * 5_000):
        bob.send("/account/sessions", end=digest)
        assert (bob.status, bob.location) == (303, "/account/access#sessions")
        assert bob.follow().flashes == ["This session had already ended."]
    assert bob.is_logged_in()
    assert ann.is_logged_in()


def test_a_member_has_at_most_twenty_sessions(app: Flask, bob: Browser, store: Store) -> None:
    age(store, 60)
    browsers = [Browser(app).start_session(bob.user) for _ in range(config.MAX_SESSIONS)]
    assert run(store, "HLEN", "sessions:bob") == config.MAX_SESSIONS + 1
    assert not bob.is_logged_in()
    assert all(browser.is_logged_in() for browser in browsers)


def test_the_cookie_of_an_ended_session_uses_up_no_limit(make_app: MakeApp, bob: Browser, store: Store) -> None:
    thief = Browser(make_app(limits=1)).log_in("bob")
    token = {"csrf_token": thief.open("/account").csrf_token()}
    cookie = thief.session_cookie
    run(store, "DEL", "sessions:bob")
    before = {key for key in snapshot(store) if key.startswith("limit:")}
    for address, fields in (("/account", {"old": "x", "new": "y"}), ("/submit", {"title": "x"})):
        for _ in range(12):
            thief.client.set_cookie("voteweb", cookie)
            assert thief.post(address, fields | token).status in (303, 422)
    assert {key for key in snapshot(store) if key.startswith("limit:")} <= before
