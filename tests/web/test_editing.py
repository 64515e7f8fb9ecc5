"""Editing an article: the own one in its first minutes, any one as a moderator."""

import re
import time
from dataclasses import replace

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.models import LogAction
from voteweb.store import Store

HOSTILE = "<b>&amp;</b> \"quotes\" 'too' {{ 7*7 }} %(x)s"


@pytest.fixture(autouse=True)
def article(fake_store: Store) -> None:
    """An article of ann's in one of two groups."""
    for name in ("python", "redis"):
        factories.group(fake_store, name)
    factories.article(fake_store, title="On Redis", text="Its words.", groups=("redis",))


def test_the_form_says_until_when_and_holds_the_article(ann: Browser) -> None:
    ann.open(ann.open("/a/1").page.one("a", href="/a/1/edit")["href"])
    said = ann.page.one("p", class_="lead").words
    assert re.fullmatch(r"You can change your article until \d+ \w+ \d{4}, \d\d:\d\d UTC\.", said)
    form = ann.form("/a/1/edit")
    assert form.one("input", name="title")["value"] == "On Redis"
    assert form.one("input", name="link")["value"] == "https://example.com/redis"
    assert form.one("textarea").words == "Its words."
    assert [each["value"] for each in form.all("input", name="groups") if "checked" in each] == ["redis"]
    assert ann.page.one("main").one("a", href="/a/1")


def test_a_change_is_shown_with_its_time_and_does_not_move_the_article(
    ann: Browser, reader: Browser, fake_store: Store
) -> None:
    before = fake_store.articles.get(1)
    ann.open("/a/1/edit").submit("/a/1/edit", title=HOSTILE, link="", text="New *words*.", groups=["python"])
    assert ann.location == "/a/1"
    assert ann.follow().flashes == ["The article is changed."]
    page = reader.open("/a/1").page
    assert page.one("h1").words == HOSTILE
    assert page.one("div", class_="text").one("em").words == "words"
    assert page.one("p", class_="meta").words.endswith("edited just now")
    after = fake_store.articles.get(1)
    assert (after.time, after.votes, after.groups) == (before.time, before.votes, ("python",))
    assert not fake_store.connection.client.exists("log:")


def test_an_article_that_was_saved_as_it_was_is_not_called_edited(ann: Browser, reader: Browser) -> None:
    ann.open("/a/1/edit").submit("/a/1/edit")
    assert ann.location == "/a/1"
    assert "edited" not in reader.open("/a/1").page.one("p", class_="meta").words


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("title", "", "A title needs at least 3 characters that can be read."),
        ("link", "javascript:alert(1)", "A link begins with http:// or https://."),
        ("text", "x" * 20_001, "A text has 20,000 characters at most; this one has 20,001."),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_everything_typed_stays(
    field: str, typed: str, says: str, ann: Browser, fake_store: Store
) -> None:
    fields = {"title": "Another", "link": "https://example.com/2", "text": "more"} | {field: typed}
    ann.open("/a/1/edit").submit("/a/1/edit", **fields, groups=["python", "redis"])
    assert (ann.status, ann.error_at(field)) == (422, says)
    form = ann.form("/a/1/edit")
    assert form.one("input", name="title")["value"] == fields["title"]
    assert form.one("input", name="link")["value"] == fields["link"]
    assert form.one("textarea").raw.removeprefix("\n") == fields["text"]
    assert {each["value"] for each in form.all("input", name="groups") if "checked" in each} == {"python", "redis"}
    assert ann.page.one("p", class_="lead").words.startswith("You can change your article until ")
    assert fake_store.articles.get(1).title == "On Redis"


def test_an_article_keeps_a_link_or_a_text(ann: Browser) -> None:
    ann.open("/a/1/edit").submit("/a/1/edit", link="", text=" ")
    assert (ann.status, ann.error_at("link")) == (422, "An article needs a link or a text.")


def test_groups_that_are_none_are_refused_beside_them(ann: Browser) -> None:
    ann.open("/a/1/edit").submit("/a/1/edit", groups=["nope"])
    assert (ann.status, ann.page.by_id("groups-errors").words) == (422, "There is no group named nope.")


def test_a_form_from_before_the_last_log_in_keeps_what_was_typed(ann: Browser) -> None:
    ann.open("/a/1/edit").submit("/a/1/edit", title="Typed", csrf_token="stale")
    assert ann.status == 422
    assert "please send it again" in ann.page.one("div", role="alert").words
    assert ann.page.one("input", name="title")["value"] == "Typed"
    assert ann.submit("/a/1/edit").location == "/a/1"


def test_after_its_minutes_the_poster_is_told_until_when_it_was(make_member: MakeMember, fake_store: Store) -> None:
    factories.imported(fake_store, poster="late", time=time.time() - 901)
    late = make_member("late")
    assert not late.open("/a/2").page.all("a", href="/a/2/edit")
    assert not late.page.all("form", action="/a/2/delete")
    assert late.open("/a/2/edit").status == 403
    assert late.page.one("p", class_="lead").words.startswith("Your own article could be changed until ")


def test_a_site_may_give_no_time_at_all(settings: Settings, fake_store: Store, ann: Browser) -> None:
    strict = Browser(create_app(replace(settings, edit_seconds=0), fake_store))
    strict.log_in("ann")
    assert not strict.open("/a/1").page.all("a", href="/a/1/edit")
    strict.post("/a/1/delete", {"csrf_token": strict.token()})
    assert strict.status == 403


def test_a_moderator_edits_at_any_time_and_the_log_says_so(mod: Browser, reader: Browser, fake_store: Store) -> None:
    factories.imported(fake_store, title="Of last week")
    mod.open(mod.open("/a/2").page.one("a", href="/a/2/edit")["href"])
    assert "The log says that you did." in mod.page.one("p", class_="lead").words
    mod.submit("/a/2/edit", title="Better words")
    assert mod.follow().heading == "Better words"
    (entry,) = reader.open("/log").page.one("ol", class_="log").all("li")
    assert entry.words.startswith("mod edited “Of last week”")


def test_a_moderators_own_fresh_article_is_no_matter_for_the_log(mod: Browser, fake_store: Store) -> None:
    id = factories.article(fake_store, fake_store.users.get("mod")).id
    mod.open(f"/a/{id}/edit")
    assert mod.page.one("p", class_="lead").words.startswith("You can change your article until ")
    mod.submit(f"/a/{id}/edit", title="Better words")
    assert not fake_store.connection.client.exists(f"log-kind:{LogAction.EDIT}")


def test_whoever_was_logged_out_keeps_what_was_typed(ann: Browser, fake_store: Store) -> None:
    ann.open("/a/1/edit")
    fake_store.users.end_sessions("ann")
    ann.submit("/a/1/edit", title="A long and careful title")
    assert ann.status == 422
    assert "You are logged out." in ann.page.one("div", role="alert").words
    assert ann.page.one("input", name="title")["value"] == "A long and careful title"
    assert fake_store.articles.get(1).title == "On Redis"
