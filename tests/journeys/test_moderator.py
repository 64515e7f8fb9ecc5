"""A moderator sorts articles into groups, from a list and from the article."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit
from tests.journeys.visitor import Visitor
from voteweb.core.models import Role, User
from voteweb.store import Store


@pytest.fixture
def moderate(visit: Visit, store: Store, join: Callable[..., User]) -> Visit:
    """Opens a moderator's browser, logged in, at a site with two pages of articles and some groups."""
    for name in ("go", "lua", "编程"):
        factories.group(store, name)
    for i in range(1, 28):
        factories.article(store, title=f"Article {i}.", groups=("python", "redis"))
    join("mod", Role.MODERATOR)
    return lambda **how: visit(**how).log_in("mod")


def sort(mod: Visitor, title: str, add: str, remove: str) -> None:
    """Open the form of the article of this *title*, tick the group to *remove*, type those to *add*, send it."""
    row = mod.row(title)
    row.get_by_text("Moderate").click()
    row.locator(".sort .chip").filter(has_text=remove).click()
    expect(row.locator(f"input[value={remove}]")).to_be_checked()
    row.get_by_label(f"Put “{title}” into groups").fill(add)
    row.get_by_role("button", name="Save groups").click()


def test_groups_are_added_and_removed_in_one_act(moderate: Visit, script: bool, width: int, store: Store) -> None:
    mod = moderate(script=script, width=width)
    for id, place in ((2, "/new?page=2"), (3, "/a/3"), (1, "/g/redis?page=2")):
        title = f"Article {id}."
        sort(mod.open(place), title, "lua 编程", "python")
        mod.is_at(f"{place}#a{id}")
        mod.says("The article is now in: redis, lua, 编程.")
        expect(mod.row(title).locator("a.chip")).to_have_text(["redis", "lua", "编程"])
        expect(mod.row(title)).to_be_in_viewport()
        mod.row(title).get_by_role("link", name="编程").click()
        expect(mod.row(title)).to_be_visible()
        assert store.articles.get(id).groups == ("redis", "lua", "编程")
    assert not list(store.doctor.examine())


def test_a_mistake_is_said_beside_the_form_and_mended_there(moderate: Visit, script: bool) -> None:
    mod = moderate(script=script, width=360).open("/new?page=2")
    sort(mod, "Article 2.", "lua nope", "python")
    expect(mod.page.locator(".sort [role=alert]")).to_have_text("There is no group named nope.")
    expect(mod.page.locator(".sort input[value=python]")).to_be_checked()
    mod.page.get_by_label("Put “Article 2.” into groups").fill("lua")
    mod.press("Save groups").is_at("/new?page=2#a2")
    mod.says("The article is now in: redis, lua.")


def test_a_moderator_makes_a_group_and_mends_its_title(moderate: Visit) -> None:
    mod = moderate().open("/groups").follow("Make a group")
    mod.type("Name", "Rust").type("Title", "Rusty").press("Make the group")
    mod.says("The group is made.")
    mod.is_at("/g/rust")
    mod.follow("Edit").type("Title", "Rust").type("Description", "A language.").press("Save")
    mod.says("The group is changed.")
    expect(mod.page.get_by_role("heading", level=1)).to_have_text("Rust")
