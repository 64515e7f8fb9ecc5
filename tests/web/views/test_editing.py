"""Editing an article: by its poster in its first minutes, by moderators at any time, and over the change of another."""

import re
import time
from collections.abc import Callable

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import CountRoundTrips, MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core.models import LogAction
from voteweb.store import Store


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """An article of ann's in one of two groups."""
    for name in ("python", "redis"):
        factories.group(store, name)
    factories.article(store, title="On Redis", text="Its words.", groups=("redis",))


def test_form_has_the_article_and_says_until_when(ann: Browser) -> None:
    ann.open(ann.open("/a/1").page.one("a", href="/a/1/edit")["href"])
    assert re.fullmatch(r"You can change your article until \d+ \w+ \d{4}, \d\d:\d\d UTC\.", ann.intro)
    form = ann.form("/a/1/edit")
    assert form.one("input", name="title")["value"] == "On Redis"
    assert form.one("input", name="link")["value"] == "https://example.com/redis"
    assert form.one("textarea").text == "Its words."
    assert [box["value"] for box in form.all("input", name="groups") if "checked" in box] == ["redis"]
    assert ann.page.one("main").one("a", href="/a/1")


def test_edit_is_shown_with_its_time_and_keeps_the_ranking(ann: Browser, reader: Browser, store: Store) -> None:
    before = store.articles.get(1)
    ann.open("/a/1/edit").submit("/a/1/edit", title=HOSTILE, link="", text="New *words*.", groups=["python"])
    assert ann.location == "/a/1"
    assert ann.follow().flashes == ["The article has been changed."]
    page = reader.open("/a/1").page
    assert page.one("h1").text == HOSTILE
    assert page.one("div", class_="text").one("em").text == "words"
    assert page.one("p", class_="meta").text.endswith("edited just now")
    after = store.articles.get(1)
    assert (after.time, after.votes, after.groups) == (before.time, before.votes, ("python",))
    assert not store.connection.client.exists("log:")


def test_late_poster_is_told_until_when_editing_was_possible(make_member: MakeMember, store: Store) -> None:
    factories.imported(store, poster="late", time=time.time() - 901)
    late = make_member("late")
    assert not late.open("/a/2").page.all("a", href="/a/2/edit")
    assert not late.page.all("form", action="/a/2/delete")
    assert late.open("/a/2/edit").status == 403
    assert late.intro.startswith("You could change this article until ")


def test_moderator_edits_at_any_time_and_it_is_logged(mod: Browser, reader: Browser, store: Store) -> None:
    factories.imported(store, title="Last week's")
    mod.open(mod.open("/a/2").page.one("a", href="/a/2/edit")["href"])
    assert "The log records the change." in mod.intro
    mod.submit("/a/2/edit", title="Better words")
    assert mod.follow().heading == "Better words"
    (entry,) = reader.open("/log").page.one("ol", class_="log").all("li")
    assert entry.text.startswith("mod edited “Last week's”")


def test_moderators_edit_of_their_own_new_article_is_not_logged(mod: Browser, store: Store) -> None:
    id = factories.article(store, store.users.get("mod")).id
    mod.open(f"/a/{id}/edit")
    assert mod.intro.startswith("You can change your article until ")
    mod.submit(f"/a/{id}/edit", title="Better words")
    assert not store.connection.client.exists(f"log-kind:{LogAction.EDIT}")


def change_title(mod: Browser) -> None:
    mod.open("/a/1/edit").submit("/a/1/edit", title="A fair title", text="Fair words.")


def change_groups(mod: Browser) -> None:
    mod.open("/a/1").submit("/a/1/groups", add="python", remove=["redis"])


@pytest.mark.parametrize("change", [change_title, change_groups])
def test_stale_form_of_the_poster_undoes_no_moderator(
    change: Callable[[Browser], None], ann: Browser, mod: Browser, store: Store
) -> None:
    ann.open("/a/1/edit")
    change(mod)
    changed = store.articles.get(1)
    ann.submit("/a/1/edit", text="More words.")
    assert ann.status == 409
    assert store.articles.get(1) == changed


def test_both_versions_are_shown_and_the_typed_one_kept(ann: Browser, mod: Browser, store: Store) -> None:
    ann.open("/a/1/edit")
    change_title(mod)
    ann.submit("/a/1/edit", title=HOSTILE, text="My words.", groups=["python"])
    assert ann.alert.startswith("Somebody has changed this article since you opened this form")
    now, yours = ann.page.one("div", class_="versions").all("section")
    assert now.text.startswith("As it is now Title A fair title")
    assert [field.text for field in now.all("dd")][2:] == ["Fair words.", "redis"]
    assert [field.text for field in yours.all("dd")] == [HOSTILE, "https://example.com/redis", "My words.", "python"]
    assert ann.form("/a/1/edit").one("input", name="title")["value"] == HOSTILE
    ann.submit("/a/1/edit")  # on purpose
    assert (store.articles.get(1).title, store.articles.get(1).groups) == (HOSTILE, ("python",))


def test_form_without_a_revision_is_of_the_first(ann: Browser, mod: Browser, store: Store) -> None:
    fields = {"title": "Another title", "link": "", "text": "words", "csrf_token": ann.csrf_token()}
    assert ann.post("/a/1/edit", fields | {"revision": "many"}).status == 303
    assert ann.post("/a/1/edit", fields | {"title": "A third title"}).status == 409
    assert store.articles.get(1).title == "Another title"


def test_poster_cannot_exchange_a_link_that_others_voted_for(ann: Browser, store: Store) -> None:
    ann.open("/a/1/edit").submit("/a/1/edit", link="https://example.com/first")
    store.votes.cast(1, factories.user(store, "bob"))
    ann.open("/a/1/edit").submit("/a/1/edit", title="Kept title", link="https://spam.example/")
    assert ann.status == 422
    assert ann.field_error("link") == "Others have voted for this article, so you can no longer change its link."
    assert ann.form("/a/1/edit").one("input", name="title")["value"] == "Kept title"


def test_moderators_alone_see_earlier_versions(
    ann: Browser, mod: Browser, bob: Browser, reader: Browser, store: Store, count_round_trips: CountRoundTrips
) -> None:
    assert not mod.open("/a/1").page.all("details", id="earlier")
    ann.open("/a/1/edit").submit("/a/1/edit", title="Second title", link="", text=HOSTILE)
    change_title(mod)
    for other in (ann, bob, reader):
        assert "Second title" not in other.open("/a/1").response.text
        assert count_round_trips(lambda other=other: other.open("/a/1")) == 1
    earlier = mod.open("/a/1").page.by_id("earlier")
    assert [field.text for field in earlier.all("dd")] == [
        *("Second title", "none", HOSTILE, "redis"),
        *("On Redis", "https://example.com/redis", "Its words.", "redis"),
    ]
    assert [heading.text.split(", when ")[1] for heading in earlier.all("h2")] == [
        "a moderator edited it",
        "the poster edited it",
    ]
    assert count_round_trips(lambda: mod.open("/a/1")) == 2


def test_earlier_versions_of_a_removed_article_stay_visible(ann: Browser, mod: Browser, store: Store) -> None:
    ann.open("/a/1/edit").submit("/a/1/edit", title="Second title")
    factories.remove(store, 1)
    assert "On Redis" in mod.open("/a/1").page.by_id("earlier").text
    assert not ann.open("/a/1").page.all("details", id="earlier")
