"""The page of one comment: what it answers, why it stands where it does, and its replies."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from voteweb.core import comment_permissions, config, permissions
from voteweb.core.errors import NoSuchArticle, NoSuchComment
from voteweb.core.models import Article, ArticleStatus, User
from voteweb.store.comments.threads import ThreadRead
from voteweb.web import conversations
from voteweb.web.auth.login import queue_viewer
from voteweb.web.context import store
from voteweb.web.conversations import ConversationPages, order_of_address
from voteweb.web.pagination import page_number

blueprint = Blueprint("comment_page", __name__)


@blueprint.get("/a/<int:id>/c/<int:number>")
def show(id: int, number: int) -> ResponseReturnValue:
    """Show one comment with up to SHOWN_ANCESTORS above it, and its replies; 410 when nobody can read either."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    article = store().articles.queue_get(pipeline, id)
    thread = conversations.queue_thread(pipeline, id, number, page_number)
    pipeline.execute()
    if article.result is None:
        raise NoSuchArticle()
    # What others wrote below an article that its poster deleted stays; a removed article takes it along.
    if article.result.status is not ArticleStatus.DELETED and not permissions.may_read(viewer.result, article.result):
        return render_template("articles/gone.html", article=article.result), 410
    return _show(article.result, thread.result, number, viewer.result)


def _show(article: Article, read: ThreadRead, number: int, viewer: User | None) -> ResponseReturnValue:
    node = read.thread.nodes.get(number)
    if node is None:
        raise NoSuchComment()
    pages = ConversationPages(article, read, root=number, number=page_number(), order=order_of_address())
    conversation = pages.conversation
    may_read = comment_permissions.may_read_comment(viewer, node, is_covered=conversation.is_covered(number))
    if not may_read and not conversation.is_shown(number):
        return render_template("comments/gone.html", article=article, node=node, thread=read.thread), 410
    ancestors = conversation.ancestors(number)
    shown_ancestors = [above.number for above in ancestors[-config.SHOWN_ANCESTORS :]]
    pipeline = store().pipeline()
    pages.queue_missing(pipeline, viewer, [number, *shown_ancestors])
    if not conversations.is_prefetch():
        pages.queue_mark_read(pipeline, viewer, [number, *shown_ancestors])
    pipeline.execute()
    return render_template(
        "comments/show.html",
        pages=pages,
        article=article,
        node=node,
        comment=pages.alone(number, viewer),
        ancestors=[pages.alone(above, viewer) for above in shown_ancestors],
        above=ancestors[-config.SHOWN_ANCESTORS - 1] if len(ancestors) > config.SHOWN_ANCESTORS else None,
        explanation=conversation.explain(number),
    )
