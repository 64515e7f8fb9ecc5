"""Editing an article: by its poster in its first minutes, by moderators at any time, and over the change of another."""

import time
from datetime import UTC, datetime

import pytest

from tests import factories
from tests.web.browser import Browser, fields_of
from tests.web.conftest import CountRoundTrips, MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core.config import MAX_TEXT_LENGTH
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.schema.fields import ARTICLE_WORDS


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """An article of ann's in one of two groups."""
    for name in ("python", "redis"):
        factories.group(store, name)
    factories.article(store, title="On Redis", text="Its words.", groups=("redis",))


def test_form_has_the_article_and_says_until_when(ann: Browser) -> None:
    assert not ann.open("/a/1").page.all("form", action="/a/1/report")
    ann.open(ann.page.one("a", href="/a/1/edit")["href"])
    assert ann.intro.startswith("You can change your article until ")
    fields = fields_of(ann.form("/a/1/edit"))
    typed = [fields[name] for name in ("title", "link", "text", "groups")]
    assert typed == ["On Redis", "https://example.com/redis", "Its words.", "redis"]


def test_edit_is_shown_with_its_time_and_keeps_the_ranking(ann: Browser, reader: Browser, store: Store) -> None:
    before = store.articles.get(1)
    ann.fill_in("/a/1/edit", title=HOSTILE, link="", text="New *words*.", groups=["python"])
    assert ann.follow().flashes == ["The article has been changed."]
    assert reader.open("/a/1").heading == HOSTILE
    assert reader.page.one("p", class_="meta").text.endswith("edited just now")
    after = store.articles.get(1)
    assert (after.time, after.votes, after.groups) == (before.time, before.votes, ("python",))
    assert not store.connection.client.exists("log:")


def test_a_stored_title_with_lost_characters_stays(ann: Browser, store: Store) -> None:
    store.connection.command("HSET", "article:1", "title", "caf\ufffd")
    ann.fill_in("/a/1/edit", text="More.")
    assert ann.follow().flashes == ["The article has been changed."]
    ann.fill_in("/a/1/edit", title="th\ufffd")
    assert (ann.status, store.articles.get(1).title) == (422, "caf\ufffd")
    assert "characters that were lost" in ann.text


def test_moderator_edits_at_any_time_and_it_is_logged(mod: Browser, reader: Browser, store: Store) -> None:
    factories.imported(store, title="Last week's")
    mod.open(mod.open("/a/2").page.one("a", href="/a/2/edit")["href"])
    assert "The log records the change." in mod.intro
    mod.submit("/a/2/edit", title="Better words")
    assert mod.follow().heading == "Better words"
    (entry,) = reader.open("/log").log
    assert entry.startswith("mod edited “Last week's”")


def test_every_word_is_posted_edited_and_shown(mod: Browser) -> None:
    first, second = (
        {name: f"https://{when}-{name}.example/" for name in ARTICLE_WORDS} for when in ("first", "second")
    )
    mod.fill_in("/submit", **first)
    mod.fill_in("/a/2/edit", **second)
    fields = fields_of(mod.open("/a/2/edit").form("/a/2/edit"))
    assert {name: fields.get(name) for name in ARTICLE_WORDS} == second
    page = mod.open("/a/2").page
    assert [text for text in second.values() if text not in mod.text] == []
    assert page.one("dl", class_="version").texts("dd") == [*first.values(), "none"]


@pytest.mark.parametrize("name", ARTICLE_WORDS)
def test_every_word_is_bounded_and_cleaned(mod: Browser, store: Store, name: str) -> None:
    typed = {"title": "A fair title", "link": "", "text": ""}
    too_long = "https://long.example/" + "x" * MAX_TEXT_LENGTH
    assert mod.fill_in("/submit", **typed | {name: too_long}).status == 422
    mod.fill_in("/submit", **typed | {name: "https://clean.example/\x07\u202e"})
    assert mod.status == 422 or not {"\x07", "\u202e"} & set(getattr(store.articles.get(2), name))


def change_title(mod: Browser) -> None:
    mod.fill_in("/a/1/edit", title="A fair title", text="Fair words.")


def test_both_versions_are_shown_and_the_typed_one_kept(ann: Browser, mod: Browser, store: Store) -> None:
    ann.open("/a/1/edit")
    change_title(mod)
    ann.submit("/a/1/edit", title=HOSTILE, text="My words.", groups=["python"])
    assert ann.alert.startswith("Somebody has changed this article since you opened this form")
    now, yours = ann.page.one("div", class_="versions").all("section")
    assert now.texts("dd") == [
        "A fair title", "https://example.com/redis", "Fair words.", "redis",
    ]  # fmt: skip
    assert yours.texts("dd") == [HOSTILE, "https://example.com/redis", "My words.", "python"]
    ann.submit("/a/1/edit")  # on purpose
    assert (store.articles.get(1).title, store.articles.get(1).groups) == (HOSTILE, ("python",))


