"""The comment or article that a form is about, and the page that shows the form again with what was typed."""

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from flask import g, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, markup, permissions
from voteweb.core.comments import CommentId, CommentOrder, Node
from voteweb.core.errors import (
    ArticleGone,
    CommentGone,
    ConversationFull,
    Held,
    LoggedOut,
    NoSuchArticle,
    NoSuchComment,
    ParentGone,
    TooDeep,
    Unavailable,
    VotewebError,
)
from voteweb.core.models import Article, ArticleStatus, User
from voteweb.core.rate_limits import PREVIEW
from voteweb.web import conversations, rate_limits
from voteweb.web.auth.csrf import csrf_token
from voteweb.web.auth.login import queue_viewer, treat_as_reader
from voteweb.web.caching.comment_rows import ShownComment
from voteweb.web.comment_forms import CommentForm
from voteweb.web.context import store
from voteweb.web.conversations import ConversationPages, order_of_address
from voteweb.web.responses import wants_json
from voteweb.web.urls import safe_path

View = Callable[..., ResponseReturnValue]


class Target(NamedTuple):
    """The article or comment that a form is about, as far as there is one; ``node`` is None for the article itself."""

    viewer: User | None
    article: Article | None = None
    pages: ConversationPages | None = None
    node: Node | None = None

    @property
    def words(self) -> str:
        """The words of the comment, if anybody can read them."""
        if self.pages is None or self.node is None or not self.pages.conversation.is_visible(self.node.number):
            return ""
        return self.pages.words(self.node.number)

    @property
    def comment(self) -> ShownComment | None:
        """The comment as the viewer sees it."""
        return self.pages.alone(self.node.number, self.viewer) if self.pages and self.node else None


def read_target(id: int, number: int) -> Target:
    """Read the viewer, the article and its comment *number*, 0 for none; two round trips in a long conversation.

    Raises ArticleGone for an article that waits for a moderator: nobody has typed a comment on it.
    """
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    article = store().articles.queue_get(pipeline, id)
    thread = conversations.queue_thread(pipeline, id, number)
    pipeline.execute()
    if article.result is None:
        return Target(viewer.result)
    if article.result.status is ArticleStatus.HELD and not permissions.may_read(viewer.result, article.result):
        raise ArticleGone()
    node = thread.result.thread.nodes.get(number)
    pages = ConversationPages(article.result, thread.result, root=number, order=order_of_address())
    if node:
        pages.queue_missing(pipeline, viewer.result, [number])
        pipeline.execute()
    return Target(viewer.result, article.result, pages, node)


def writing_refusal(target: Target, number: int) -> VotewebError | None:
    """Return why the viewer cannot write to the article, or answer its comment *number*; None if they can."""
    if target.viewer is None:
        return LoggedOut()
    if target.article is None or target.pages is None:
        return NoSuchArticle()
    if target.viewer.held:
        return Held()
    if number and target.node is None:
        return NoSuchComment()
    conversation = target.pages.conversation
    if number and not conversation.is_visible(number):
        return ParentGone() if request.method == "POST" else CommentGone()
    if conversation.level(number) >= config.MAX_COMMENT_LEVEL:
        return TooDeep(max=config.MAX_COMMENT_LEVEL)
    if target.pages.thread.last >= config.MAX_COMMENTS:
        return ConversationFull(max=config.MAX_COMMENTS)
    return target.pages.refusal()


def is_preview() -> bool:
    """Tell whether this form asks how a comment will look, and is not to be saved."""
    return "preview" in request.form


def count_preview() -> None:
    """Count this form, if it is a preview, against the limit of previews in place of that of comments."""
    if is_preview():
        g.other_limit = PREVIEW


def render_form(form: CommentForm, target: Target, until: float | None = None) -> ResponseReturnValue:
    """Return the page of a form; a preview without errors shows how the comment will look."""
    shows_preview = is_preview() and not form.errors and rate_limits.exceeded() is None
    preview = markup.render_comment(form.text.data) if shows_preview else None
    if request.method == "POST":
        form.text.data = request.form.get("text", "")  # as it was typed, not as it would be saved
    return render_template("comments/write.html", form=form, target=target, until=until, preview=preview), form.status


def keeps_typed(view: View) -> View:
    """Show the form of *view* again with what was typed while the database cannot be reached."""

    @wraps(view)
    def answer(**parts: int) -> ResponseReturnValue:
        try:
            return view(**parts)
        except Unavailable as error:
            if request.method != "POST" or wants_json():
                raise
            treat_as_reader()
            form = CommentForm()
            form.refuse(error)
            page = render_template("comments/write.html", form=form, target=None, csrf_token=csrf_token())
            return page, error.status, {"Retry-After": str(error.retry_after)}

    return answer


def place_of(id: CommentId) -> str:
    """Return the address at which the comment is shown, in the order of the page that the form was sent from."""
    thread = store().threads.get(id.article)
    query = parse_qs(urlsplit(safe_path(request.form.get("next", ""))).query)
    order = CommentOrder.SCORE
    if query.get("order", [""])[0] in set(CommentOrder):
        order = CommentOrder(query["order"][0])
    conversation = conversations.tree(thread, order)
    return conversations.place_address(id.article, id.number, conversation, order)
