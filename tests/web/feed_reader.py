"""Feeds as their readers see them, and the articles that the tests of feeds begin with."""

import json
from typing import Any
from xml.etree import ElementTree

import feedparser

from tests import factories
from tests.web.browser import Browser
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

ATOM = "{http://www.w3.org/2005/Atom}"
ARTICLE_LISTS = [
    "/feed",
    "/new",
    "/good",
    "/g/python",
    "/g/python/new",
    "/g/python+redis",
    "/g/python+redis/new",
    "/u/ann",
]
LISTS = [*ARTICLE_LISTS, "/log"]
FEEDS = [f"{path}.{form}" for path in LISTS for form in ("atom", "json")]

Row = dict[str, Any]


def lay_in(store: Store) -> None:
    """A good link in two groups, a text in one of them, and the text's removal of a third in the log."""
    factories.group(store, "python", "Python & co", "The <language>.")
    factories.group(store, "redis")
    both = ("python", "redis")
    factories.imported(store, title="A link", link="https://example.com/a?b=1&c=2", groups=both, votes=200)
    text = "Some **bold** text.\n\n<b>no</b> [link](https://example.org/) [bad](javascript:1)"
    factories.article(store, title="A text", link="", text=text, groups=both)
    factories.article(store, factories.user(store, "spam"), title="Spam", link="https://spam.example/")
    entry = NewLogEntry(LogAction.REMOVE, "mod", about="spam", article=3, title="Spam & <eggs>", why="It is <spam>.")
    store.removals.remove(3, entry)


def atom(browser: Browser, address: str) -> Any:
    """Return the feed as feedparser understands it, which must find nothing wrong with it."""
    browser.open(address)
    assert browser.status == 200, address
    headers = {"content-type": browser.answer.headers["Content-Type"]}
    found = feedparser.parse(browser.answer.data, response_headers=headers, resolve_relative_uris=False)
    assert not found.bozo, found.get("bozo_exception")
    assert found.version == "atom10"
    return found


def rows(browser: Browser, address: str) -> list[Row]:
    """Return the items of a JSON feed."""
    browser.open(address)
    assert (browser.status, browser.answer.mimetype) == (200, "application/feed+json")
    items: list[Row] = json.loads(browser.answer.data)["items"]
    return items


def titles(browser: Browser, path: str) -> list[str]:
    """Return the titles of a feed, which must be the same in both forms."""
    found = [entry.title for entry in atom(browser, f"{path}.atom").entries]
    assert found == [row["title"] for row in rows(browser, f"{path}.json")]
    return found


def tree(browser: Browser, address: str) -> ElementTree.Element:
    """Return the XML at *address*."""
    return ElementTree.fromstring(browser.open(address).answer.data)
