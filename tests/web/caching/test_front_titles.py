"""Titles of the front page beside an article: as they are now, also in pages that are kept."""

import gzip
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.web.browser import Browser
from tests.web.conftest import Clock, CountRoundTrips
from voteweb.app import create_app
from voteweb.core.models import DomainAction, LogAction, LogEntry, Role, User
from voteweb.core.my_site import hidden_member
from voteweb.core.settings import Settings
from voteweb.store import Store


@pytest.fixture
def app(settings: Settings, store: Store, clock: list[float]) -> Flask:
    """The site with articles 1 to 7, of which it keeps pages; their clock stands."""
    for number in range(1, 8):
        factories.article(store, title=f"Title {number}", poster=factories.user(store, f"poster{number}"))
    return create_app(replace(settings, page_seconds=1.0), store)


def titles(browser: Browser, address: str = "/a/1") -> list[str]:
    """Return the numbers in the titles beside an article; there is no heading without a title."""
    items = [item.text for aside in browser.open(address).page.all("aside") for item in aside.all("li")]
    assert browser.page.texts("h2", id="front-heading") == ["On the front page"] * bool(items)
    return [item.removeprefix("Title ") for item in items]


def test_titles_are_the_first_of_the_front_page(app: Flask, reader: Browser, bob: Browser, mod: Browser) -> None:
    for browser in (reader, bob, mod, reader, bob):
        assert titles(browser) == ["7", "6", "5", "4", "3"]
        assert browser.page.one("aside").values("href", "a") == ["/", *(f"/a/{id}" for id in range(7, 2, -1))]
        assert titles(browser, "/a/6") == ["7", "5", "4", "3", "2"]
    assert titles(reader.open("/a/6")) == ["7", "6", "5", "4", "3"]


def test_comments_have_the_same_way_on_as_their_article(
    app: Flask, reader: Browser, bob: Browser, store: Store, switch_clock: Clock
) -> None:
    factories.comment(store, 6, bob.user)
    for browser in (reader, bob):
        assert titles(browser, "/a/6/c/1") == ["7", "5", "4", "3", "2"]
        links = browser.page.by_id("comments").all("a", href="/a/6/c/1/reply")
        assert [link.text for link in links] == ["Log in or sign up to comment"] * (browser is reader)
    factories.remove(store, 7)
    switch_clock.now += 1.01
    assert titles(reader, "/a/6/c/1") == ["5", "4", "3", "2", "1"]


def remove(store: Store, admin: User) -> None:
    factories.remove(store, 7)


def delete(store: Store, admin: User) -> None:
    store.removals.delete(7, actor=factories.user(store, "poster7"))


def rename(store: Store, admin: User) -> None:
    store.articles.edit(7, factories.draft(title="Title 8"), factories.user(store, "poster7"))


def vote(store: Store, admin: User) -> None:
    store.votes.cast(3, admin)


@pytest.mark.parametrize(
    ("act", "after"),
    [
        (remove, ["6", "5", "4", "3", "2"]),
        (delete, ["6", "5", "4", "3", "2"]),
        (rename, ["8", "6", "5", "4", "3"]),
        (vote, ["3", "7", "6", "5", "4"]),
    ],
)
def test_kept_pages_have_the_titles_of_this_second(
    act: Callable[[Store, User], None], after: list[str], app: Flask, reader: Browser, bob: Browser, store: Store,
    clock: list[float], switch_clock: Clock, count_round_trips: CountRoundTrips,
) -> None:  # fmt: skip
    """The page of readers is kept all the time, and so is that of members; one that is made anew has the same tag."""
    browsers = (reader, bob)
    for browser in (bob, bob, reader):
        titles(browser)
    rendered, tag = reader.response.data, reader.headers["ETag"]
    act(store, factories.user(store, "root", Role.ADMIN))
    assert [titles(browser) for browser in browsers] == [["7", "6", "5", "4", "3"]] * 2
    switch_clock.now += 1.01
    assert [titles(browser) for browser in browsers] == [after] * 2
    assert count_round_trips(reader.open, "/a/1") == 0
    packed = reader.open("/a/1", headers={"Accept-Encoding": "gzip"}).response.data
    assert gzip.decompress(packed) == reader.open("/a/1").response.data != rendered
    assert reader.headers["ETag"] == tag
    clock[0] += 1.01
    assert reader.open("/a/1", headers={"If-None-Match": tag}).status == 304
    assert titles(reader) == after


def test_a_kept_page_asks_once_a_second_at_most(
    app: Flask, reader: Browser, switch_clock: Clock, count_round_trips: CountRoundTrips
) -> None:
    def open_later() -> None:
        switch_clock.now += 1.01
        for _ in range(3):
            titles(reader)

    assert count_round_trips(open_later) == 1


def test_what_waits_or_is_hidden_is_not_beside_an_article(
    app: Flask, bob: Browser, reader: Browser, store: Store, switch_clock: Clock
) -> None:
    rule = LogEntry(LogAction.DOMAIN, "root", title="held.example")
    store.domain_rules.set("held.example", DomainAction.HOLD, rule, actor=factories.user(store, "root", Role.ADMIN))
    held = factories.draft(title="Title 9", link="https://held.example/")
    store.articles.post(held, store.users.make("newcomer", "", network=""), factories.token())
    assert factories.stored_article(store, 8).is_held
    store.my_sites.hide(hidden_member("poster6"), bob.user)
    switch_clock.now += 1.01
    for _ in range(2):
        assert titles(reader) == ["7", "6", "5", "4", "3"]
        assert titles(bob) == ["7", "5", "4", "3", "2"]


def test_nothing_is_shown_beside_the_only_article(app: Flask, bob: Browser, reader: Browser, store: Store) -> None:
    for id in range(2, 8):
        factories.remove(store, id)
    for browser in (reader, bob, reader, bob):
        assert titles(browser) == []
    run(store, "SET", "score:", "text")
    assert reader.open("/a/1?page=1").status == 200


def test_pages_of_what_is_not_there_lead_on(reader: Browser, bob: Browser, store: Store) -> None:
    factories.remove(store, 1)
    for browser in (reader, bob):
        for address, status in (("/nowhere", 404), ("/a/99", 404), ("/a/1", 410)):
            assert titles(browser, address) == ["7", "6", "5", "4", "3"]
            assert (browser.status, len(browser.page.one("main").all("form", role="search"))) == (status, 1)
    assert titles(bob, "/queue") == ["7", "6", "5", "4", "3"]
    assert bob.status == 403
