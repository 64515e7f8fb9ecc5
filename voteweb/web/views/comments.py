"""Comments: the pages of one and of lists of them, and the forms: write, answer, edit, delete, silence.

A text that is refused comes back as it was typed.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from flask import Blueprint, flash, g, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, errors, markup, mentions, permissions
from voteweb.core.comments import CommentId, CommentOrder, ListedComment, Node, Thread
from voteweb.core.models import Article, Page, User
from voteweb.core.rate_limits import PREVIEW
from voteweb.store.comments.threads import ThreadRead
from voteweb.web.auth.csrf import csrf_token
from voteweb.web.auth.login import login_required, queue_viewer, require_member, treat_as_reader
from voteweb.web.base.context import now, settings, store
from voteweb.web.base.responses import RenderedPage, wants_json
from voteweb.web.base.urls import comment_path, next_of_form, page_number, safe_path
from voteweb.web.caching import shared_pages
from voteweb.web.caching.comment_rows import ShownComment
from voteweb.web.i18n.formatting import round_age
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages import conversations
from voteweb.web.pages.acts import Message, act, form_page, lead, queue_article, reads
from voteweb.web.pages.conversations import ChosenPage, ShownConversation, order_of_page
from voteweb.web.pages.forms import CommentForm
from voteweb.web.pages.pagination import check_page_exists
from voteweb.web.requests import rate_limits
from voteweb.web.views.members import check_present, parse_name, queue_member

blueprint = Blueprint("comments", __name__)
View = Callable[..., ResponseReturnValue]


@blueprint.get("/a/<int:id>/c/<int:number>")
@reads(
    article=queue_article,
    read=lambda pipeline, id, number: conversations.queue_thread(pipeline, id, number, conversations.visitor()),
)
def show(number: int, viewer: User | None, article: Article, read: ThreadRead) -> ResponseReturnValue:
    """Show one comment with up to SHOWN_ANCESTORS above it, and its replies; 410 when nobody can read either."""
    if not permissions.may_read_comments(viewer, article):
        return render_template("comments/gone.html", article=article), 410
    node = read.thread.nodes.get(number)
    if node is None:
        raise errors.NoSuchComment()
    tree = conversations.tree(read.thread, order_of_page(viewer))
    may_read = permissions.may_read_comment(viewer, node, is_covered=tree.is_covered(number))
    if not may_read and not tree.is_shown(number):
        return render_template("comments/gone.html", article=article, node=node, thread=read.thread), 410
    ancestors = tree.ancestors(number)
    shown_ancestors = [above.number for above in ancestors[-config.SHOWN_ANCESTORS :]]
    pipeline = store().pipeline()
    queued = conversations.queue_page(pipeline, article, read, viewer, number, [number, *shown_ancestors])
    pipeline.execute()
    conversation = queued.result
    return render_template(
        "comments/show.html",
        conversation=conversation,
        article=article,
        node=node,
        comment=conversation.alone(number, viewer),
        ancestors=[conversation.alone(above, viewer, is_above=True) for above in shown_ancestors],
        above=ancestors[-config.SHOWN_ANCESTORS - 1] if len(ancestors) > config.SHOWN_ANCESTORS else None,
        explanation=tree.explain(number),
    )


@blueprint.get("/comments")
def newest() -> RenderedPage:
    number = page_number()
    asked, pipeline = shared_pages.clock(), store().pipeline()
    viewer = queue_viewer(pipeline)
    read = store().listings.queue_newest_comments(pipeline, number)
    pipeline.execute()
    template, page = "comments/list.html", check_page_exists(read.result)
    if shared_pages.may_keep(viewer.result):
        ages = tuple(round_age(now() - comment.node.time) for comment in page.rows)
        return shared_pages.render_list(asked, template, (), {}, page=page, ages=ages)
    return render_template(template, page=page)


@blueprint.get("/u/<name>/comments")
@reads(
    member=queue_member,
    page=lambda pipeline, name: store().listings.queue_member_comments(pipeline, parse_name(name), page_number()),
)
def of_member(name: str, viewer: User | None, member: User, page: Page[ListedComment]) -> str:
    """Show the comments of a member, newest first."""
    return render_template("comments/list.html", member=check_present(member, parse_name(name), viewer), page=page)


class Target(NamedTuple):
    """The article or comment that a form is about; ``node`` is None for the article itself, and for no comment."""

    viewer: User | None
    article: Article
    conversation: ShownConversation
    node: Node | None

    @property
    def words(self) -> str:
        """The words of the comment, if anybody can read them."""
        if self.node is None or not self.conversation.tree.is_visible(self.node.number):
            return ""
        return self.conversation.words(self.node.number)

    @property
    def comment(self) -> ShownComment | None:
        """The comment as the viewer sees it, None if it is gone with its article."""
        is_gone = self.article.is_removed and not permissions.may_read(self.viewer, self.article)
        return None if self.node is None or is_gone else self.conversation.alone(self.node.number, self.viewer)


def read_target(id: int, number: int) -> Target:
    """Read the viewer, the article and its comment *number*, 0 for none; two round trips in a long conversation.

    Raises NoSuchArticle, and ArticleGone for an article that waits for a moderator: nobody has typed a comment on it.
    """
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    article = store().articles.queue_get(pipeline, id)
    thread = conversations.queue_thread(pipeline, id, number)
    pipeline.execute()
    if article.result is None:
        raise errors.NoSuchArticle()
    if article.result.is_held and not permissions.may_read(viewer.result, article.result):
        raise errors.ArticleGone()
    node = thread.result.thread.nodes.get(number)
    order = order_of_page(viewer.result)
    chosen = ChosenPage(article.result, thread.result, root=number, order=order, others=[number])
    if node is None:  # nothing of it is shown
        return Target(viewer.result, article.result, ShownConversation(chosen, {}), None)
    conversation = chosen.queue(pipeline, viewer.result, is_seen=False)
    pipeline.execute()
    return Target(viewer.result, article.result, conversation.result, node)


def _writing_refusal(target: Target, number: int) -> errors.VotewebError | None:
    """Return why the viewer cannot write to the article, or answer its comment *number*; None if they can."""
    if target.viewer is None:
        return errors.LoggedOut()
    if target.viewer.held:
        return errors.Held()
    if number and target.node is None:
        return errors.NoSuchComment()
    tree = target.conversation.tree
    if number and not tree.is_visible(number):
        return errors.ParentGone() if request.method == "POST" else errors.CommentGone()
    if tree.level(number) >= config.MAX_COMMENT_LEVEL:
        return errors.TooDeep(max=config.MAX_COMMENT_LEVEL)
    if target.conversation.thread.last >= config.MAX_COMMENTS:
        return errors.ConversationFull(max=config.MAX_COMMENTS)
    return target.conversation.refusal()


def _is_preview() -> bool:
    """Tell whether this form asks how a comment will look, and is not to be saved."""
    return "preview" in request.form


def _answer(
    target: Target,
    refusal: errors.VotewebError | None,
    words: str,
    save: Callable[[CommentForm, User], str],
    *,
    until: float | None = None,
    save_decides: bool = False,
) -> ResponseReturnValue:
    """Show the form of a comment, with *words* at first, or *save* it and lead to the address that this returns.

    What is refused is shown as it was typed. *save_decides*: what would be refused now may be accepted all the same.
    """
    is_final = request.method != "POST" or isinstance(refusal, errors.NotYourComment)
    if refusal and (is_final or (isinstance(refusal, errors.LoggedOut) and wants_json())):
        raise refusal
    form, viewer = CommentForm(), target.viewer  # only now: its token makes a cookie
    if request.method != "POST":
        form.text.data = words
    elif viewer is None or (refusal and (not save_decides or _is_preview())):
        form.refuse(refusal or errors.LoggedOut())
    elif form.validate() and not _is_preview():
        try:
            return redirect(save(form, viewer), 303)
        except errors.Unavailable:
            raise
        except errors.VotewebError as error:
            if isinstance(error, errors.LoggedOut):
                treat_as_reader()
            form.refuse(error)
    shows_preview = _is_preview() and not form.errors and rate_limits.exceeded() is None
    preview = (
        markup.render_comment(form.text.data, store().comments.named(form.text.data)[1]) if shows_preview else None
    )
    if request.method == "POST":
        form.text.data = request.form.get("text", "")  # as it was typed, not as it would be saved
    context = {"target": target, "until": until, "preview": preview, "came_from": _came_from()}
    return render_template("comments/write.html", form=form, **context), form.status


def _came_from() -> str:
    """Return the place to which the form leads back, such as an entry of the inbox; "" for that in the conversation."""
    path = safe_path(request.values.get("next", ""), "")
    return "" if path.startswith("/a/") else path


def _keeps_typed(view: View) -> View:
    """Show the form of *view* again with what was typed while the database cannot be reached.

    A preview is counted against its own limit in place of that of comments.
    """

    @wraps(view)
    def answer(**parts: int) -> ResponseReturnValue:
        if _is_preview():
            g.other_limit = PREVIEW
        try:
            return view(**parts)
        except errors.Unavailable as error:
            if request.method != "POST" or wants_json():
                raise
            treat_as_reader()
            form = CommentForm()
            form.refuse(error)
            g.kept_token = csrf_token()
            page = render_template("comments/write.html", form=form, target=None)
            return page, error.status, {"Retry-After": str(error.retry_after)}

    return answer


def _place_of(id: CommentId, viewer: User) -> str:
    """Return the address at which *viewer* sees the comment, in the order of the page that the form was sent from."""
    thread, order = store().threads.get(id.article), CommentOrder.SCORE
    with suppress(ValueError):  # there is none of this name
        order = conversations.order_in(dict(parse_qsl(urlsplit(next_of_form()).query)), viewer)
    tree = conversations.tree(thread, order)
    return conversations.place_address(id.article, id.number, tree, order)


@form_page(blueprint, "/a/<int:id>/comment")
@form_page(blueprint, "/a/<int:id>/c/<int:number>/reply")
@_keeps_typed
def write(id: int, number: int = 0) -> ResponseReturnValue:
    """Write a comment on an article, or answer its comment *number*; ``?quote=1`` fills its words into the form."""
    target = read_target(id, number)

    def save(form: CommentForm, viewer: User) -> str:
        # A form that is sent again leads to its comment even where nobody can write any more: the script decides.
        comment = post(target.article, target.conversation.thread, number, form.text.data, viewer, form.once.data)
        came_from = _came_from()
        flash(_("Your comment has been posted."), comment_path(*comment) if came_from else "message")
        return came_from or _place_of(comment, viewer)

    words = mentions.quotation(target.words) if request.args.get("quote") == "1" else ""
    return _answer(target, _writing_refusal(target, number), words, save, save_decides=True)


def post(article: Article, thread: Thread, parent: int, text: str, viewer: User, token: str) -> CommentId:
    """Write a comment; *viewer*, who has answered a comment, has read it. Raises as the store does."""
    comment = store().comments.write(article, thread, parent, text, viewer, token)
    pipeline = store().pipeline()
    conversations.queue_entries_read(pipeline, viewer, article.id, [parent])
    pipeline.execute()
    return comment


@form_page(blueprint, "/a/<int:id>/c/<int:number>/edit")
@_keeps_typed
def edit(id: int, number: int) -> ResponseReturnValue:
    """Edit the viewer's own comment; the form says until when."""
    target = read_target(id, number)

    def save(form: CommentForm, viewer: User) -> str:
        store().comments.edit(CommentId(id, number), form.text.data, viewer)
        flash(_("Your comment has been changed."))
        return _place_of(CommentId(id, number), viewer)

    until = target.node.time + settings().edit_seconds if target.node else None
    return _answer(target, _editing_refusal(target), target.words, save, until=until)


