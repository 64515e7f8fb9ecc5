"""The structured data of an article with comments, for search engines."""

import json
from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.escaping import EVIL, HOSTILE, assert_harmless
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry


def described(browser: Browser, path: str) -> list[Any]:
    """Return the structured data of the page at *path*; the parser of HTML ends a script where browsers do."""
    scripts = browser.open(path).page.all("script", type="application/ld+json")
    return [json.loads(script.own_text) for script in scripts]


def test_article_and_its_comments_are_described_as_they_are_shown(reader: Browser, bob: Browser, store: Store) -> None:
    factories.article(store, title=EVIL, text=f"*Words* {HOSTILE}", link="")
    assert described(reader, "/a/1") == []
    bobs = factories.user(store, "bob")
    for parent, text in ((0, f"**First** </script><script>alert(1)</script>{EVIL}"), (1, "Second"), (0, "x" * 900)):
        factories.comment(store, 1, bobs, parent=parent, text=text)
    factories.comment(store, 1, bobs, text="Removed words")
    entry = NewLogEntry(LogAction.REMOVE, "mod", article=1, comment=4, about="bob", why="no")
    store.comment_removals.remove(CommentId(1, 4), entry, with_replies=False, actor=None)
    (data,) = described(reader, "/a/1")
    assert_harmless(reader.page)
    assert (data["@type"], data["headline"], data["author"]["name"]) == ("DiscussionForumPosting", EVIL, "ann")
    assert data["text"].startswith("Words <b>&</b>")
    assert [count["userInteractionCount"] for count in data["interactionStatistic"]] == [1, 3]
    assert data["datePublished"] == reader.page.one("article").one("time")["datetime"]
    assert data["url"] == "http://localhost/a/1"
    long, first = data["comment"]  # of two comments with the same score the newer stands first
    assert first["text"].startswith("First </script><script>alert(1)</script>")
    assert first["author"] == {"@type": "Person", "name": "bob", "url": "http://localhost/u/bob"}
    assert first["url"] == "http://localhost/a/1/c/1"
    assert [answer["text"] for answer in first["comment"]] == ["Second"]
    assert len(long["text"]) == config.DESCRIBED_TEXT_LENGTH + 1
    assert "Removed words" not in reader.response.text
    assert described(bob, "/a/1") == []  # it is for search engines


def test_at_most_so_many_comments_are_described(reader: Browser, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.article(store, link="https://example.com/?a=<b>", text="")
    for _ in range(3):
        factories.comment(store)
    monkeypatch.setattr(config, "MAX_DESCRIBED_COMMENTS", 2)
    (data,) = described(reader, "/a/1")
    assert len(data["comment"]) == 2
    assert data["sharedContent"]["url"] == "https://example.com/?a=%3Cb%3E"
    assert data["text"] == data["headline"]
