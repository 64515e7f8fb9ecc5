"""Feeds of every list, at the list's own address followed by .atom or .json; that of the front page is /feed.

No name of a group or a member contains a dot, so these addresses are unambiguous. None reads the session, and those of
articles take one round trip each. A comment that was deleted or removed is gone from all of them at once.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import quote

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.exceptions import NotFound

from voteweb.core import config, links, permissions
from voteweb.core.comments import CommentOrder, ListedComment
from voteweb.core.errors import ArticleGone, CommentGone, NoSuchArticle, NoSuchComment, NoSuchDomain
from voteweb.core.models import Article, Order, Page, Period, User
from voteweb.store.accounts.secret_feeds import SecretFeed
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema.rankings import Ranking
from voteweb.web.base.context import settings, store
from voteweb.web.base.responses import xml
from voteweb.web.base.urls import comment_path
from voteweb.web.i18n.formatting import PERIOD_TITLES, display_name
from voteweb.web.i18n.locale import force_language
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages import conversations
from voteweb.web.pages.feeds import (
    LANGUAGE,
    Answer,
    Feed,
    article_items,
    comment_item,
    newest_comments,
    notice_item,
    serve_feed,
    thread_item,
)
from voteweb.web.requests import rate_limits
from voteweb.web.views.groups import check_known, in_groups, parse_names, parse_one
from voteweb.web.views.lists import parse_period
from voteweb.web.views.members import check_present, parse_name

T = TypeVar("T")
#: Queues a read of the page of what a member of this name has.
QueuePage = Callable[[Pipeline, str], Future[Page[T]]]
blueprint = Blueprint("feeds", __name__)
#: The feeds of conversations and inboxes, which a site without conversations does not have.
comment_blueprint = Blueprint("comment_feeds", __name__)


@serve_feed(blueprint, "/feed")
def front() -> Feed:
    return _articles(_("Hot articles"), "/", _read(store().rankings.site(Order.SCORE)))


@serve_feed(blueprint, "/new")
def new() -> Feed:
    return _articles(_("New articles"), "/new", _read(store().rankings.site(Order.TIME)))


@serve_feed(blueprint, "/good")
def good() -> Feed:
    articles = store().read(store().listings.queue_good, settings().page_size, with_text=True)
    return _articles(_("Good articles"), "/good", articles)


@serve_feed(blueprint, "/top")
def top() -> Feed:
    """Return the first articles of a period by votes."""
    period = parse_period()
    rows = _read(store().rankings.best(period))
    return _articles(str(PERIOD_TITLES[period]), "/top", rows, query=f"?of={period}")


@serve_feed(blueprint, "/g/<names>")
@in_groups(parse_names)
def group(names: tuple[str, ...]) -> Feed:
    """Return the first articles that are in all groups *names*, by score."""
    return _group(names, store().rankings.groups(names, Order.SCORE), "")


@serve_feed(blueprint, "/g/<names>/new")
@in_groups(parse_names)
def group_new(names: tuple[str, ...]) -> Feed:
    """Return the newest articles that are in all groups *names*."""
    return _group(names, store().rankings.groups(names, Order.TIME), "/new", _("New in %(groups)s"))


@serve_feed(blueprint, "/g/<names>/top")
@in_groups(parse_one)
def group_top(names: tuple[str, ...]) -> Feed:
    """Return the first articles of a group and a period by votes."""
    period = parse_period(Period.WEEK)
    feed = _group(names, store().rankings.best(period, names[0]), "/top", f"%(groups)s – {PERIOD_TITLES[period]}")
    return replace(feed, description="", query=f"?of={period}")


@serve_feed(blueprint, "/u/<name>")
def member(name: str) -> Feed:
    name, rows = _member(name, lambda pipeline, name: _queue(pipeline, store().rankings.member(name)))
    return _articles(_("Articles by %(name)s", name=name), f"/u/{quote(name)}", rows)


@serve_feed(blueprint, "/d/<domain>")
def domain(domain: str) -> Answer:
    """Return the newest articles with a link to a domain."""
    host = links.domain_of_address(domain)
    if host != domain and host:
        return redirect(url_for("feeds.domain", **{**(request.view_args or {}), "domain": host}), 301)
    rows = _read(store().rankings.domain(host))
    if not rows:
        raise NoSuchDomain(domain=domain)
    return _articles(_("Articles from %(domain)s", domain=links.readable_domain(host)), f"/d/{host}", rows)


@serve_feed(blueprint, "/saved/feed/<token>")
def saved(token: str) -> Feed:
    """Return the last saved articles of the member whose feed has this secret address."""
    name, rows = _owner(
        SecretFeed.SAVED,
        token,
        lambda pipeline, name: store().my_sites.queue_saved(pipeline, name, 1, with_text=True),
    )
    listed, path = (row for row in rows if row.is_listed), f"/saved/feed/{token}"
    return _articles(_("Saved by %(name)s", name=name), "/saved", listed, secret_path=path, is_dated=False)


def _articles(title: str, path: str, rows: Iterable[Article], **options: Any) -> Feed:
    return Feed(title, path, article_items(rows), **options)


def _queue(pipeline: Pipeline, ranking: Ranking) -> Future[Page[Article]]:
    hits = rate_limits.combination_hits()
    return store().listings.queue_page(pipeline, ranking, 1, with_text=True, hits=hits)


def _read(ranking: Ranking) -> tuple[Article, ...]:
    return store().read(_queue, ranking).rows


def _group(names: tuple[str, ...], ranking: Ranking, page: str, title: str = "%(groups)s") -> Feed:
    """Return a feed of the first articles of a *ranking* of the groups *names*.

    *page* is the path of its list after the names; in *title*, %(groups)s stands for the titles of the groups.
    """
    pipeline = store().pipeline()
    stored = store().groups.queue_get(pipeline, names)
    listing = _queue(pipeline, ranking)
    pipeline.execute()
    groups = check_known(names, stored.result)
    title %= {"groups": " + ".join(group.title for group in groups)}
    description = groups[0].description if len(groups) == 1 else ""
    return _articles(title, f"/g/{'+'.join(names)}{page}", listing.result.rows, description=description)


def _member(typed: str, queue: QueuePage[T]) -> tuple[str, tuple[T, ...]]:
    """Return the name of a member as it is stored, and the rows of the page that *queue* reads by name."""
    name = parse_name(typed)
    stored, rows = _read_member(name, queue)
    return check_present(stored, name).name, rows


def _owner(kind: SecretFeed, token: str, queue: QueuePage[T]) -> tuple[str, tuple[T, ...]]:
    """Return the name of the member whose feed has this secret address, and the rows of the page that *queue* reads."""
    if name := store().feeds.name_of(kind, token):
        stored, rows = _read_member(name, queue)
        if stored and permissions.may_log_in(stored):
            return stored.name, rows
    raise NotFound(_("There is no feed at this address. Its member may have renewed or withdrawn the address."))


def _read_member(name: str, queue: QueuePage[T]) -> tuple[User | None, tuple[T, ...]]:
    pipeline = store().pipeline()
    stored, page = store().users.queue_get(pipeline, name), queue(pipeline, name)
    pipeline.execute()
    return stored.result, page.result.rows


@serve_feed(comment_blueprint, "/inbox/feed/<token>")
def inbox(token: str) -> Feed:
    """Return the newest entries of the inbox whose feed has this secret address; it marks nothing as read."""
    name, notices = _owner(SecretFeed.INBOX, token, lambda pipeline, name: store().inbox.queue_page(pipeline, name, 1))
    items = tuple(item for notice in notices if (item := notice_item(notice, name)))
    title, path = _("Inbox of %(name)s", name=name), f"/inbox/feed/{token}"
    return Feed(title, "/inbox", items, secret_path=path, is_dated=False)


@blueprint.get("/groups.opml")
def opml() -> Response:
    """Return the feeds of all groups, to subscribe to them at once (OPML 2.0)."""
    with force_language(LANGUAGE):
        groups = store().groups.all(store().pipeline())
        return xml("feeds/groups.opml.xml", "text/x-opml", config.FEED_SECONDS, groups=groups)


@serve_feed(comment_blueprint, "/comments")
def newest() -> Feed:
    page = store().read(store().listings.queue_newest_comments, 1)
    return _comments(_("New comments"), "/comments", page.rows)


@serve_feed(comment_blueprint, "/u/<name>/comments")
def of_member(name: str) -> Feed:
    name, rows = _member(name, lambda pipeline, name: store().listings.queue_member_comments(pipeline, name, 1))
    return _comments(_("Comments by %(name)s", name=name), f"/u/{quote(name)}/comments", rows)


def _comments(title: str, path: str, rows: tuple[ListedComment, ...]) -> Feed:
    return Feed(title, path, tuple(map(comment_item, rows)), is_dated=False)


@serve_feed(comment_blueprint, "/a/<int:id>/c/<int:number>", endpoint="replies")
@serve_feed(comment_blueprint, "/a/<int:id>")
def conversation(id: int, number: int = 0) -> Feed:
    """Return the newest comments of a conversation, or below its comment *number*; two round trips if it is long."""
    pipeline = store().pipeline()
    stored = store().articles.queue_get(pipeline, id)
    read = store().threads.queue_read(pipeline, id)
    pipeline.execute()
    article, thread = stored.result, read.result.thread
    if article is None:
        raise NoSuchArticle()
    if article.is_removed or article.is_held:
        raise ArticleGone()
    tree = conversations.tree(thread, CommentOrder.SCORE)
    if number and number not in thread.nodes:
        raise NoSuchComment()
    if number and not tree.is_shown(number):
        raise CommentGone()
    numbers = newest_comments(tree, thread, number)
    words = read.result.words
    if read.result.numbers is not None:  # a long one
        words = store().read(store().threads.queue_words, id, numbers)
    items = tuple(thread_item(article, thread, new, words.get(new, "")) for new in numbers)
    about = article.title or _("[deleted]")
    if not number:
        title = _("Comments on “%(title)s”", title=about)
    elif tree.is_visible(number):
        name = display_name(thread.nodes[number].author)
        title = _("Replies to %(name)s on “%(title)s”", name=name, title=about)
    else:
        title = _("Replies to a comment on “%(title)s”", title=about)
    path = comment_path(id, number) if number else f"/a/{id}"
    return Feed(title, path, items, is_dated=False)
