"""Sorting articles into groups, from lists and from the article."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.store import Store

NAMES = ("ask", "books", "go", "lua", "python", "redis", "编程")


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """Three articles; the second is in two of seven groups."""
    for name in NAMES:
        factories.group(fake_store, name)
    factories.article(fake_store)
    factories.article(fake_store, title="On Redis", groups=("python", "redis"))
    factories.article(fake_store)


def sort(mod: Browser, place: str, **fields: Any) -> Browser:
    """Send the second article's form on the page *place*."""
    return mod.open(place).submit("/a/2/groups", **fields)


@pytest.mark.parametrize(
    "place", ["/", "/new", "/new?page=1", "/g/python", "/g/python/new", "/u/ann", "/a/2", "/g/python+redis"]
)
def test_groups_are_added_and_removed_in_one_act_and_it_leads_back(place: str, mod: Browser, fake_store: Store) -> None:
    sort(mod, place, add="Lua, 编程  go", remove=["python"])
    assert (mod.status, mod.location) == (303, f"{place}#a2")
    assert fake_store.articles.get(2).groups == ("redis", "lua", "编程", "go")
    assert mod.follow().flashes == ["The article is now in: redis, lua, 编程, go."]


def test_the_chips_of_a_row_are_its_groups_and_all_groups_are_offered(mod: Browser) -> None:
    form = mod.open("/new").form("/a/2/groups")
    assert [each["value"] for each in form.all("input", name="remove")] == ["python", "redis"]
    assert [each.words for each in mod.page.by_id("all-groups").all("option")] == list(NAMES)
    assert form.one("input", name="add")["list"] == "all-groups"


def test_only_a_moderator_is_given_the_forms(reader: Browser, ann: Browser, mod: Browser) -> None:
    for place in ("/", "/new", "/a/2"):
        for person in (reader, ann):
            assert not person.open(place).page.all("form", class_="sort")
            assert not person.page.all("datalist")
        assert mod.open(place).page.all("form", class_="sort")


def test_a_member_may_not_sort(ann: Browser, fake_store: Store) -> None:
    ann.post("/a/2/groups", {"csrf_token": ann.token(), "add": "lua"})
    assert (ann.status, ann.page.one("p", class_="lead").words) == (403, "Only moderators can do this.")
    assert fake_store.articles.get(2).groups == ("python", "redis")


def test_an_article_may_be_taken_out_of_all_groups(mod: Browser, fake_store: Store) -> None:
    sort(mod, "/new", remove=["python", "redis"])
    assert mod.follow().flashes == ["The article is now in no group."]
    assert fake_store.articles.get(2).groups == ()


def test_a_form_left_as_it_was_changes_nothing(mod: Browser, fake_store: Store) -> None:
    sort(mod, "/new")
    assert mod.follow().flashes == ["The article is now in: python, redis."]
    assert fake_store.articles.get(2).groups == ("python", "redis")


@pytest.mark.parametrize(
    ("add", "says"),
    [
        ("nope", "There is no group named nope."),
        ("lua nope, zzz", "There is no group named nope, zzz."),
        ("a+b", "A group's name is made of letters, digits, - and _."),
        ("x" * 10_000, "A group's name has 1 to 30 characters."),
        ("\x00", "A group's name is made of letters, digits, - and _."),
        ("<b>lua</b>", "A group's name is made of letters, digits, - and _."),
        (" ".join(NAMES), "An article can be in 5 groups at most."),
    ],
)
def test_what_is_wrong_is_said_beside_the_form_and_everything_stays(
    add: str, says: str, mod: Browser, fake_store: Store
) -> None:
    sort(mod, "/new?page=1", add=add, remove=["python"])
    assert mod.status in (400, 409, 422)
    form = mod.form("/a/2/groups")
    assert form.one("p", role="alert").words == says
    assert form.one("input", name="add")["value"] == add.strip()
    assert [each["value"] for each in form.all("input", name="remove") if "checked" in each] == ["python"]
    assert fake_store.articles.get(2).groups == ("python", "redis")
    mod.submit("/a/2/groups", add="lua")
    assert mod.location == "/new?page=1#a2"
    assert fake_store.articles.get(2).groups == ("redis", "lua")


def test_a_vote_beside_a_refused_form_still_leads_to_a_page(mod: Browser) -> None:
    sort(mod, "/new", add="nope")
    mod.press("/a/2/vote")
    assert mod.location == "/a/2#a2"
    assert mod.follow().flashes == ["Your vote is counted."]


def test_an_unknown_article_cannot_be_sorted(mod: Browser) -> None:
    mod.post("/a/99/groups", {"csrf_token": mod.token(), "add": "lua"})
    assert (mod.status, mod.page.one("p", class_="lead").words) == (404, "There is no such article.")


def test_a_row_that_leaves_its_own_list_leads_back_to_that_list(mod: Browser) -> None:
    sort(mod, "/g/python", remove=["python"])
    assert mod.location == "/g/python#a2"
    assert mod.follow().page.one("div", class_="empty").words
    assert mod.flashes == ["The article is now in: redis."]