def test_edit_that_comes_too_late_keeps_what_was_typed(ann: Browser, store: Store) -> None:
    ann.open("/a/1/edit")
    posted = time.time() - 960
    store.connection.client.hset("article:1", "time", posted)
    ann.submit("/a/1/edit", title="My words")
    assert (ann.status, ann.value("title")) == (403, "My words")
    assert "As a moderator" not in ann.main
    assert ann.form("/a/1/edit").all("button") == []
    until = datetime.fromtimestamp(posted + 900, UTC)
    assert ann.page.one("main").values("datetime", "time") == [f"{until:%Y-%m-%dT%H:%M:%SZ}"]
    assert f"You could change this article until {until:%-d %b %Y, %H:%M} UTC" in ann.open("/a/1/edit").intro
    assert ann.open("/a/1").page.all("a", href="/a/1/edit") + ann.page.all("form", action="/a/1/delete") == []
    assert ann.open("/a/1/edit").status == 403
    assert store.articles.get(1).title == "On Redis"


def test_poster_cannot_exchange_a_link_that_others_voted_for(ann: Browser, store: Store) -> None:
    ann.fill_in("/a/1/edit", link="https://example.com/first")
    store.votes.cast(1, factories.user(store, "bob"))
    ann.fill_in("/a/1/edit", title="Kept title", link="https://spam.example/")
    assert ann.field_error("link") == "Others have voted for this article, so you can no longer change its link."
    assert ann.value("title") == "Kept title"


def test_moderators_alone_see_earlier_versions(
    ann: Browser, mod: Browser, bob: Browser, reader: Browser, store: Store, count_round_trips: CountRoundTrips
) -> None:
    ann.fill_in("/a/1/edit", title="Second title", link="", text=HOSTILE)
    change_title(mod)
    for other in (ann, bob, reader):
        assert "Second title" not in other.open("/a/1").text
        assert count_round_trips(other.open, "/a/1") == 1
    earlier = mod.open("/a/1").page.by_id("earlier")
    assert earlier.texts("dd") == [
        *("Second title", "none", HOSTILE, "redis"),
        *("On Redis", "https://example.com/redis", "Its words.", "redis"),
    ]
    assert [heading.text.split(", when ")[1] for heading in earlier.all("h2")] == [
        "a moderator edited it",
        "the poster edited it",
    ]
    assert count_round_trips(mod.open, "/a/1") == 2


def test_each_version_can_be_brought_back(mod: Browser, store: Store) -> None:
    for number in range(1, 7):
        mod.fill_in("/a/1/edit", title=f"Vandal {number}", text="", groups=["python"])
    earlier = mod.open("/a/1").page.by_id("earlier")
    assert len(earlier.all("form", action="/a/1/back")) == len(earlier.all("dl")) == 5
    assert "This is what its poster had last." in earlier.text
    mod.send("/a/1/back", next="/a/1")
    assert mod.follow().flashes == ["The article is as it was in that version."]
    article = store.articles.get(1)
    assert (article.title, article.text, article.groups) == ("On Redis", "Its words.", ("redis",))
    until = fields_of(mod.open("/a/1").page.by_id("earlier").all("form", action="/a/1/back")[0])["until"]
    mod.send("/a/1/back", until=until, next="/a/1").follow()
    assert store.articles.get(1).title == "Vandal 6"
    assert mod.send("/a/1/back", until="1", next="/a/1").follow().flashes == ["This version is not kept any more."]


def test_an_admin_says_why_a_voted_link_is_exchanged(mod: Browser, make_member: MakeMember, store: Store) -> None:
    admin = make_member("admin", Role.ADMIN)
    mod.fill_in("/a/1/edit", link="https://spam.example/")
    store.votes.cast(1, factories.user(store, "bob"))
    for browser, why in ((mod, "Better."), (admin, "")):
        browser.fill_in("/a/1/edit", link="https://other.example/", reason=why)
        assert browser.field_error("link").endswith("only admins change its link, for a reason.")
        assert browser.send("/a/1/back", next="/a/1", reason=why).follow().flashes[0].startswith("Others have voted")
    admin.open("/a/1").submit("/a/1/back", reason="Spam.")
    assert store.articles.get(1).link == "https://example.com/redis"
    assert admin.open("/log").log[0].startswith("admin edited “On Redis” : Spam.")
