"""The comments on an article."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from voteweb.core import config, errors, permissions
from voteweb.core.comments import CommentOrder
from voteweb.core.conversation import Conversation
from voteweb.core.models import Article, User
from voteweb.store.comments.threads import ThreadRead
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.api import paging
from voteweb.web.api.operations import Page, operation
from voteweb.web.api.shapes import Comment, comment_of
from voteweb.web.auth.login import session_user_id
from voteweb.web.base.context import now, settings, store
from voteweb.web.caching import own_marks
from voteweb.web.pages import conversations

_ERRORS = (errors.NoSuchArticle, errors.ArticleGone)


class CommentQuery(paging.AnyPage, kw_only=True):
    """The page of a conversation, in an order."""

    order: Annotated[CommentOrder, Meta(description="The order of all comments.")] = CommentOrder.SCORE


class CommentPage(Page, kw_only=True):
    """A page of the comments on an article, whatever they answer; while it is ``open``, they can be written."""

    open: bool
    comments: tuple[Comment, ...]


def _queue_thread(pipeline: Pipeline, id: int) -> Future[ThreadRead]:
    return store().threads.queue_read(pipeline, id, viewer_id=session_user_id())


@operation("GET /articles/<int:id>/comments", read=_queue_thread)
def list_comments(query: CommentQuery, user: User | None, article: Article, read: ThreadRead) -> CommentPage:
    """List the comments on an article, 100 a page; none is marked as read by that."""
    if not permissions.may_read_comments(user, article):
        raise errors.ArticleGone()
    tree = conversations.tree(read.thread, query.order)
    numbers, next = _choose(tree, read, query)
    is_open = permissions.is_open(article, read.thread, now(), settings())
    return CommentPage(open=is_open, comments=_comments(read, tree, user, numbers), next=next)


def _choose(tree: Conversation, read: ThreadRead, query: CommentQuery) -> tuple[tuple[int, ...], str | UnsetType]:
    """Return the numbers of the comments on a page, and what the next one begins after."""
    numbers, size = tree.ranked, config.COMMENTS_ON_PAGE
    if query.order is CommentOrder.SCORE:
        page = paging.parse_number(query.next)
        numbers = numbers[(page - 1) * size :]
        if page > 1 and not numbers:
            raise errors.NoSuchPage()
        return numbers[:size], str(page + 1) if len(numbers) > size else UNSET
    places = {number: paging.Place(read.thread.nodes[number].time, number) for number in numbers}
    if after := paging.parse_place(query.next):
        is_new = query.order is CommentOrder.NEW
        numbers = tuple(n for n in numbers if (places[n] < after if is_new else places[n] > after))
    return numbers[:size], str(places[numbers[size - 1]]) if len(numbers) > size else UNSET


@operation("GET /articles/<int:id>/comments/<int:number>", read=_queue_thread)
def get_comment(number: int, user: User | None, article: Article, read: ThreadRead) -> Comment:
    """Get a comment; its author can read one that was removed, too."""
    if not permissions.may_read_comments(user, article):
        raise errors.ArticleGone()
    node = read.thread.nodes.get(number)
    if node is None:
        raise errors.NoSuchComment()
    tree = conversations.tree(read.thread, CommentOrder.SCORE)
    may_read = permissions.may_read_comment(user, node, is_covered=tree.is_covered(number))
    if not may_read and not tree.is_shown(number):
        raise errors.CommentGone()
    (comment,) = _comments(read, tree, user, (number,))
    return comment


def _comments(read: ThreadRead, tree: Conversation, user: User | None, numbers: tuple[int, ...]) -> tuple[Comment, ...]:
    """Return these comments as *user* sees them; of a long conversation, their words are read now."""
    thread, pipeline = read.thread, store().pipeline()
    lacking = conversations.queue_lacking(pipeline, read, numbers, user)
    pipeline.execute()
    words, voted = lacking.result
    texts, voted, choice = {**read.words, **words}, read.voted | voted, own_marks.choice()
    comments = []
    for number in numbers:
        node = thread.nodes[number]
        may_read = permissions.may_read_comment(user, node, is_covered=tree.is_covered(number))
        comments.append(
            comment_of(
                thread.article,
                node,
                texts.get(number, "") if may_read else None,
                voted=number in voted if user else None,
                reason=thread.reasons.get(number, ""),
                hidden=bool(choice.hides) and choice.hides_member(node.author),
            )
        )
    return tuple(comments)
