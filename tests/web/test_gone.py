"""Articles that are gone: what their pages say, to whom, and that nothing can be done to them any more."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeMember
from tests.web.state import everything
from tests.web.test_articles import titles
from voteweb.core.models import ArticleStatus, LogAction, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

HOSTILE = "<script>alert(1)</script> & \"quotes\" 'too' {{ 7*7 }} %(reason)s"
LISTS = ["/", "/new", "/good", "/g/redis", "/g/redis/new", "/g/python+redis", "/u/ann"]


@pytest.fixture(autouse=True)
def article(fake_store: Store) -> None:
    """An article of ann's in two groups, with a text."""
    factories.article(fake_store, title="On Redis", text="The *words*.", groups=("python", "redis"))


def remove(store: Store, why: str = "Off topic.") -> None:
    """Remove the article as mod would."""
    entry = NewLogEntry(LogAction.REMOVE, "mod", about="ann", article=1, title="On Redis", why=why)
    store.removals.remove(1, entry)


def but_counters(store: Store) -> dict[str, Any]:
    """Return all that *store* holds but the last ids given out: gaps do no harm."""
    return {key: value for key, value in everything(store).items() if key not in ("log-entry:", "article:", "user:")}


def test_its_poster_deletes_it_by_its_page_and_it_is_gone_from_every_list(ann: Browser, reader: Browser) -> None:
    for place in LISTS:
        assert reader.open(place).status == 200  # the combined ranking is kept from here on
    ann.open("/a/1").submit("/a/1/delete")
    assert ann.location == "/"
    assert ann.follow().flashes == ["Your article is deleted."]
    for person in (reader, ann):
        for place in LISTS:
            assert not titles(person.open(place)), place
    for person in (reader, ann):
        person.open("/a/1")
        assert (person.status, person.heading) == (410, "Gone")
        assert person.page.one("p", class_="lead").words == "This article was deleted by its poster."
        assert "words" not in person.answer.text
        assert "no-store" in person.answer.headers["Cache-Control"]


def test_a_moderator_is_told_no_more_of_what_its_poster_deleted(mod: Browser, fake_store: Store) -> None:
    fake_store.removals.delete(1)
    assert mod.open("/a/1").status == 410
    assert not mod.page.all("form", class_="sort")


def test_it_is_removed_from_a_list_by_two_presses_that_come_back(mod: Browser, reader: Browser) -> None:
    row = mod.open("/new?page=1").page.by_id("a1")
    assert row.one("summary").words == "Moderate"
    mod.submit("/a/1/remove", reason="  Off\ntopic. ")
    assert mod.location == "/new?page=1#a1"
    assert mod.follow().flashes[0].startswith("The article is removed.")
    for place in LISTS:
        assert not titles(reader.open(place)), place
    assert reader.open("/a/1").status == 410
    assert reader.page.one("p", class_="lead").words == "A moderator removed this article: Off topic."
    assert reader.page.one("main").one("a", href="/log?kind=remove")


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("", "Please give a reason: it stands in the public log."),
        (" \u202e ", "Please give a reason: it stands in the public log."),
        ("x" * 301, "300 characters at most, please."),
    ],
)
def test_a_removal_needs_a_reason_and_keeps_what_was_typed(
    reason: str, says: str, mod: Browser, fake_store: Store
) -> None:
    mod.open("/g/redis").submit("/a/1/remove", reason=reason)
    form = mod.form("/a/1/remove")
    assert (mod.status, form.one("p", role="alert").words) == (422, says)
    assert form.one("input", name="reason")["value"] == reason
    assert "open" in next(each for each in mod.page.all("details", class_="sorting") if "Moderate" in each.words)
    assert not fake_store.articles.get(1).gone
    mod.submit("/a/1/remove", reason="Spam.")
    assert mod.location == "/g/redis#a1"


def test_its_poster_and_moderators_still_read_what_was_removed_and_why(
    ann: Browser, mod: Browser, bob: Browser, fake_store: Store
) -> None:
    remove(fake_store, HOSTILE)
    for person in (ann, mod):
        assert person.open("/a/1").status == 200
        assert person.page.one("div", role="note").words.startswith(f"A moderator removed this article: {HOSTILE}")
        assert person.page.one("div", class_="text").one("em").words == "words"
        for act in ("edit", "delete", "report", "remove"):
            assert f'"/a/1/{act}"' not in person.answer.text
    assert mod.page.all("form", action="/a/1/restore")
    assert not ann.page.all("form", action="/a/1/restore")
    assert bob.open("/a/1").status == 410
    assert bob.page.one("p", class_="lead").words == f"A moderator removed this article: {HOSTILE}"


def test_a_restored_article_is_back_everywhere_with_its_votes(mod: Browser, reader: Browser, fake_store: Store) -> None:
    fake_store.votes.cast(1, factories.user(fake_store, "bob"))
    remove(fake_store)
    mod.open("/a/1").submit("/a/1/restore")
    assert mod.location == "/a/1#a1"
    assert mod.follow().flashes == ["The article is back in every list, with its votes."]
    for place in ("/", "/new", "/g/redis", "/g/redis/new", "/u/ann"):
        assert titles(reader.open(place)) == ["On Redis"]
    assert fake_store.articles.get(1).votes == 2
    assert reader.open("/a/1").status == 200


ACTS = [
    ("edit", {"title": "Another", "text": "words"}),
    ("delete", {}),
    ("groups", {"add": "redis"}),
    ("report", {"reason": "spam"}),
    ("vote", {}),
    ("unvote", {}),
]


@pytest.mark.parametrize("gone", [ArticleStatus.DELETED, ArticleStatus.REMOVED])
@pytest.mark.parametrize(("act", "fields"), ACTS)
def test_nothing_can_be_done_to_what_is_gone(
    act: str, fields: dict[str, str], gone: ArticleStatus, make_member: MakeMember, mod: Browser, ann: Browser, fake_store: Store
) -> None:
    people = {"mod": mod, "ann": ann, "eve": make_member("eve", Role.ADMIN)}
    remove(fake_store) if gone is ArticleStatus.REMOVED else fake_store.removals.delete(1)
    before = but_counters(fake_store)
    for name, person in people.items():
        for headers in ({}, JSON):
            person.post(f"/a/1/{act}", fields | {"csrf_token": person.token()}, headers=headers)
            assert person.status == (403 if (act, name) == ("groups", "ann") else 410)
            assert but_counters(fake_store) == before


def test_whoever_removes_what_another_has_just_removed_is_told_in_the_list(mod: Browser, fake_store: Store) -> None:
    mod.open("/new")
    remove(fake_store)
    before = everything(fake_store)
    mod.submit("/a/1/remove", reason="Mine.")
    assert mod.location == "/new#a1"
    assert mod.follow().flashes == ["This article is no longer here."]
    assert everything(fake_store) == before


def test_what_its_poster_deleted_cannot_be_restored(mod: Browser, fake_store: Store) -> None:
    fake_store.removals.delete(1)
    mod.post("/a/1/restore", {"csrf_token": mod.token()})
    assert mod.status == 410
    assert not titles(mod.open("/new"))


@pytest.mark.parametrize("act", ["edit", "delete", "groups", "remove", "restore", "report", "dismiss"])
def test_nothing_can_be_done_to_what_never_was(act: str, mod: Browser, fake_store: Store) -> None:
    before = but_counters(fake_store)
    mod.post(f"/a/99/{act}", {"csrf_token": mod.token(), "reason": "spam", "title": "A title", "text": "words"})
    assert (mod.status, mod.page.one("p", class_="lead").words) == (404, "There is no such article.")
    assert but_counters(fake_store) == before