def _editing_refusal(target: Target) -> errors.VotewebError | None:
    """Return why the viewer cannot edit the comment, None if they can."""
    if target.viewer is None:
        return errors.LoggedOut()
    if target.node is None:
        return errors.NoSuchComment()
    if target.node.author and not permissions.is_author(target.viewer, target.node):
        return errors.NotYourComment()
    if not target.article.is_listed:
        return errors.ArticleGone()
    if not target.conversation.tree.is_visible(target.node.number):
        return errors.CommentGone()
    if not permissions.may_edit_comment(target.viewer, target.node, now(), settings()):
        return errors.CommentTooLate(when=target.node.time + settings().edit_seconds)
    return None


@blueprint.route("/a/<int:id>/c/<int:number>/delete", methods=["GET", "POST"])
@login_required
def delete(id: int, number: int) -> ResponseReturnValue:
    """Delete the viewer's own comment for good, after a page that asks; lead to what it answered."""
    target = read_target(id, number)
    user = require_member(target.viewer)
    if target.node is None:
        raise errors.NoSuchComment()
    back = target.conversation.address(target.node.parent) if target.node.parent else f"/a/{id}#comments"
    if request.method == "POST":
        if store().removals.delete(CommentId(id, number), actor=user):
            return lead(back, _("Your comment has been deleted."))
        return lead(back, _("The comment has been deleted already."))  # the form was sent twice
    if not target.node.is_visible:
        raise errors.CommentGone()
    if not permissions.may_delete_comment(user, target.node):
        raise errors.NotYourComment()
    return render_template("comments/delete.html", target=target)


@blueprint.post("/a/<int:id>/c/<int:number>/quiet")
@act(blueprint, "/a/<int:id>/quiet", require_member)
def quiet(id: int, user: User, number: int = 0) -> Message:
    """Put no more comments on the viewer's own article, or replies to their comment, into their inbox, or again."""
    is_quiet = request.form.get("quiet", "1") == "1"
    store().comments.set_quiet(id, number, user, is_quiet)
    if number and is_quiet:
        return _("New replies to this comment no longer appear in your inbox.")
    if number:
        return _("New replies to this comment appear in your inbox again.")
    if is_quiet:
        return _("New comments on this article no longer appear in your inbox.")
    return _("New comments on this article appear in your inbox again.")
