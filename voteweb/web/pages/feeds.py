"""Feeds of articles, comments and notices, as Atom 1.0 (RFC 4287) and as JSON Feed 1.1, built from the same items."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from html import unescape
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from flask import Blueprint, Response, g
from flask.typing import ResponseReturnValue

from voteweb.core import config
from voteweb.core.comments import CommentId, ListedComment, Node, Notice, NoticeKind, Thread
from voteweb.core.conversation import Conversation
from voteweb.core.links import web_address
from voteweb.core.markup import RenderedText, excerpt, for_feeds, xml_text
from voteweb.core.models import Article, LogAction, LogEntry
from voteweb.core.validation import is_member_name
from voteweb.web.base.context import brand, settings
from voteweb.web.base.responses import public, render_public, xml
from voteweb.web.base.urls import absolute, comment_path, static
from voteweb.web.caching.posters import named
from voteweb.web.caching.text_cache import page_texts
from voteweb.web.i18n import formatting
from voteweb.web.i18n.formatting import ACCOUNT_CHANGES, display_name
from voteweb.web.i18n.locale import ENGLISH, force_language
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages import branding

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
    #: Id and full URL of the post that a comment answers, "" if that is not known.
    answers: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Feed:
    """A list as a feed; ``path`` and ``query`` are those of the list's page.

    ``secret_path`` is the path of a feed at a secret address, without its ending. ``is_dated``: the newest change is
    named as the time of the feed's last change. A list from which something can disappear must not do so: a reader who
    asks only by time would keep what was deleted.
    """

    title: str
    path: str
    items: tuple[Item, ...]
    description: str = ""
    query: str = ""
    secret_path: str = ""
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
        path = "/feed" if self.path == "/" else quote(self.secret_path or self.path, safe="/+")
        return absolute(f"{path}.{format}{self.query}")


#: A view of a feed may also redirect.
Answer = Feed | ResponseReturnValue


def permanent_id(kind: str, number: int, time: float) -> str:
    """Return an id that never changes, derived from an item's *number* and the unix *time* at which it was created.

    Feed readers show an item again when its id changes. A permalink or a tag URI contains the site's domain, so all
    items would be new after a move to another domain, or under each host of a site without VOTEWEB_SITE_URL. Number
    and time (to the microsecond) move along with the data, and no edit changes them.
    """
    return uuid5(_ID_NAMESPACE, f"{kind}:{number}:{time:.6f}").urn


def article_items(articles: Iterable[Article]) -> tuple[Item, ...]:
    """Return *articles* as items; without a valid link, the title of one links to its own page."""
    return tuple(map(_article_item, named(articles)))


def _article_item(article: Article) -> Item:
    page_url = absolute(f"/a/{article.id}")
    text = page_texts().article(excerpt(article.text)) if article.text else ""
    return Item(
        id=permanent_id("article", article.id, article.time),
        title=article.title,
        url=web_address(article.link) or page_url,
        page_url=page_url,
        author=article.poster,
        author_url=author_url(article.poster),
        published=article.time,
        updated=article.edited or article.time,
        content=_content(text, page_url, article.votes),
        tags=article.groups,
        comments=article.comments if settings().comments else None,
    )


def author_url(name: str) -> str:
    """Return the full URL of the page of the member *name*, "" for a name that no member can have."""
    return absolute(f"/u/{quote(name)}") if is_member_name(name) else ""


def newest_comments(conversation: Conversation, thread: Thread, root: int = 0) -> list[int]:
    """Return the numbers of the newest comments, or of those below the comment *root*, as a feed shows them."""
    numbers: list[int] = []
    for number in sorted(thread.nodes, reverse=True):
        is_below = not root or any(node.number == root for node in conversation.ancestors(number))
        if is_below and conversation.is_visible(number):
            numbers.append(number)
        if len(numbers) == config.COMMENT_PAGE_SIZE:
            break
    return numbers


def thread_item(article: Article, thread: Thread, number: int, text: str) -> Item:
    """Return comment *number* of a conversation, of these words, as an item."""
    node = thread.nodes[number]
    if parent := thread.nodes.get(node.parent):
        answers = (_comment_id(article.id, parent), absolute(comment_path(article.id, parent.number)))
    else:
        answers = (permanent_id("article", article.id, article.time), absolute(f"/a/{article.id}"))
    return _item(CommentId(article.id, number), node, text, _title(node, article.title), answers)


def comment_item(comment: ListedComment) -> Item:
    return _item(comment.id, comment.node, comment.text, _title(comment.node, comment.title))


def notice_item(notice: Notice, owner: str) -> Item | None:
    """Return an entry of the inbox of *owner* as an item, None if it is about nothing that is there."""
    if notice.change:
        url, title = absolute("/account/access"), str(ACCOUNT_CHANGES[notice.change])
        id = permanent_id(f"account {notice.change}", 0, notice.time)
        return Item(id, title, url, url, settings().site_name, "", notice.time, notice.time, title)
    if log := notice.log:
        path = comment_path(log.article, log.comment) if log.comment else f"/a/{log.article}" if log.article else "/log"
        path += "/edits" if log.kind is LogAction.EDIT else ""
        return log_item(log, path, notice.time)
    if notice.comment is None:
        return None
    comment = notice.comment
    values = {"name": display_name(comment.node.author), "title": comment.title}
    is_named = not comment.node.is_edited or page_texts().comment(comment.text, comment.node.named).names(owner)
    titles = {
        NoticeKind.REPLY: _("%(name)s answered your comment on “%(title)s”", **values),
        NoticeKind.ARTICLE: _("%(name)s commented on your article “%(title)s”", **values),
        NoticeKind.MENTION: _("%(name)s mentioned you on “%(title)s”", **values)
        if is_named
        else _("%(name)s no longer mentions you on “%(title)s”", **values),
    }
    return _item(comment.id, comment.node, comment.text, titles[notice.kind])


def act_title(entry: LogEntry) -> str:
    """Return who did what by an entry of the log of moderation, as text."""
    return unescape(render_public("moderation_log/_title.html", entry=entry).strip())


def log_item(entry: LogEntry, path: str, published: float) -> Item:
    """Return an entry of the log of moderation as an item that leads to *path*."""
    url = absolute(path)
    return Item(
        id=permanent_id("act", entry.id, entry.time),
        title=act_title(entry),
        url=url,
        page_url=url,
        author=entry.who,
        author_url=author_url(entry.who),
        published=published,
        updated=published,
        content=render_public("moderation_log/_content.html", entry=entry),
    )


def _content(text: RenderedText | str, page: str, votes: int | None = None) -> str:
    return for_feeds(render_public("feeds/_content.html", text=text, page=page, votes=votes))


def _title(node: Node, title: str) -> str:
    return _("%(name)s on “%(title)s”", name=display_name(node.author), title=title)


def _comment_id(article: int, node: Node) -> str:
    return permanent_id(f"comment {article}", node.number, node.time)


def _item(id: CommentId, node: Node, text: str, title: str, answers: tuple[str, str] = ("", "")) -> Item:
    url = absolute(comment_path(*id))
    return Item(
        id=_comment_id(id.article, node),
        title=title,
        url=url,
        page_url=url,
        author=display_name(node.author),
        author_url=author_url(node.author),
        published=node.time,
        updated=node.time,
        content=_content(page_texts().comment(excerpt(text)), url),
        answers=answers,
    )


def serve_feed(
    blueprint: Blueprint, path: str, endpoint: str = ""
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Serve the feed that a view returns at *path* followed by .atom or .json, or its redirect; always in LANGUAGE."""

    def decorate(view: Callable[..., Answer]) -> Callable[..., Answer]:
        @blueprint.get(f"{path}.<any(atom, json):format>", endpoint=endpoint or view.__name__)
        @wraps(view)
        def in_format(format: str, **parts: Any) -> ResponseReturnValue:
            with force_language(LANGUAGE):
                answer = view(**parts)
                return _render(answer, format) if isinstance(answer, Feed) else answer

        return view

    return decorate


