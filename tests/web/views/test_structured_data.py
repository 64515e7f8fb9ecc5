"""The structured data of an article with comments, for search engines."""

import json
from typing import Any

from tests import factories
from tests.web.browser import Browser
from tests.web.escaping import EVIL, HOSTILE, assert_harmless
from voteweb.core import config
from voteweb.store import Store


def described(browser: Browser, path: str) -> list[Any]:
    """Return the structured data of the page at *path*; the parser of HTML ends a script where browsers do."""
    scripts = browser.open(path).page.all("script", type="application/ld+json")
    return [json.loads(script.own_text) for script in scripts]


def test_article_with_comments_is_described_without_them(reader: Browser, bob: Browser, store: Store) -> None:
    factories.article(store, title=EVIL, text=f"*Words* {HOSTILE}{'x' * 900}", link="")
    assert described(reader, "/a/1") == []
    for text in (f"First words </script>{EVIL}", "Second words"):
        factories.comment(store, 1, factories.user(store, "bob"), text=text)
    (data,) = described(reader, "/a/1")
    assert_harmless(reader.page)
    assert (data["@type"], data["headline"], data["author"]["name"]) == ("DiscussionForumPosting", EVIL, "ann")
    assert data["text"].startswith("Words <b>&</b>")
    assert len(data["text"]) == config.DESCRIBED_TEXT_LENGTH + 1
    assert [count["userInteractionCount"] for count in data["interactionStatistic"]] == [1, 2]
    assert data["datePublished"] == reader.page.one("article").one("time")["datetime"]
    assert data["url"] == "http://localhost/a/1"
    assert reader.response.text.count("First words") == 1
    assert described(bob, "/a/1") == []  # it is for search engines


def test_link_with_comments_is_described_with_its_address(reader: Browser, store: Store) -> None:
    factories.article(store, link="https://example.com/?a=<b>", text="")
    factories.comment(store)
    (data,) = described(reader, "/a/1")
    assert data["sharedContent"]["url"] == "https://example.com/?a=%3Cb%3E"
    assert data["text"] == data["headline"]
