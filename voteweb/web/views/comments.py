"""The forms of comments: write, answer, edit, delete, silence. A text that is refused comes back as it was typed."""

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import comment_permissions
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import (
    ArticleGone,
    CommentGone,
    CommentTooLate,
    LoggedOut,
    NoSuchArticle,
    NoSuchComment,
    NotYourComment,
    Unavailable,
    VotewebError,
)
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import login_required, queue_viewer, require_member, treat_as_reader
from voteweb.web.comment_forms import CommentForm, quotation
from voteweb.web.context import now, settings, store
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.responses import wants_json
from voteweb.web.urls import return_url, safe_path
from voteweb.web.views.comment_targets import (
    Target,
    count_preview,
    is_preview,
    keeps_typed,
    place_of,
    read_target,
    render_form,
    writing_refusal,
)

blueprint = Blueprint("comments", __name__)


@blueprint.route("/a/<int:id>/comment", methods=["GET", "POST"])
@csrf_handled_by_form
@keeps_typed
def write(id: int) -> ResponseReturnValue:
    """Write a comment on an article."""
    return _write(id, 0)


@blueprint.route("/a/<int:id>/c/<int:number>/reply", methods=["GET", "POST"])
@csrf_handled_by_form
@keeps_typed
def reply(id: int, number: int) -> ResponseReturnValue:
    """Answer a comment; ``?quote=1`` fills its words into the form."""
    return _write(id, number)


def _write(id: int, number: int) -> ResponseReturnValue:
    count_preview()
    target = read_target(id, number)
    refusal = writing_refusal(target, number)
    if refusal and (request.method != "POST" or (isinstance(refusal, LoggedOut) and wants_json())):
        raise refusal
    form = CommentForm()  # only now: its token makes a cookie
    if request.method != "POST":
        form.text.data = quotation(target.words) if request.args.get("quote") == "1" else ""
    elif target.viewer is None or target.article is None or target.pages is None or (refusal and is_preview()):
        form.refuse(refusal or NoSuchArticle())
    elif form.validate() and not is_preview():
        # A form that is sent again leads to its comment even where nobody can write any more: the script decides.
        thread, text, token = target.pages.thread, form.text.data, form.once.data
        try:
            comment = store().comments.write(target.article, thread, number, text, target.viewer, token)
        except VotewebError as error:
            _refuse(form, error)
        else:
            flash(_("Your comment has been posted."))
            return redirect(place_of(comment), 303)
    return render_form(form, target)


@blueprint.route("/a/<int:id>/c/<int:number>/edit", methods=["GET", "POST"])
@csrf_handled_by_form
@keeps_typed
def edit(id: int, number: int) -> ResponseReturnValue:
    """Edit the viewer's own comment; the form says until when."""
    count_preview()
    target = read_target(id, number)
    refusal = _editing_refusal(target)
    is_final = request.method != "POST" or isinstance(refusal, NotYourComment)
    if refusal and (is_final or (isinstance(refusal, LoggedOut) and wants_json())):
        raise refusal
    form = CommentForm()
    if request.method != "POST":
        form.text.data = target.words
    elif refusal or target.viewer is None:
        form.refuse(refusal or LoggedOut())
    elif form.validate() and not is_preview():
        try:
            store().comments.edit(CommentId(id, number), form.text.data, target.viewer)
        except VotewebError as error:
            _refuse(form, error)
        else:
            flash(_("Your comment has been changed."))
            return redirect(return_url(), 303)
    return render_form(form, target, until=target.node.time + settings().edit_seconds if target.node else None)


def _editing_refusal(target: Target) -> VotewebError | None:
    """Return why the viewer cannot edit the comment, None if they can."""
    if target.viewer is None:
        return LoggedOut()
    if target.article is None or target.pages is None:
        return NoSuchArticle()
    if target.node is None:
        return NoSuchComment()
    if target.node.author and not comment_permissions.is_author(target.viewer, target.node):
        return NotYourComment()
    if not target.article.is_listed:
        return ArticleGone()
    if not target.pages.conversation.is_visible(target.node.number):
        return CommentGone()
    if not comment_permissions.may_edit_comment(target.viewer, target.node, now(), settings()):
        return CommentTooLate(when=target.node.time + settings().edit_seconds)
    return None


def _refuse(form: CommentForm, error: VotewebError) -> None:
    """Show *form* with what was typed, and *error*; raise one that the page for it handles."""
    if isinstance(error, Unavailable):
        raise error
    if isinstance(error, LoggedOut):
        treat_as_reader()
    form.refuse(error)


@blueprint.route("/a/<int:id>/c/<int:number>/delete", methods=["GET", "POST"])
@login_required
def delete(id: int, number: int) -> ResponseReturnValue:
    """Delete the viewer's own comment for good, after a page that asks."""
    target = read_target(id, number)
    user = require_member(target.viewer)
    if target.article is None:
        raise NoSuchArticle()
    if target.node is None:
        raise NoSuchComment()
    if request.method == "POST" and target.node.status is CommentStatus.DELETED:  # the form was sent twice
        return _after_deletion(id, _("The comment has been deleted already."))
    if target.node.status is not CommentStatus.VISIBLE:
        raise CommentGone()
    if not comment_permissions.may_delete_comment(user, target.node):
        raise NotYourComment()
    if request.method != "POST":
        return render_template("comments/delete.html", target=target)
    store().removals.delete(CommentId(id, number), user)
    return _after_deletion(id, _("Your comment has been deleted."))


def _after_deletion(id: int, message: str) -> ResponseReturnValue:
    """Return to the conversation from which a comment on the article *id* was deleted."""
    flash(message)
    path = safe_path(request.form.get("next", ""), f"/a/{id}")
    return redirect(f"{path.partition('#')[0]}#comments", 303)


@blueprint.post("/a/<int:id>/c/<int:number>/quiet")
@login_required
def quiet(id: int, number: int) -> ResponseReturnValue:
    """Put no more replies to the viewer's own comment into their inbox, or again."""
    if _set_quiet(id, number):
        flash(_("New replies to this comment no longer appear in your inbox."))
    else:
        flash(_("New replies to this comment appear in your inbox again."))
    return redirect(return_url(), 303)


@blueprint.post("/a/<int:id>/quiet")
@login_required
def quiet_article(id: int) -> ResponseReturnValue:
    """Put no more comments on the viewer's own article into their inbox, or again."""
    if _set_quiet(id, 0):
        flash(_("New comments on this article no longer appear in your inbox."))
    else:
        flash(_("New comments on this article appear in your inbox again."))
    return redirect(return_url(), 303)


def _set_quiet(id: int, number: int) -> bool:
    """Carry out a form about notices; return whether there will be none."""
    is_quiet = request.form.get("quiet", "1") == "1"
    store().comments.set_quiet(id, number, require_member(store().read(queue_viewer)), is_quiet)
    return is_quiet
