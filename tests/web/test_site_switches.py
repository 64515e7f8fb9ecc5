"""Switches on pages: in force within a second in every process, before and in Flask, for one round trip a second."""

from dataclasses import replace

import pytest

from tests import factories
from tests.store.test_site_switches import set_switch
from tests.web.aging import Clock as PageClock
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import Clock, CountRoundTrips
from tests.web.escaping import HOSTILE
from voteweb.app import create_app
from voteweb.core.errors import Unavailable
from voteweb.core.models import LogAction, LogEntry, Role, User
from voteweb.core.ranking_trial import change_weights
from voteweb.core.settings import Settings
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store import Store, build_store


@pytest.fixture
def root(store: Store) -> User:
    factories.article(store)
    return factories.user(store, "root", Role.ADMIN)


def notices(browser: Browser, address: str = "/") -> list[str]:
    return browser.open(address).page.texts("p", class_="announcement")


@pytest.mark.parametrize("page_seconds", [0.0, 60.0])
def test_a_switch_holds_in_every_process_within_a_second(
    page_seconds: float, root: User, store: Store, settings: Settings, switch_clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Two servers of one site have each a reader and a member who look at the list that is kept for a minute."""
    bob = factories.user(store, "bob")
    PageClock().rule(monkeypatch)
    kept = replace(settings, page_seconds=page_seconds)
    apps = [create_app(kept, build_store(store.connection, kept)) for _ in range(2)]
    browsers = [browser for app in apps for browser in (Browser(app), Browser(app).start_session(bob))]
    for _ in range(2):
        assert [notices(browser) for browser in browsers] == [[]] * 4
    set_switch(store, root, SwitchName.ANNOUNCEMENT, "/a/1", HOSTILE)
    set_switch(store, root, SwitchName.READ_ONLY, ON, "Back at nine.")
    entry = LogEntry(LogAction.WEIGHTS, "root")
    store.site_settings.change_settings(lambda old: change_weights(old, good_votes=3), entry)
    switch_clock.now += 1.01
    for browser in browsers:
        assert notices(browser) == [HOSTILE, "Read-only Back at nine."]
        assert browser.page.all("p", class_="announcement")[0].one("a")["href"] == "/a/1"
        assert "An article with 3 votes or more" in browser.open("/about").page.text
    for member in browsers[1::2]:
        for headers in (JSON, {}):
            assert member.send("/a/1/vote", headers=headers, next="/new").status == 503
            assert "nothing was saved: Back at nine." in member.text
    set_switch(store, root, SwitchName.READ_ONLY, "")
    switch_clock.now += 1.01
    assert browsers[1].send("/a/1/vote").status == 303
    assert store.articles.get(1).votes == 2


def test_a_silent_database_keeps_each_request_waiting_for_switches_once(
    root: User, store: Store, bob: Browser, switch_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def time_out(_: object) -> None:
        switch_clock.now += 2.0
        asked.append(switch_clock.now)
        raise Unavailable

    set_switch(store, root, SwitchName.READ_ONLY, ON, "Repairs.")
    token = bob.open("/new").csrf_token()
    switch_clock.now += 5
    with monkeypatch.context() as silent:
        silent.setattr(type(store.site_settings), "read_switches", time_out)
        for seconds, count in ((0.0, 1), (3.0, 1), (2.1, 2)):
            switch_clock.now += seconds
            assert (notices(bob, "/new"), len(asked)) == (["Read-only Repairs."], count)
        assert bob.post("/a/1/vote", {"csrf_token": token}).status == 503, "the last known switches hold"
    set_switch(store, root, SwitchName.READ_ONLY, "")
    switch_clock.now += 5.1
    assert notices(bob) == []


def test_switches_are_read_once_a_second_at_most(
    root: User, store: Store, bob: Browser, switch_clock: Clock, count_round_trips: CountRoundTrips
) -> None:
    set_switch(store, root, SwitchName.ANNOUNCEMENT, ON, "Hello.")
    assert count_round_trips(bob.open, "/new") == 1

    def open_later() -> None:
        switch_clock.now += 1.01
        bob.open("/new")

    assert count_round_trips(open_later) == 2


def test_a_read_only_site_allows_login_but_refuses_pending_votes(
    root: User, store: Store, reader: Browser, bob: Browser, switch_clock: Clock
) -> None:
    reader.open("/").press("/a/1/vote")
    set_switch(store, root, SwitchName.READ_ONLY, ON, "Repairs.")
    switch_clock.now += 1.01
    reader.follow()
    reader.submit("/login", username="bob", password=PASSWORD)
    assert "nothing was saved: Repairs." in " ".join(reader.follow().flashes)
    assert reader.is_logged_in()
    assert store.articles.get(1).votes == 1


def test_switches_override_who_joins_and_how_many_articles_are_held(
    root: User, store: Store, reader: Browser, switch_clock: Clock
) -> None:
    signup = {"username": "carl", "password": PASSWORD}
    set_switch(store, root, SwitchName.SIGNUP, "closed")
    assert (reader.open("/signup").status, reader.open("/").page.all("a", href="/signup")) == (403, [])
    assert "/signup" not in reader.open("/login").text
    set_switch(store, root, SwitchName.SIGNUP, "")
    set_switch(store, root, SwitchName.HOLD_POSTS, "1")
    switch_clock.now += 1.01
    assert "The first article of a new member is shown once" in reader.open("/rules").text
    reader.fill_in("/signup", **signup)
    reader.fill_in("/submit", title="A title", link="https://x.example/")
    assert "Your article waits for a moderator" in reader.follow().main
    assert store.waiting.has_article(2)
