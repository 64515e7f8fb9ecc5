"""A moderator puts articles into groups: one in its row of a list, and many on one page."""

from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import ROWS, Visit, Window
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def test_groups_of_an_article_are_changed_in_its_row(visit: Visit, window: Window, store: Store) -> None:
    for name in ("lua", "编程"):
        factories.group(store, name)
    for number in range(1, ROWS + 3):
        factories.article(store, title=f"Article {number}.", groups=("python", "redis"))
    mod, script = visit("mod", Role.MODERATOR, **window), window["script"]
    row = mod.row("Article 2.")
    mod.open("/new?page=2")
    row.get_by_text("Moderate").click()
    row.locator(".moderation-form .chip").filter(has_text="python").click()
    row.get_by_label("Add to groups Article 2.").fill("lua nope")
    row.get_by_role("button", name="Save groups").click()
    place = mod.page.locator("#a2 [data-message]" if script else ".moderation-form [role=alert]")
    expect(place).to_have_text("There is no group named nope.")
    expect(row.locator("input[value=python]")).to_be_checked()
    mod.loaded()
    row.get_by_label("Add to groups Article 2.").fill("lua 编程")
    row.get_by_role("button", name="Save groups").click()
    mod.is_at("/new?page=2" if script else "/new?page=2#a2")
    expect(place if script else mod.page.locator(".flash")).to_have_text("The article is now in: redis, lua, 编程.")
    expect(row).to_be_in_viewport()
    expect(row.locator("a.chip")).to_have_text(["redis", "lua", "编程"])
    expect(mod.open("/g/编程").row("Article 2.")).to_be_visible()
    assert store.articles.get(2).groups == ("redis", "lua", "编程")

    row = mod.open("/new").row("Article 6.")
    row.get_by_text("Moderate").click()
    row.get_by_label("Reason, shown to everybody").fill("Spam.")
    row.get_by_role("button", name="Remove").click()
    expect(mod.page.locator("#a6")).to_have_count(0)
    expect(mod.page.locator(".flash")).to_contain_text("The article has been removed.")
    assert not list(Doctor(store.context).examine())


def test_a_page_of_articles_is_sorted_with_two_loads(visit: Visit, window: Window, store: Store) -> None:
    for number in range(1, ROWS + 1):
        factories.article(store, title=f"Article {number}.", groups=())
    for name in ("go", "lua", "编程", *(f"more{number}" for number in range(12))):
        factories.group(store, name)
    mod, script = visit("mod", Role.MODERATOR, **window), window["script"]
    others = mod.open("/sort").page.locator("#a5").get_by_label("Others")
    others.fill("nope")
    for number, group in enumerate(("go", "lua", "go", "lua"), 1):
        row = mod.page.locator(f"#a{number}")
        row.get_by_text(group, exact=True).click()
        if script:
            expect(row.locator("[data-message]")).to_have_text(f"Saved: {group}.")
    if not script:
        mod.press("Save all")
    expect(mod.page.locator("#a5 [data-message]")).to_have_text("There is no group named nope.")
    expect(others).to_have_value("nope")
    others.fill("more3")
    mod.press("Save all")
    expect(mod.page.locator(".empty")).to_contain_text("Every article is in a group, or none fits.")
    assert [store.articles.get(id).groups for id in (1, 2, 5)] == [("go",), ("lua",), ("more3",)]
    assert mod.loads == (2 if script else 3)
