"""Feeds of comments: of a conversation, the replies to a comment, the site, a member; and that of an inbox.

Each is at the address of its list, followed by .atom or .json, but for that of an inbox, whose address is secret. A
comment that was deleted or removed is gone from all of them at once.
"""

from urllib.parse import quote

from flask import Blueprint, Response, abort, g

from voteweb.core import permissions
from voteweb.core.comments import CommentOrder, ListedComment
from voteweb.core.errors import ArticleGone, CommentGone, NoSuchArticle, NoSuchComment
from voteweb.core.models import ArticleStatus
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.store.connection.pipeline import Pipeline
from voteweb.web import conversations
from voteweb.web.comment_feeds import comment_item, newest_comments, notice_item
from voteweb.web.context import store
from voteweb.web.feeds import Feed, feed_language, feed_response
from voteweb.web.i18n.formatting import display_name
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.urls import comment_path
from voteweb.web.views.users import check_present, parse_name

blueprint = Blueprint("comment_feeds", __name__)


@blueprint.get("/a/<int:id>.<any(atom, json):format>")
@feed_language
def conversation(id: int, format: str) -> Response:
    """Return the newest comments on an article."""
    return _thread(id, 0, format)


@blueprint.get("/a/<int:id>/c/<int:number>.<any(atom, json):format>")
@feed_language
def replies(id: int, number: int, format: str) -> Response:
    """Return the newest comments below one comment."""
    return _thread(id, number, format)


@blueprint.get("/comments.<any(atom, json):format>")
@feed_language
def newest(format: str) -> Response:
    """Return the newest comments of the whole site."""
    page = store().read(store().listings.queue_newest_comments, 1)
    return _feed(_("New comments"), "/comments", page.rows, format)


@blueprint.get("/u/<name>/comments.<any(atom, json):format>")
@feed_language
def of_member(name: str, format: str) -> Response:
    """Return the newest comments of a member."""
    name = parse_name(name)
    pipeline = store().pipeline()
    stored = store().users.queue_get(pipeline, name)
    page = store().listings.queue_member_comments(pipeline, name, 1)
    pipeline.execute()
    name = check_present(stored.result, name).name
    return _feed(_("Comments by %(name)s", name=name), f"/u/{quote(name)}/comments", page.result.rows, format)


@blueprint.get("/inbox/feed/<token>.<any(atom, json):format>")
@feed_language
def inbox(token: str, format: str) -> Response:
    """Return the newest entries of the inbox whose feed has this secret address; it marks nothing as read."""
    name = store().feeds.name_of(SecretFeed.INBOX, token)
    if name is None:
        abort(404, _("There is no feed at this address. Its member may have renewed or withdrawn the address."))
    pipeline: Pipeline = store().pipeline()
    stored = store().users.queue_get(pipeline, name)
    page = store().inbox.queue_page(pipeline, name, 1)
    pipeline.execute()
    if stored.result is None or not permissions.may_log_in(stored.result):
        abort(404, _("There is no feed at this address. Its member may have renewed or withdrawn the address."))
    items = tuple(item for item in map(notice_item, page.result.rows) if item)
    title = _("Inbox of %(name)s", name=stored.result.name)
    feed = Feed(title, "/inbox", items, feed_path=f"/inbox/feed/{token}", is_dated=False)
    response = feed_response(feed, format)
    g.is_public = False
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _thread(id: int, root: int, format: str) -> Response:
    """Return the newest comments of a conversation, or below its comment *root*; two round trips if it is long."""
    pipeline = store().pipeline()
    stored = store().articles.queue_get(pipeline, id)
    read = store().threads.queue_read(pipeline, id)
    pipeline.execute()
    article, thread = stored.result, read.result.thread
    if article is None:
        raise NoSuchArticle()
    if article.status in (ArticleStatus.REMOVED, ArticleStatus.HELD):
        raise ArticleGone()
    tree = conversations.tree(thread, CommentOrder.SCORE)
    if root and root not in thread.nodes:
        raise NoSuchComment()
    if root and not tree.is_shown(root):
        raise CommentGone()
    newest = newest_comments(article, tree, thread, root)
    words = read.result.words
    if words is None:
        words = store().read(store().threads.queue_words, id, newest.numbers)
    about = article.title or _("[deleted]")
    if root and tree.is_visible(root):
        name = display_name(thread.nodes[root].author)
        title = _("Replies to %(name)s on “%(title)s”", name=name, title=about)
    else:
        title = (
            _("Replies to a comment on “%(title)s”", title=about) if root else _("Comments on “%(title)s”", title=about)
        )
    path = comment_path(id, root) if root else f"/a/{id}"
    return feed_response(Feed(title, path, newest.items(words), is_dated=False), format)


def _feed(title: str, path: str, rows: tuple[ListedComment, ...], format: str) -> Response:
    return feed_response(Feed(title, path, tuple(map(comment_item, rows)), is_dated=False), format)
