"""A moderator puts articles into groups, from a list and from the article, and creates a group."""

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import ROWS, Join, Visit, Window
from tests.journeys.visitor import Visitor
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.doctor import Doctor


@pytest.fixture
def mod(visit: Visit, window: Window, store: Store, join: Join) -> Visitor:
    """A moderator on a site with two pages of articles and some groups."""
    for name in ("go", "lua", "编程"):
        factories.group(store, name)
    for number in range(1, ROWS + 3):
        factories.article(store, title=f"Article {number}.", groups=("python", "redis"))
    join("mod", Role.MODERATOR)
    return visit("mod", **window)


def change_groups(mod: Visitor, title: str, add: str, remove: str) -> None:
    """Send the form of the article with this *title*: type the groups to *add*, tick the one to *remove*."""
    row = mod.row(title)
    row.get_by_text("Moderate").click()
    row.locator(".moderation-form .chip").filter(has_text=remove).click()
    expect(row.locator(f"input[value={remove}]")).to_be_checked()
    row.get_by_label(f"Add to groups {title}").fill(add)
    row.get_by_role("button", name="Save groups").click()


def test_groups_are_added_and_removed_in_one_act(mod: Visitor, store: Store, window: Window) -> None:
    message = "The article is now in: redis, lua, 编程."
    for id, path in ((2, "/new?page=2"), (3, "/a/3"), (1, "/g/redis?page=2")):
        title = f"Article {id}."
        change_groups(mod.open(path), title, "lua 编程", "python")
        if path == "/a/3":
            mod.is_at("/a/3#a3")
            mod.sees_flash(message)
        else:
            expect(mod.row(title).locator("[data-message]")).to_have_text(message)
            expect(mod.row(title).get_by_role("button", name="Save groups")).to_be_in_viewport()
            mod.is_at(path if window["script"] else f"{path}#a{id}")
        chips = ["lua", "编程"] if path.startswith("/g/redis") else ["redis", "lua", "编程"]
        expect(mod.row(title).locator("a.chip")).to_have_text(chips)
        expect(mod.row(title)).to_be_in_viewport()
        mod.row(title).get_by_role("link", name="编程").click()
        expect(mod.row(title)).to_be_visible()
        assert store.articles.get(id).groups == ("redis", "lua", "编程")
    assert not list(Doctor(store.context).examine())


def test_unknown_group_is_refused_beside_the_form_and_corrected_there(mod: Visitor, window: Window) -> None:
    change_groups(mod.open("/new?page=2"), "Article 2.", "lua nope", "python")
    place = mod.page.locator("#a2 [data-message]" if window["script"] else ".moderation-form [role=alert]")
    expect(place).to_have_text("There is no group named nope.")
    expect(mod.page.locator("#a2 input[value=python]")).to_be_checked()
    mod.page.get_by_label("Add to groups Article 2.").fill("lua")
    mod.row("Article 2.").get_by_role("button", name="Save groups").click()
    if window["script"]:
        expect(place).to_have_text("The article is now in: redis, lua.")
    else:
        mod.is_at("/new?page=2#a2")
        mod.sees_flash("The article is now in: redis, lua.")


def test_row_that_is_removed_leaves_the_list(mod: Visitor) -> None:
    row = mod.open("/new").row("Article 6.")
    row.get_by_text("Moderate").click()
    row.get_by_label("Reason, shown to everybody").fill("Spam.")
    row.get_by_role("button", name="Remove").click()
    expect(mod.page.locator("#a6")).to_have_count(0)
    expect(mod.page.locator(".flash")).to_contain_text("The article has been removed.")


def test_group_is_created_and_its_title_changed(visit: Visit, join: Join) -> None:
    join("mod", Role.MODERATOR)
    mod = visit("mod").open("/groups").follow("Create a group")
    mod.type("Name", "Rust").type("Title", "Rusty").press("Create the group")
    mod.sees_flash("Group created.")
    mod.is_at("/g/rust")
    mod.follow("Edit").type("Title", "Rust").type("Description", "A language.").press("Save")
    mod.sees_flash("Group changed.")
    expect(mod.page.get_by_role("heading", level=1)).to_have_text("Rust")
