"""A reader searches, in English and in Chinese, with and without script."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit, Window
from tests.journeys.visitor import Visitor
from voteweb.store import Store


def search(visitor: Visitor, words: str, name: str = "Search") -> None:
    """Type *words* into the field of search, which phones have on a page of its own."""
    field = visitor.page.get_by_role("searchbox", name=name)
    if not field.is_visible():
        visitor.follow(name)
    field.fill(words)
    field.press("Enter")


def test_people_find_articles_and_comments(
    visit: Visit, window: Window, store: Store, index_site: Callable[[], None]
) -> None:
    for title, group in (("Lua in ten minutes", "lua"), ("Go in ten minutes", "go"), ("编程语言的未来", "编程")):
        factories.article(store, factories.user(store, "zoe"), title=title, groups=(group,))
    factories.comment(store, 2, text="I would rather write **Lua**.")
    index_site()

    reader = visit(**window).open("/")
    rows, marks = reader.page.locator(".articles > .article"), reader.page.locator("main mark")
    search(reader, "minutes ten")
    expect(rows).to_have_count(2)
    search(reader, "lua")
    expect(rows).to_have_count(1)
    expect(marks).to_have_text(["Lua"])
    reader.follow("Comments 1")
    expect(marks).to_have_text(["Lua"])
    reader.follow("In context")
    reader.is_at("/a/2/c/1")

    reader.page.get_by_role("button", name="中文").click()
    reader.open("/new")
    search(reader, "言的", "搜索")
    expect(rows).to_have_count(1)
    expect(marks).to_have_text(["言的"])
