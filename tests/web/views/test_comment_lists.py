"""Comments outside their conversations: the newest of the site, and those of a member."""

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.core.models import User
from voteweb.store import Store


@pytest.fixture
def ann(store: Store) -> User:
    """A member with a comment on bob's article 1 and an answer to bob's comment there; comment 4 is on article 2."""
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    factories.article(store, bob, title="One <b>")
    factories.article(store, bob, title="Two")
    factories.comment(store, 1, bob, text="First")
    factories.comment(store, 1, ann, parent=1, text="An **answer**")
    factories.comment(store, 2, bob, text="Elsewhere")
    return ann


def texts(browser: Browser) -> list[str]:
    return [row.one("div", class_="text").text for row in browser.page.all("li", class_="comment")]


def test_newest_comments_stand_with_article_and_whom_they_answer(ann: User, reader: Browser) -> None:
    reader.open("/comments")
    assert texts(reader) == ["Elsewhere", "An answer", "First"]
    row = reader.page.by_id("c1-2")
    assert [(link.text, link["href"]) for link in row.all("a")] == [
        ("Ann", "/u/Ann"), ("just now", "/a/1/c/2"), ("bob", "/u/bob"), ("One <b>", "/a/1"), ("In context", "/a/1/c/2"),
    ]  # fmt: skip
    assert row.one("h2").text == "Ann · just now to bob on One <b> · 0 votes"


def test_members_comments_are_theirs_alone(ann: User, reader: Browser) -> None:
    assert texts(reader.open("/u/ann/comments")) == ["An answer"]
    assert (reader.heading, texts(reader.open("/u/bob/comments"))) == ("Comments by Ann", ["Elsewhere", "First"])
    assert reader.open("/u/nobody-here/comments").status == 404


def test_comments_are_listed_on_pages_of_25(reader: Browser, store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    for number in range(1, 31):
        factories.comment(store, article, bob, text=f"Comment {number}")
    for path in ("/comments", "/u/bob/comments"):
        assert texts(reader.open(path)) == [f"Comment {number}" for number in range(30, 5, -1)]
        reader.open_next()
        assert texts(reader) == [f"Comment {number}" for number in range(5, 0, -1)]
        assert reader.open(f"{path}?page=3").status == 404
