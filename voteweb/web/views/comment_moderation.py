"""Moderation of conversations: comments reported, removed and restored, conversations closed and reopened."""

from dataclasses import dataclass

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import comment_permissions, config, validation
from voteweb.core.comments import CommentId, CommentStatus, Node, Thread
from voteweb.core.errors import (
    ArticleGone,
    CommentGone,
    CommentReported,
    ConversationEnded,
    Held,
    Invalid,
    LoggedOut,
    NoSuchComment,
)
from voteweb.core.models import Article, ArticleStatus, LogAction, Reason, User
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import login_required, queue_viewer, require_member, require_moderator
from voteweb.web.context import store
from voteweb.web.conversations import queue_thread
from voteweb.web.forms import REASON_LABELS, CommentReportForm
from voteweb.web.i18n.formatting import duration, error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.responses import wants_json
from voteweb.web.urls import return_url
from voteweb.web.views.articles import refuse_actor
from voteweb.web.views.moderation import moderator_and_article, removal_reason, report_position

blueprint = Blueprint("comment_moderation", __name__)


@dataclass(frozen=True, slots=True)
class _Comment:
    """A comment with its words, its article and its conversation, whoever may read it."""

    id: CommentId
    node: Node
    text: str
    article: Article
    thread: Thread

    @property
    def is_covered(self) -> bool:
        """Whether a comment above was removed together with its replies."""
        number, node = self.id.number, self.node
        while 0 < node.parent < number and node.parent in self.thread.nodes:
            number, node = node.parent, self.thread.nodes[node.parent]
            if node.removes_replies:
                return True
        return False

    def check_visible(self) -> None:
        """Raise ArticleGone or CommentGone unless everybody can read it."""
        if self.article.status is ArticleStatus.REMOVED:
            raise ArticleGone()
        if self.node.status is not CommentStatus.VISIBLE or self.is_covered:
            raise CommentGone()

    def log_entry(self, kind: LogAction, user: User, why: str = "") -> NewLogEntry:
        article = self.article
        return NewLogEntry(kind, user.name, self.node.author, article.id, article.title, why, comment=self.id.number)


