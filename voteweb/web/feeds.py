"""Feeds of lists, as Atom 1.0 (RFC 4287) and as JSON Feed 1.1, built from the same items."""

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
from voteweb.core.markup import excerpt, xml_text
from voteweb.core.models import Article
from voteweb.core.validation import is_member_name
from voteweb.web import branding
from voteweb.web.caching.text_cache import page_texts
from voteweb.web.context import brand, settings
from voteweb.web.i18n import formatting
from voteweb.web.i18n.locale import ENGLISH, force_language
from voteweb.web.responses import public, render_public, xml
from voteweb.web.urls import absolute, static

P = ParamSpec("P")
T = TypeVar("T")

#: The language of every feed: readers fetch the same copy, so it cannot depend on who asks.
LANGUAGE = ENGLISH
_ID_NAMESPACE = uuid5(NAMESPACE_URL, "https://voteweb.example/ids")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a feed: its title links to ``url``; ``page_url`` is its page on this site, often the same.

    All URLs are full ones. ``content`` is HTML; times are unix seconds.
    """

    id: str
    title: str
    url: str
    page_url: str
    author: str
    author_url: str
    published: float
    updated: float
    content: str
    tags: tuple[str, ...] = ()
    #: The number of comments on an article, at ``page_url`` and in its feed; None where there is no conversation.
    comments: int | None = None
    #: Id and full URL of what a comment answers, "" if that is not known.
    answers: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Feed:
    """A list as a feed; ``path`` and ``query`` are those of the list's page.

    ``feed_path`` is the path of the feed without its ending, if that is not the path of the page. ``is_dated``: the
    newest change is named as the time of the feed's last change. A list from which something can disappear must not
    do so: a reader who asks only by time would keep what was deleted.
    """

    title: str
    path: str
    items: tuple[Item, ...]
    description: str = ""
    query: str = ""
    feed_path: str = ""
    is_dated: bool = True

    @property
    def page_url(self) -> str:
        """The full URL of the list's page."""
        return absolute(quote(self.path, safe="/+") + self.query)

    @property
    def updated(self) -> float:
        """The unix time of the newest change to an item, 0 without items."""
        return max((item.updated for item in self.items), default=0.0)

    def url(self, format: str) -> str:
        """Return the full URL of this feed as "atom" or "json"."""
        path = "/feed" if self.path == "/" else quote(self.feed_path or self.path, safe="/+")
        return absolute(f"{path}.{format}{self.query}")


def permanent_id(kind: str, number: int, time: float) -> str:
    """Return an id that never changes, derived from an item's *number* and the unix *time* at which it was created.

    Feed readers show an item again when its id changes. A permalink or a tag URI contains the site's domain, so all
    items would be new after a move to another domain, or under each host of a site without VOTEWEB_SITE_URL. Number
    and time (to the microsecond) move along with the data, and no edit changes them.
    """
    return uuid5(_ID_NAMESPACE, f"{kind}:{number}:{time:.6f}").urn


def article_item(article: Article) -> Item:
    """Return *article* as an item; without a valid link, its title links to its own page."""
    page_url, text = absolute(f"/a/{article.id}"), page_texts().article(excerpt(article.text))
    return Item(
        id=permanent_id("article", article.id, article.time),
        title=article.title,
        url=web_address(article.link) or page_url,
        page_url=page_url,
        author=article.poster,
        author_url=author_url(article.poster),
        published=article.time,
        updated=article.edited or article.time,
        content=render_public("feeds/_content.html", article=article, text=text, page=page_url),
        tags=article.groups,
        comments=article.comments if settings().comments else None,
    )


def author_url(name: str) -> str:
    """Return the full URL of the page of the member *name*, "" for a name that no member can have."""
    return absolute(f"/u/{quote(name)}") if is_member_name(name) else ""


def feed_language(view: Callable[P, T]) -> Callable[P, T]:
    """Make *view* answer in LANGUAGE, whatever the reader's browser prefers."""

    @wraps(view)
    def in_feed_language(*args: P.args, **kwargs: P.kwargs) -> T:
        with force_language(LANGUAGE):
            return view(*args, **kwargs)

    return in_feed_language


def feed_response(feed: Feed, format: str) -> Response:
    """Return *feed* as "atom" or "json"."""
    modified = feed.updated if feed.is_dated else 0.0
    if format == "atom":
        return xml("feeds/atom.xml", "application/atom+xml", config.FEED_SECONDS, modified, feed=feed)
    body = json.dumps(_clean(_json_feed(feed)), ensure_ascii=False, separators=(",", ":"))
    return public(body, "application/feed+json", config.FEED_SECONDS, modified)


def _json_feed(feed: Feed) -> dict[str, Any]:
    return _without_empty(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": f"{settings().site_name}: {feed.title}",
            "home_page_url": feed.page_url,
            "feed_url": feed.url("json"),
            "description": feed.description,
            "favicon": absolute(static(branding.main_icon(brand()).name)),
            "language": LANGUAGE.tag,
            "items": [_json_item(item) for item in feed.items],
        }
    )


def _json_item(item: Item) -> dict[str, Any]:
    author = _without_empty({"name": item.author, "url": item.author_url})
    return _without_empty(
        {
            "id": item.id,
            "url": item.page_url,
            "external_url": item.url if item.url != item.page_url else "",
            "title": item.title,
            "content_html": item.content,
            "date_published": formatting.iso(item.published),
            "date_modified": formatting.iso(item.updated),
            "authors": [author] if item.author else "",
            "tags": list(item.tags) or "",
        }
    )


def _without_empty(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value != ""}


def _clean(value: Any) -> Any:
    """Return the JSON *value* with all its texts reduced to the characters that the Atom feed may contain."""
    if isinstance(value, str):
        return xml_text(value)
    if isinstance(value, dict):
        return {name: _clean(field) for name, field in value.items()}
    return [_clean(element) for element in value] if isinstance(value, list) else value
