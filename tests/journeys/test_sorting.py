"""A moderator sorts twenty articles on one page, with and without script."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit, Window
from tests.journeys.visitor import Visitor
from voteweb.core.models import Role, User
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.doctor import Doctor

ARTICLES = 20


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, page_size=ARTICLES)


@pytest.fixture
def mod(visit: Visit, window: Window, store: Store, join: Callable[..., User]) -> Visitor:
    for name in ("go", "lua", "编程"):
        factories.group(store, name)
    for number in range(1, ARTICLES + 1):
        factories.article(store, title=f"Article {number}.", groups=())
    join("mod", Role.MODERATOR)
    return visit("mod", **window)


def test_twenty_articles_are_sorted_with_two_loads(mod: Visitor, window: Window, store: Store) -> None:
    loads: list[str] = []
    mod.page.on("domcontentloaded", lambda page: loads.append(page.url))
    mod.open("/sort")
    for number in range(1, ARTICLES + 1):
        row = mod.page.locator(f"#a{number}")
        row.get_by_text(["go", "lua", "编程"][number % 3], exact=True).click()
        if window["script"]:
            expect(row.locator("[data-message]")).to_have_text(f"Saved: {['go', 'lua', '编程'][number % 3]}.")
    if window["script"]:
        assert {store.articles.get(id).groups for id in range(1, ARTICLES + 1)} == {("go",), ("lua",), ("编程",)}
        mod.press("Save all").sees_flash("There was nothing left to save.")
    else:
        mod.press("Save all").sees_flash("Saved: 20 articles.")
    expect(mod.page.locator(".empty")).to_contain_text("Every article is in a group.")
    assert store.articles.get(3).groups == ("go",)
    assert len(loads) == 2
    assert not list(Doctor(store.context).examine())


def test_what_is_refused_is_said_in_the_row(mod: Visitor, window: Window, store: Store) -> None:
    for number in range(12):
        factories.group(store, f"more{number}")
    mod.open("/sort")
    mod.page.locator("#a7").get_by_label("Others").fill("nope")
    mod.page.locator("#a8").get_by_text("go", exact=True).click()
    if not window["script"]:
        mod.press("Save all")
    expect(mod.page.locator("#a7 [data-message]")).to_have_text("There is no group named nope.")
    expect(mod.page.locator("#a7").get_by_label("Others")).to_have_value("nope")
    mod.page.locator("#a7").get_by_label("Others").fill("more3")
    mod.press("Save all").is_at("/sort")
    expect(mod.page.locator("#a6")).to_be_visible()
    assert (store.articles.get(7).groups, store.articles.get(8).groups) == (("more3",), ("go",))
