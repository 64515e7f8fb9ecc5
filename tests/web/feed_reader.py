"""Read feeds as programs do, and add the articles that the tests of feeds need."""

import json
from typing import Any
from xml.etree import ElementTree

import feedparser

from tests import factories
from tests.web.browser import Browser
from voteweb.store import Store

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
FEEDS = [f"{path}.{format}" for path in LISTS for format in ("atom", "json")]

Item = dict[str, Any]


def add_articles(store: Store) -> None:
    """Add a good link and a text, both in two groups, and the removal of a third article to the log."""
    factories.group(store, "python", "Python & co", "The <language>.")
    factories.group(store, "redis")
    both = ("python", "redis")
    factories.imported(store, title="A link", link="https://example.com/a?b=1&c=2", groups=both, votes=200)
    text = "Some **bold** text.\n\n<b>no</b> [link](https://example.org/) [bad](javascript:1)"
    factories.article(store, title="A text", link="", text=text, groups=both)
    factories.article(store, factories.user(store, "spam"), title="Spam & <eggs>", link="https://spam.example/")
    factories.remove(store, 3, "It is <spam>.")


def atom(browser: Browser, address: str) -> Any:
    """Return the feed at *address* as feedparser reads it, which must not find an error."""
    browser.open(address)
    assert browser.status == 200, address
    headers = {"content-type": browser.headers["Content-Type"]}
    feed = feedparser.parse(browser.response.data, response_headers=headers, resolve_relative_uris=False)
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.version == "atom10"
    return feed


def items(browser: Browser, address: str) -> list[Item]:
    """Return the items of a JSON feed."""
    browser.open(address)
    assert (browser.status, browser.response.mimetype) == (200, "application/feed+json")
    feed: dict[str, list[Item]] = json.loads(browser.response.data)
    return feed["items"]


def titles(browser: Browser, path: str) -> list[str]:
    """Return the titles of a feed, which must be the same in both formats."""
    titles = [entry.title for entry in atom(browser, f"{path}.atom").entries]
    assert titles == [item["title"] for item in items(browser, f"{path}.json")]
    return titles


def tree(browser: Browser, address: str) -> ElementTree.Element:
    """Return the XML document at *address*."""
    return ElementTree.fromstring(browser.open(address).response.data)
