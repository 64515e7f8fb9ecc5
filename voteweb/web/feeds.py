"""Feeds: what people subscribe to, as Atom 1.0 (RFC 4287) and as JSON Feed 1.1, made of the same items."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from flask import Response

from voteweb.core import config
from voteweb.core.links import web_address
from voteweb.core.markup import xml_text
from voteweb.core.models import Article
from voteweb.core.validation import is_member_name
from voteweb.web.context import settings
from voteweb.web.i18n import formatting
from voteweb.web.i18n.locale import ENGLISH, force_language
from voteweb.web.responses import public, render_public, xml
from voteweb.web.urls import absolute, static

P = ParamSpec("P")
T = TypeVar("T")

#: The language of every feed: it is fetched once for many, so it cannot ask who reads.
LANGUAGE = ENGLISH
_IDS = uuid5(NAMESPACE_URL, "https://voteweb.example/ids")


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a feed: its title leads to ``story``, a full address; ``page`` is its page here, often the same.

    ``content`` is HTML; times are unix seconds.
    """

    id: str
    title: str
    story: str
    page: str
    author: str
    author_page: str
    published: float
    updated: float
    content: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """A list as a feed; ``path`` is that of the list's page, ``query`` what makes another list of it."""

    title: str
    path: str
    items: tuple[Item, ...]
    description: str = ""
    query: str = ""

    @property
    def page(self) -> str:
        """The full address of the list's page."""
        return absolute(quote(self.path, safe="/+") + self.query)

    @property
    def updated(self) -> float:
        """The unix time of the newest change to an item, 0 without items."""
        return max((item.updated for item in self.items), default=0.0)

    def address(self, form: str) -> str:
        """Return the full address of the feed in this *form*: the list's own and an ending."""
        path = "/feed" if self.path == "/" else quote(self.path, safe="/+")
        return absolute(f"{path}.{form}{self.query}")


def permanent_id(kind: str, number: int, time: float) -> str:
    """Return the name of a thing for all time, from its *number* here and the unix *time* at which it began.

    Feed readers show an entry again when its id changes. A permalink or a tag URI holds the site's domain, so all
    entries would be new after a move to another one, or under each name that a site without VOTEWEB_SITE_URL is
    called by. Number and time (to the microsecond) move along with the data, and no edit changes them.
    """
    return uuid5(_IDS, f"{kind}:{number}:{time:.6f}").urn


def article_item(article: Article) -> Item:
    """Return *article* as an item; without a link that can be followed, its title leads to its own page."""
    page = absolute(f"/a/{article.id}")
    return Item(
        id=permanent_id("article", article.id, article.time),
        title=article.title,
        story=web_address(article.link) or page,
        page=page,
        author=article.poster,
        author_page=absolute(f"/u/{article.poster}") if is_member_name(article.poster) else "",
        published=article.time,
        updated=article.edited or article.time,
        content=render_public("feeds/_content.html", article=article, page=page),
        tags=article.groups,
    )


def feed_language(view: Callable[P, T]) -> Callable[P, T]:
    """Let *view* answer in LANGUAGE, whatever the reader's browser prefers."""

    @wraps(view)
    def in_feed_language(*args: P.args, **kwargs: P.kwargs) -> T:
        with force_language(LANGUAGE):
            return view(*args, **kwargs)

    return in_feed_language


def feed_response(feed: Feed, form: str) -> Response:
    """Return *feed* as "atom" or as "json"."""
    if form == "atom":
        return xml("feeds/atom.xml", "application/atom+xml", config.FEED_SECONDS, feed.updated, feed=feed)
    body = json.dumps(_clean(_json(feed)), ensure_ascii=False, separators=(",", ":"))
    return public(body, "application/feed+json", config.FEED_SECONDS, feed.updated)


def _json(feed: Feed) -> dict[str, Any]:
    made = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": f"{settings().site_name}: {feed.title}",
        "home_page_url": feed.page,
        "feed_url": feed.address("json"),
        "description": feed.description,
        "favicon": absolute(static("icon.svg")),
        "language": LANGUAGE.tag,
        "items": [_item(item) for item in feed.items],
    }
    return {name: value for name, value in made.items() if value != ""}


def _item(item: Item) -> dict[str, Any]:
    author = {"name": item.author, "url": item.author_page}
    made = {
        "id": item.id,
        "url": item.page,
        "external_url": item.story if item.story != item.page else "",
        "title": item.title,
        "content_html": item.content,
        "date_published": formatting.iso(item.published),
        "date_modified": formatting.iso(item.updated),
        "authors": [{name: value for name, value in author.items() if value}] if item.author else "",
        "tags": list(item.tags) or "",
    }
    return {name: value for name, value in made.items() if value != ""}


def _clean(value: Any) -> Any:
    """Return what is to become JSON, with every text in it as clean as the Atom feed's."""
    if isinstance(value, str):
        return xml_text(value)
    if isinstance(value, dict):
        return {name: _clean(each) for name, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list) else value
