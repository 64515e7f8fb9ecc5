"""Sorting: a page of articles without a group, whose groups are pressed and saved together."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import JSON, Browser
from voteweb.store import Store
from voteweb.web.views.sorting import NO_GROUP

pytestmark = pytest.mark.site(page_size=3)


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    """The articles 1 to 6, of which 2 is in a group, and more groups than are offered as buttons."""
    for number in range(14):
        factories.group(store, f"group{number:02}")
    for number in range(1, 7):
        factories.article(store, title=f"Article {number}", groups=("group13",) if number == 2 else ())


def save(mod: Browser, address: str = "/sort", **fields: Any) -> Browser:
    """Send the form of the page with these *fields* in place of its own."""
    mod.open(address)
    return mod.submit(address, id=[row["id"][1:] for row in mod.page.all("li", class_="article")], **fields)


def test_articles_without_a_group_are_listed_newest_first(mod: Browser) -> None:
    assert mod.open("/sort").titles == ["Article 6", "Article 5", "Article 4"]
    mod.open_next()
    assert mod.titles == ["Article 3", "Article 1"]
    assert mod.open("/sort?of=all&page=2").titles == ["Article 3", "Article 2", "Article 1"]


def test_time_that_redis_writes_with_an_exponent_leads_on(mod: Browser, store: Store) -> None:
    times = {f"article:{number}": f"{1700000000 + number}" for number in range(1, 7)}
    times["article:4"] = "1700000004.195804"  # written as 1.7000000041958041e+9 since Redis 7.2
    for article, time in times.items():
        store.connection.command("ZADD", store.keys.by_time(), time, article)
    assert mod.open("/sort").open_next().titles == ["Article 3", "Article 1"]


def test_the_likeliest_groups_are_buttons_and_all_can_be_typed(mod: Browser, store: Store) -> None:
    store.articles.set_groups(3, ["group12"], [])
    eve = factories.user(store, "eve")
    factories.article(store, eve, title="Of the same site", link="https://docs.example.com/7", groups=("group07",))
    factories.article(store, title="About group09", link="https://docs.example.com/8")
    chips = mod.open("/sort").page.by_id("a8").values("value", "input", type="checkbox")
    assert (len(chips), chips[:5], chips[-1]) == (13, ["group09", "group07", "group12", "group13", "group00"], NO_GROUP)


def test_article_that_no_group_fits_is_not_offered_again(mod: Browser, store: Store) -> None:
    assert mod.open("/sort").page.one("p", class_="total").text == "5 articles to sort"
    save(mod, a6=NO_GROUP)
    assert mod.follow().titles == ["Article 5", "Article 4", "Article 3"]
    assert "decided whether any group fits “Article 6”" in mod.open("/log").main
    assert save(mod, "/sort?of=all").follow().flashes == ["There was nothing left to save."]
    save(mod, "/sort?of=all", a6=[])
    assert mod.open("/sort").titles[0] == "Article 6"


def test_group_is_created_on_the_way(mod: Browser, store: Store) -> None:
    save(mod, **{"new-group": "1"}).follow()
    assert (mod.heading, mod.flashes) == ("Create a group", [])
    save(mod, a6="group00", **{"new-group": "1"})
    assert store.articles.get(6).groups == ("group00",)
    mod.follow()
    mod.submit("/groups/new", name="golang", title="Go", description="")
    assert mod.location == "/sort"


def test_page_is_saved_at_once_and_each_change_is_logged(mod: Browser, store: Store) -> None:
    save(mod, a6=["group00", "group01"], a5="group13", t5="group12, GROUP11")
    assert mod.follow().flashes == ["Saved: 2 articles."]
    groups = [store.articles.get(id).groups for id in (6, 5)]
    assert groups == [("group00", "group01"), ("group13", "group12", "group11")]
    assert mod.open("/log").page.one("main").all("summary")[1].text.startswith("mod sorted 2 articles")


def test_what_cannot_be_saved_keeps_what_was_chosen(mod: Browser, store: Store) -> None:
    save(mod, a6="group00", a5="group01", t5="nope", a4=["group02"])
    assert mod.status == 422
    assert mod.alert == "Saved: 2 articles. Not saved: “Article 5”: There is no group named nope."
    told = {row.text: row["class"] for row in mod.page.all("p", class_="row-message")}
    assert told["There is no group named nope."] == "row-message error"
    assert told[""] == "row-message"
    row = mod.page.by_id("a5")
    assert "checked" in row.one("input", value="group01")
    assert (row.one("input", name="t5")["value"], mod.titles[0]) == ("nope", "Article 5")
    assert (store.articles.get(4).groups, store.articles.get(5).groups) == (("group02",), ())


def test_change_of_another_moderator_is_kept(mod: Browser, store: Store) -> None:
    page = mod.open("/sort?of=all&page=2").response
    store.articles.set_groups(2, ["group05"], [])
    mod.response = page
    mod.submit("/sort?of=all&page=2", id=["2"], a2=["group06"], b2="group13")
    assert store.articles.get(2).groups == ("group05", "group06")


def test_article_that_is_gone_is_named(mod: Browser, store: Store) -> None:
    page = mod.open("/sort").response
    store.removals.delete(6)
    mod.response = page
    mod.submit("/sort", id=["6", "5", "99"], a6="group00", a5="group00", a99="group00")
    assert mod.alert.startswith("Saved: 1 article. Not saved: ")
    assert mod.titles == ["Article 4", "Article 3", "Article 1"]


def test_script_saves_one_article(mod: Browser, store: Store) -> None:
    mod.send("/sort", headers=JSON, id="6", a6="group00", b6="")
    assert mod.json == {"saved": {"6": {"groups": "group00", "message": "Saved: group00."}}, "failed": {}}
    mod.send("/sort", headers=JSON, id="6", t6="nope", b6="group00")
    assert mod.json == {"saved": {}, "failed": {"6": "There is no group named nope."}}


@pytest.mark.parametrize("query", ["before=-1", "before=١", f"before={'1' * 40}", "of=all&page=9"])
def test_wrong_places_to_look_from_are_not_found(query: str, mod: Browser) -> None:
    assert mod.open(f"/sort?{query}").status == 404
