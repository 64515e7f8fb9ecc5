"""Deleted and removed articles: who can still read them, and that nothing more can be done to them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.web.browser import JSON, Browser
from tests.web.state import content
from voteweb.store import Store

HOSTILE = "<script>alert(1)</script> & \"quotes\" 'too' {{ 7*7 }} %(reason)s"
LISTS = ["/", "/g/redis/new", "/g/python+redis", "/u/ann"]


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """An article of ann's in two groups, with a text."""
    factories.article(store, title="On Redis", text="The *words*.", groups=("python", "redis"))


def content_without_counters(store: Store) -> dict[str, Any]:
    """Return the content of the database but the last ids given out: gaps between ids are harmless."""
    return {key: value for key, value in content(store).items() if key not in ("article:", "user:")}


def test_deleted_article_is_gone_from_every_list(ann: Browser, reader: Browser) -> None:
    for path in LISTS:
        assert reader.open(path).status == 200  # from here on the combined ranking is cached
    ann.open("/a/1").submit("/a/1/delete")
    assert ann.follow().flashes == ["Your article has been deleted."]
    ann.send("/a/1/delete")
    assert ann.follow().flashes == ["Your article has been deleted already."], "the form was sent twice"
    for person in (reader, ann):
        for path in LISTS:
            assert not person.open(path).titles, path
        assert (person.open("/a/1").status, person.intro) == (410, "This article was deleted by its poster.")
        assert "words" not in person.text


def test_removal_from_a_list_returns_to_that_list(mod: Browser, reader: Browser) -> None:
    mod.open("/new?page=1").submit("/a/1/remove", reason="  Off\ntopic. ")
    assert mod.location == "/new?page=1#a1"
    assert mod.follow().flashes[0].startswith("The article has been removed.")
    for path in LISTS:
        assert not reader.open(path).titles, path
    assert (reader.open("/a/1").status, reader.intro) == (410, "A moderator removed this article: Off topic.")


def test_removal_needs_a_reason_and_keeps_what_was_typed(mod: Browser) -> None:
    reason = " \u202e "
    mod.open("/g/redis").submit("/a/1/remove", reason=reason)
    form = mod.form("/a/1/remove")
    message = "Please give a reason. It is shown in the public log."
    assert (mod.status, form.one("p", role="alert").text) == (422, message)
    assert form.one("input", name="reason")["value"] == reason
    assert "open" in next(part for part in mod.page.all("details", class_="disclosure") if "Moderate" in part.text)
    mod.submit("/a/1/remove", reason="Spam.")
    assert mod.location == "/g/redis#a1"


def test_poster_and_moderators_can_read_a_removed_article(
    ann: Browser, mod: Browser, bob: Browser, store: Store
) -> None:
    factories.remove(store, 1, HOSTILE)
    for person in (ann, mod):
        assert person.open("/a/1").status == 200
        assert person.page.one("div", role="note").text.startswith(f"A moderator removed this article: {HOSTILE}")
        assert person.page.one("div", class_="text").one("em").text == "words"
        for act in ("edit", "delete", "report"):
            assert f'"/a/1/{act}"' not in person.text
    assert not ann.page.all("form", action="/a/1/restore")
    assert (bob.open("/a/1").status, bob.intro) == (410, f"A moderator removed this article: {HOSTILE}")
    mod.submit("/a/1/restore")
    assert mod.follow().flashes == ["The article has been restored to every list, with its votes."]
    assert bob.open("/").titles == ["On Redis"]


@pytest.mark.parametrize("gone", [factories.remove, lambda store: store.removals.delete(1)], ids=["removed", "deleted"])
def test_nobody_votes_for_a_gone_article(gone: Callable[[Store], object], mod: Browser, store: Store) -> None:
    gone(store)
    before = content_without_counters(store)
    for headers in ({}, JSON):
        for act in ("vote", "unvote"):
            mod.send(f"/a/1/{act}", headers=headers)
            assert (mod.status, content_without_counters(store)) == (410, before), act


def test_second_removal_is_refused_on_the_list(mod: Browser, store: Store) -> None:
    mod.open("/new")
    factories.remove(store, 1)
    mod.submit("/a/1/remove", reason="Mine.")
    assert mod.follow().flashes == ["This article is no longer available."]


def test_nothing_can_be_done_to_an_unknown_article(mod: Browser, store: Store) -> None:
    before = content_without_counters(store)
    for act in ("edit", "delete", "groups", "remove", "restore", "report", "dismiss"):
        mod.send(f"/a/99/{act}", reason="spam", title="A title", text="words")
        assert (mod.status, mod.intro) == (404, "There is no such article."), act
        assert content_without_counters(store) == before, act
