"""Form tokens: stale ones, those of other sessions, and forms of sessions that have ended."""

from unittest.mock import Mock

import pytest

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeBrowser
from tests.web.state import content
from voteweb.core import passwords
from voteweb.core.errors import Busy
from voteweb.store import Store


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """An article by zoe in one of two groups."""
    factories.article(store, factories.user(store, "zoe"), groups=("python",))
    factories.group(store, "redis")


@pytest.mark.parametrize("address", ["/a/1/vote", "/a/1/groups"])
def test_button_with_a_stale_token_leads_back(address: str, store: Store, mod: Browser) -> None:
    stale = mod.csrf_token()
    mod.log_out().log_in("mod")
    before = content(store)
    for token in (stale, ""):
        mod.post(address, {"csrf_token": token, "next": "/new?page=1", "add": "redis"})
        assert (mod.status, mod.location) == (303, "/new?page=1#a1")
        assert content(store) == before
        assert mod.follow().flashes == [
            "This page was from before your last log-in, so nothing was done. Please press the button again."
        ]
    mod.post(address, {"next": "/"}, headers=JSON)
    assert (mod.status, mod.json["error"]["code"]) == (400, "stale-form")


@pytest.mark.parametrize(
    "referrer", ["", "https://evil.example/", "http://news.example/", "https://news.example:8443/"]
)
def test_valid_token_under_https_needs_our_referrer(referrer: str, make_browser: MakeBrowser, store: Store) -> None:
    bob = make_browser(site_url="https://news.example")
    bob.fill_in("/signup", username="bob", password=PASSWORD)
    fields = {"csrf_token": bob.csrf_token(), "next": "/"}
    for act, sent_from in (("vote", "https://news.example/new"), ("unvote", referrer)):
        bob.post(f"/a/1/{act}", fields, headers={"Referer": sent_from})
        assert store.articles.get(1).votes == 2


def test_form_of_an_ended_session_logs_in_and_is_sent(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " <b>& é 李 “quoted”\n\n    code\n> last line"
    for action, expected in (("/submit", "/a/2"), ("/a/1/comment", "/a/1#c1")):
        bob.open(action)
        store.users.end_sessions("bob")
        bob.submit(action, title="My long thoughts", text=text)
        assert bob.status == 422
        wrong = {"log-in-name": "bob", "log-in-password": "wrong password"}
        bob.submit(action, **wrong)
        assert "No member has this name and this password." in bob.page.by_id("log-in-errors").text
        assert bob.page.one("textarea", name="text").own_text == "\n" + text
        with monkeypatch.context() as patch:  # as many log in at this moment as the machine can check
            patch.setattr(passwords, "find_form", Mock(side_effect=Busy()))
            bob.submit(action, **{"log-in-password": PASSWORD})
        assert "Many people are logging in" in bob.page.by_id("log-in-errors").text
        assert bob.page.one("textarea", name="text").own_text == "\n" + text
        bob.submit(action, **{"log-in-password": PASSWORD})
        assert (bob.status, bob.location) == (303, expected)
    assert store.articles.get(2).text == text.strip("\n")
    assert bob.is_logged_in()


def test_form_of_another_site_logs_nobody_in(bob: Browser, reader: Browser, store: Store) -> None:
    fields = {"title": "A title", "text": "A text", "log-in-name": "bob", "log-in-password": PASSWORD}
    reader.open("/login").post("/submit", {**fields, "csrf_token": bob.csrf_token()})
    assert reader.status == 422
    assert not reader.is_logged_in()