def _render(feed: Feed, format: str) -> Response:
    """Return *feed* as "atom" or "json"; only its member may keep one that has a secret address."""
    modified = feed.updated if feed.is_dated else 0.0
    if format == "atom":
        response = xml("feeds/atom.xml", "application/atom+xml", config.FEED_SECONDS, modified, feed=feed)
    else:
        body = json.dumps(_json_feed(feed), ensure_ascii=False, separators=(",", ":"))
        response = public(body, "application/feed+json", config.FEED_SECONDS, modified)
    if feed.secret_path:
        g.is_public = False
        response.headers["Cache-Control"] = "private, no-store"
    return response


def _json_feed(feed: Feed) -> dict[str, Any]:
    return _clean(
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
    author = _clean({"name": item.author, "url": item.author_url})
    return _clean(
        {
            "id": item.id,
            "url": item.page_url,
            "external_url": item.url if item.url != item.page_url else "",
            "title": item.title,
            "content_html": item.content,
            "date_published": formatting.iso(item.published),
            "date_modified": formatting.iso(item.updated),
            "authors": [author] if item.author else "",
            "tags": [xml_text(tag) for tag in item.tags] or "",
        }
    )


def _clean(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the *fields* that are not empty, with the characters that the Atom feed may contain."""
    return {name: xml_text(value) if isinstance(value, str) else value for name, value in fields.items() if value != ""}