def _read(id: int, number: int) -> tuple[User | None, _Comment | None]:
    """Return the viewer and a comment, None if there is none; one round trip."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    stored = store().articles.queue_get(pipeline, id)
    read = queue_thread(pipeline, id)
    words = store().threads.queue_words(pipeline, id, [number])
    pipeline.execute()
    article, thread = stored.result, read.result.thread
    if article is None or number not in thread.nodes:
        return viewer.result, None
    text = words.result.get(number, "")
    return viewer.result, _Comment(CommentId(id, number), thread.nodes[number], text, article, thread)


def _moderator_and_comment(id: int, number: int) -> tuple[User, _Comment]:
    """Return the viewer, who must be a moderator, and the comment."""
    viewer, comment = _read(id, number)
    user = require_moderator(viewer)
    if comment is None:
        raise NoSuchComment()
    return user, comment


@blueprint.route("/a/<int:id>/c/<int:number>/report", methods=["GET", "POST"])
@csrf_handled_by_form
def report(id: int, number: int) -> ResponseReturnValue:
    """Report a comment to the moderators, once; a member whose session has ended keeps what they typed."""
    viewer, comment = _read(id, number)
    if viewer is None and (request.method != "POST" or wants_json()):
        raise LoggedOut()
    if viewer is not None and viewer.held:
        raise Held()
    if comment is None:
        raise NoSuchComment()
    comment.check_visible()
    form = CommentReportForm()
    if viewer is None:
        form.refuse(LoggedOut())
    elif comment_permissions.is_author(viewer, comment.node):
        abort(403, _("You cannot report your own comment; you can delete it."))
    elif form.validate_on_submit():
        user = require_member(viewer)
        try:
            store().reports.make(comment.id, user, Reason(form.reason.data), form.note.data)
        except LoggedOut as error:
            refuse_actor(form, error)
        except CommentReported as error:
            flash(error_message(error), "error")
            return redirect(return_url(), 303)
        else:
            flash(_("Thank you for your report. The moderators will look at it."))
            return redirect(return_url(), 303)
    return render_template("comment_moderation/report.html", comment=comment, form=form), form.status


@blueprint.post("/a/<int:id>/c/<int:number>/remove")
@login_required
def remove(id: int, number: int) -> ResponseReturnValue:
    """Remove a comment, alone or with its replies, with a reason that everybody can read."""
    user, comment = _moderator_and_comment(id, number)
    if not comment_permissions.may_remove_comment(user, comment.node):
        flash(error_message(CommentGone()), "error")
        return redirect(return_url(), 303)
    typed, with_replies = removal_reason(), "replies" in request.form
    try:
        reason = validation.reason(typed)
    except Invalid as error:
        refused = {"typed": typed, "with_replies": with_replies, "error": error_message(error), "next": return_url()}
        return render_template("comment_moderation/remove.html", comment=comment, **refused), 422
    entry = comment.log_entry(LogAction.REMOVE, user, reason)
    store().removals.remove(comment.id, entry, with_replies=with_replies, actor=user)
    span = duration(config.UNDO_SECONDS)
    if with_replies:
        flash(_("The comment and its replies have been removed. You can undo this in the log for %(span)s.", span=span))
    else:
        flash(_("The comment has been removed. You can undo this in the log for %(span)s.", span=span))
    return redirect(return_url(), 303)


@blueprint.post("/a/<int:id>/c/<int:number>/restore")
@login_required
def restore(id: int, number: int) -> ResponseReturnValue:
    """Bring a removed comment back, with its votes, and the replies that were removed with it."""
    user, comment = _moderator_and_comment(id, number)
    store().removals.restore(comment.id, comment.log_entry(LogAction.RESTORE, user), actor=user)
    if comment.node.status is CommentStatus.DELETED:
        flash(_("What was removed with this comment has been restored."))
    elif comment.is_covered:
        flash(_("The comment has been restored. It can be read once the removed comment above it is restored too."))
    else:
        flash(_("The comment has been restored, with its votes."))
    return redirect(return_url(), 303)


@blueprint.post("/a/<int:id>/c/<int:number>/dismiss")
@login_required
def dismiss(id: int, number: int) -> ResponseReturnValue:
    """Close the reports of a comment and leave it as it is."""
    user, comment = _moderator_and_comment(id, number)
    if store().reports.dismiss(comment.id, comment.log_entry(LogAction.DISMISS, user), actor=user):
        flash(_("The reports have been dismissed; the comment stays."))
    else:
        flash(_("These reports were already dismissed."), "error")
    return redirect(return_url(), 303)


@blueprint.get("/a/<int:id>/c/<int:number>/reports")
@login_required
def reports(id: int, number: int) -> str:
    """Show all open reports of a comment, page by page."""
    position = report_position()
    _user, comment = _moderator_and_comment(id, number)
    open_reports = store().read(store().reports.queue_open_page, comment.id, position)
    return render_template(
        "comment_moderation/reports.html",
        comment=comment,
        reports=open_reports,
        reasons=REASON_LABELS,
        is_first=position == 0,
    )


@blueprint.post("/a/<int:id>/close")
@login_required
def close(id: int) -> ResponseReturnValue:
    """Close the conversation of an article, with a reason that everybody can read."""
    user, article = moderator_and_article(id)
    typed = request.form.get("reason", "")
    try:
        reason = validation.reason(typed)
    except Invalid as error:
        refused = {"typed": typed, "error": error_message(error), "next": return_url()}
        return render_template("comment_moderation/close.html", article=article, **refused), 422
    try:
        store().threads.close(id, _thread_entry(LogAction.CLOSE, user, article, reason), actor=user)
    except (ArticleGone, ConversationEnded) as error:
        flash(error_message(error), "error")
    else:
        flash(_("The conversation has been closed. You can open it again until it ends."))
    return _redirect_to_conversation()


@blueprint.post("/a/<int:id>/reopen")
@login_required
def reopen(id: int) -> ResponseReturnValue:
    """Open a conversation again that a moderator closed."""
    user, article = moderator_and_article(id)
    try:
        store().threads.reopen(id, _thread_entry(LogAction.REOPEN, user, article), actor=user)
    except (ArticleGone, ConversationEnded) as error:
        flash(error_message(error), "error")
    else:
        flash(_("The conversation is open again."))
    return _redirect_to_conversation()


def _thread_entry(kind: LogAction, user: User, article: Article, why: str = "") -> NewLogEntry:
    return NewLogEntry(kind, user.name, article.poster, article.id, article.title, why)


def _redirect_to_conversation() -> ResponseReturnValue:
    return redirect(f"{return_url().partition('#')[0]}#comments", 303)
