"""Sorting articles into groups, from lists and from the article."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.store import Store

NAMES = ("ask", "books", "go", "lua", "python", "redis", "编程")


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    """Three articles; the second is in two of seven groups."""
    for name in NAMES:
        factories.group(store, name)
    factories.article(store)
    factories.article(store, title="On Redis", groups=("python", "redis"))
    factories.article(store)


def set_groups(mod: Browser, path: str, **fields: Any) -> Browser:
    """Send the form of the second article on the page at *path*."""
    return mod.open(path).submit("/a/2/groups", **fields)


def message(mod: Browser) -> str:
    """Follow the redirect; return the message in the open row of the second article, or above the page."""
    details = [each for each in mod.follow().page.all("details") if "open" in each]
    messages = [each.one("p", class_="row-message").text for each in details if each.all("p", class_="row-message")]
    (text,) = messages or mod.flashes
    return text


@pytest.mark.parametrize("path", ["/new?page=1", "/a/2", "/g/python+redis"])
def test_groups_are_changed_and_the_form_leads_back(path: str, mod: Browser, store: Store) -> None:
    set_groups(mod, path, add="Lua, 编程  go", remove=["python"])
    assert (mod.status, mod.location) == (303, f"{path}#a2")
    assert store.articles.get(2).groups == ("redis", "lua", "编程", "go")
    assert message(mod) == "The article is now in: redis, lua, 编程, go."


def test_form_shows_the_articles_groups_and_offers_all(mod: Browser) -> None:
    form = mod.open("/new").form("/a/2/groups")
    assert form.values("value", "input", name="remove") == ["python", "redis"]
    assert mod.page.by_id("all-groups").texts("option") == list(NAMES)
    assert form.one("input", name="add")["list"] == "all-groups"


@pytest.mark.parametrize(
    ("add", "message"),
    [
        ("lua nope, zzz", "There is no group named nope, zzz."),
        (" ".join(NAMES), "An article can be in at most 5 groups."),
    ],
)
def test_error_is_beside_the_form_and_everything_typed_stays(
    add: str, message: str, mod: Browser, store: Store
) -> None:
    set_groups(mod, "/new?page=1", add=add, remove=["python"])
    assert mod.status == (409 if "most" in message else 422)
    form = mod.form("/a/2/groups")
    assert form.one("p", role="alert").text == message
    assert form.one("input", name="add")["value"] == add.strip()
    assert [box["value"] for box in form.all("input", name="remove") if "checked" in box] == ["python"]
    mod.submit("/a/2/groups", add="lua")
    assert (mod.location, store.articles.get(2).groups) == ("/new?page=1#a2", ("redis", "lua"))


def test_vote_beside_a_refused_form_leads_to_a_page(mod: Browser) -> None:
    set_groups(mod, "/new", add="nope")
    mod.press("/a/2/vote")
    assert mod.location == "/a/2#a2"


def test_article_that_leaves_its_list_leads_back_there(mod: Browser) -> None:
    set_groups(mod, "/g/python", remove=["python"])
    assert mod.location == "/g/python#a2"
    assert mod.follow().page.one("div", class_="empty").text
    assert mod.flashes == ["The article is now in: redis."]
