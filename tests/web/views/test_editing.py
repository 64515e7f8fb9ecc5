"""Editing an article: by its poster in its first minutes, by moderators at any time."""

import re
import time

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
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


def test_unknown_group_is_refused_beside_the_groups(ann: Browser) -> None:
    ann.open("/a/1/edit").submit("/a/1/edit", groups=["nope"])
    assert (ann.status, ann.page.by_id("groups-errors").text) == (422, "There is no group named nope.")


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
