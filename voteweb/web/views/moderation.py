"""Moderation of articles, comments and conversations: reports, removals, and answers to them."""

import re
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, errors, permissions, validation
from voteweb.core.comments import CommentId, CommentOrder, Node, Thread
from voteweb.core.models import Article, LogAction, LogEntry, Reason, User
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.auth.login import require_member, require_moderator
from voteweb.web.base.context import store
from voteweb.web.base.responses import wants_json
from voteweb.web.base.urls import return_url
from voteweb.web.caching.flashes import row_category
from voteweb.web.i18n.formatting import duration, error_message, join_names
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import (
    LOST_RIGHTS,
    Message,
    act,
    article_entry,
    form_page,
    lead,
    queue_article,
    reads,
    refusals,
)
from voteweb.web.pages.conversations import queue_thread, tree
from voteweb.web.pages.forms import REASON_LABELS, AnswerForm, CommentReportForm, ReportForm, parse_revision
from voteweb.web.views.articles import render_article, render_edits
from voteweb.web.views.groups import parse_choice

blueprint = Blueprint("moderation", __name__)
answers = Blueprint("answers", __name__)
held_articles = Blueprint("held_articles", __name__)
comment_moderation = Blueprint("comment_moderation", __name__)
_COMMENT_PATH = "/a/<int:id>/c/<int:number>"
#: The highest position in an article's reports that Redis reads.
_MAX_POSITION = 2**64 - 1


@dataclass(frozen=True, slots=True)
class StoredComment:
    """A comment with its words, its article and its conversation, whoever may read it."""

    id: CommentId
    node: Node
    text: str
    article: Article
    thread: Thread

    @property
    def is_covered(self) -> bool:
        """Whether a comment above was removed together with its replies."""
        return tree(self.thread, CommentOrder.SCORE).is_covered(self.id.number)


def log_entry(
    kind: LogAction, user: User, post: Article | StoredComment, why: str = "", seen: int | None = None
) -> LogEntry:
    """Return the entry of an act on an article or a comment, see :func:`article_entry`."""
    if isinstance(post, Article):
        return article_entry(kind, user, post, why, seen=seen)
    entry = article_entry(kind, user, post.article, why, seen=seen)
    return replace(entry, about=post.node.author, comment=post.id.number)


def queue_comment(pipeline: Pipeline, id: int, number: int) -> Future[StoredComment | None]:
    """Queue a read of a comment; its result is None if there is none."""
    stored = store().articles.queue_get(pipeline, id)
    read = queue_thread(pipeline, id)
    words = store().threads.queue_words(pipeline, id, [number])

    def comment() -> StoredComment | None:
        article, thread = stored.result, read.result.thread
        if article is None or number not in thread.nodes:
            return None
        text = words.result.get(number, "")
        return StoredComment(CommentId(id, number), thread.nodes[number], text, article, thread)

    return pipeline.then(comment)


def _refuse_on_article(error: errors.VotewebError, article: Article, **_: object) -> ResponseReturnValue:
    """Return the article's page with the refused form as it was sent; the statuses 400 and 404 become 422."""
    refused = {"error": error_message(error), "next": return_url(), "reason": _removal_reason()}
    return render_article(article.id, 422 if error.status in (400, 404) else error.status, refused=refused)


@act(
    blueprint,
    "/a/<int:id>/groups",
    require_moderator,
    refuses=(errors.Invalid, errors.NoSuchGroup, errors.TooManyGroups),
    refused=_refuse_on_article,
    article=queue_article,
)
def set_groups(id: int, user: User, article: Article) -> Message:
    """Put an article into groups and take it out of others, in one act; errors are shown beside the form."""
    form = request.form
    add, remove = parse_choice(" ".join(form.getlist("add")), (), form.getlist("remove"))
    groups = store().articles.set_groups(id, add, remove, article_entry(LogAction.GROUPS, user, article), actor=user)
    if "settle" in form:
        store().reports.dismiss(id, article_entry(LogAction.DISMISS, user, article), actor=user)
    joined = join_names(groups)
    message = _("The article is now in: %(groups)s.", groups=joined) if joined else _("The article is now in no group.")
    return message, row_category(id) if "row" in form else "message"


@act(
    blueprint,
    "/a/<int:id>/remove",
    require_moderator,
    says=(errors.ArticleGone,),
    refuses=(errors.Invalid,),
    refused=_refuse_on_article,
    article=queue_article,
)
def remove(user: User, article: Article) -> Message:
    """Remove an article from the site, with a reason that everybody can read."""
    remove_post(user, article, _removal_reason(), hides_title="hide-title" in request.form)
    return _("The article has been removed. You can undo this in the log for %(span)s.", span=_undo_span())


def remove_post(
    user: User,
    post: Article | StoredComment,
    reason: str,
    *,
    hides_title: bool = False,
    with_replies: bool = False,
    seen: int | None = None,
) -> None:
    """Remove an article or a comment for a typed *reason*; raise Invalid, ArticleGone, CommentGone, and as the store.

    *seen* is that of :func:`article_entry`.
    """
    after = replace(post, hides_title=hides_title) if isinstance(post, Article) else post
    entry = log_entry(LogAction.REMOVE, user, after, validation.reason(reason), seen)
    if not store().removals.remove(post.id, entry, with_replies=with_replies, actor=user):
        raise errors.ArticleGone() if isinstance(post, Article) else errors.CommentGone()


def restore_post(user: User, post: Article | StoredComment, seen: int | None = None) -> None:
    """Bring a removed article or comment back; raise as the store. *seen* is that of :func:`article_entry`."""
    after = replace(post, hides_title=False) if isinstance(post, Article) else post
    store().removals.restore(post.id, log_entry(LogAction.RESTORE, user, after, seen=seen), actor=user)


def dismiss_reports(user: User, post: Article | StoredComment, seen: int | None = None) -> None:
    """Close the reports of an article or a comment; raise ReportsSettled if there are none, and as the store.

    *seen* is that of :func:`article_entry`.
    """
    if not store().reports.dismiss(post.id, log_entry(LogAction.DISMISS, user, post, seen=seen), actor=user):
        raise errors.ReportsSettled(errors.ReportsSettled.of_comment if isinstance(post, StoredComment) else "")


def publish(user: User, article: Article, revision: int, seen: int | None = None) -> None:
    """Publish an article that waits; raise NotWaiting if it does not, and as the store.

    *seen* is that of :func:`article_entry`.
    """
    entry = article_entry(LogAction.RELEASE, user, article, seen=seen)
    if not store().waiting.release(article.id, entry, actor=user, revision=revision):
        raise errors.NotWaiting()


def check_not_own(user: User, post: Article | StoredComment) -> None:
    """Raise OwnReport to a member who would report what they posted themselves."""
    if isinstance(post, StoredComment) and permissions.is_author(user, post.node):
        raise errors.OwnReport(errors.OwnReport.of_comment)
    if isinstance(post, Article) and post.is_listed and permissions.is_poster(user, post):
        raise errors.OwnReport()


def _undo_span() -> str:
    return duration(config.UNDO_SECONDS)


def _removal_reason() -> str:
    """Return the reason of a removal as it was typed, with a reporter's note if the moderator has chosen it."""
    reason, note = (request.form.get(name, "") for name in ("reason", "note"))
    if reason and note:
        # A note alone may be as long as a reason.
        return _("%(what)s: %(why)s", what=reason, why=note[: max(config.MAX_REASON_LENGTH - len(reason) - 2, 0)])
    return reason or note


@act(blueprint, "/a/<int:id>/restore", require_moderator, article=queue_article)
def restore(id: int, user: User, article: Article) -> Message:
    """Put a removed article back, with its votes."""
    restore_post(user, article)
    if store().waiting.has_article(id):
        return _("This article waits for a moderator. Only its poster and moderators see it until it is published.")
    return _("The article has been restored to every list, with its votes.")


@blueprint.post("/a/<int:id>/report")
@reads(require_member, article=queue_article)
def report(id: int, user: User, article: Article) -> ResponseReturnValue:
    """Report an article to the moderators, once."""
    if user.held:
        raise errors.Held()
    check_not_own(user, article)
    form = ReportForm()
    if not form.validate():
        return render_article(id, form.status, report=form)
    return _make_report(id, user, form)


def _make_report(id: int | CommentId, user: User, form: ReportForm) -> ResponseReturnValue:
    """Report what *form*, which is valid, says about an article or a comment."""
    try:
        store().reports.make(id, user, Reason(form.reason.data), form.note.data)
    except (errors.AlreadyReported, errors.CommentReported) as error:
        return lead(return_url(), error_message(error), "error")
    return lead(return_url(), _("Thank you for your report. The moderators will look at it."))


@act(blueprint, "/a/<int:id>/dismiss", require_moderator, says=(errors.ReportsSettled,), article=queue_article)
def dismiss(user: User, article: Article) -> Message:
    """Close the reports of an article and leave it as it is."""
    dismiss_reports(user, article)
    return _(
        "The reports have been dismissed; the article stays. You can undo this in the log for %(span)s.",
        span=_undo_span(),
    )


def _report_position() -> int:
    """Return the position in the reports of something that the address asks for; raise NoSuchPage if it is none."""
    after = request.args.get("after", "0")
    if not re.fullmatch("[0-9]{1,20}", after) or int(after) > _MAX_POSITION:
        raise errors.NoSuchPage()
    return int(after)


def _queue_open_reports(pipeline: Pipeline, id: int, number: int = 0) -> Future[Any]:
    """Queue a read of the open reports of an article or a comment, from the position that the address asks for."""
    return store().reports.queue_open_page(pipeline, CommentId(id, number) if number else id, _report_position())


@blueprint.get("/a/<int:id>/reports")
@reads(require_moderator, article=queue_article, open_reports=_queue_open_reports)
def article_reports(article: Article, open_reports: Any) -> str:
    return _render_reports(open_reports, article=article)


@comment_moderation.get(f"{_COMMENT_PATH}/reports", endpoint="reports")
@reads(require_moderator, comment=queue_comment, open_reports=_queue_open_reports)
def comment_reports(comment: StoredComment, open_reports: Any) -> str:
    return _render_reports(open_reports, comment=comment)


def _render_reports(open_reports: Any, **about: object) -> str:
    context = {"reports": open_reports, "reasons": REASON_LABELS, "is_first": _report_position() == 0}
    return render_template("moderation/open_reports.html", **context, **about)


@answers.post("/a/<int:id>/answer")
@reads(require_member, article=queue_article)
def answer(id: int, user: User, article: Article) -> ResponseReturnValue:
    """Answer the removal of the viewer's own article, or edits of it, once."""
    if article.is_deleted:
        raise errors.ArticleGone()
    if not permissions.is_poster(user, article):
        raise errors.NotYours()
    form, target = AnswerForm(), f"/a/{id}" if article.is_removed else f"/a/{id}/edits"
    is_valid = form.validate()
    if not is_valid and permissions.may_answer(user, article):
        return render_article(id, form.status, answer_form=form)
    if not is_valid and not article.is_removed:
        return render_edits(article, store().read(store().articles.queue_earlier, id), form)
    try:
        if not is_valid:  # a removal meanwhile must not let it in
            raise errors.AnsweredBefore() if article.answer else errors.NotRemoved()
        store().waiting.answer(id, user, form.answer.data or "")
    except (errors.NotRemoved, errors.AnsweredBefore) as error:
        return lead(target, error_message(error), "error")
    sent = _("Your answer has been sent. A moderator will look at it, and you will be told what was decided.")
    return lead(target, sent)


@act(answers, "/a/<int:id>/keep-removed", require_moderator, article=queue_article)
def keep_removed(user: User, article: Article) -> Message:
    """Leave an article removed, or edited, whose poster has answered, and tell the poster."""
    if store().waiting.keep_removed(article, article_entry(LogAction.KEEP, user, article), actor=user):
        return _("The article stays as it is, and its poster is told.")
    return _("This answer was settled already."), "error"


@act(
    held_articles,
    "/a/<int:id>/release",
    require_moderator,
    says=(errors.NotWaiting,),
    refuses=(errors.StaleEdit,),
    # Its poster has changed it: what nobody has looked at must not come into lists.
    refused=lambda _, article, **__: lead(f"/a/{article.id}", error_message(errors.Conflict()), "error"),
    article=queue_article,
)
def release(user: User, article: Article) -> Message:
    """Publish an article that waits for a moderator; its publish time is now."""
    publish(user, article, parse_revision(request.form.get("revision")))
    return _("The article has been published. Its time is that of now.")


@form_page(comment_moderation, f"{_COMMENT_PATH}/report", "report")
@reads(comment=queue_comment)
def report_comment(viewer: User | None, comment: StoredComment) -> ResponseReturnValue:
    """Report a comment to the moderators, once; a member whose session has ended keeps what they typed."""
    if viewer is None and (request.method != "POST" or wants_json()):
        raise errors.LoggedOut()
    if viewer is not None and viewer.held:
        raise errors.Held()
    if comment.article.is_removed:
        raise errors.ArticleGone()
    if not comment.node.is_visible or comment.is_covered:
        raise errors.CommentGone()
    form = CommentReportForm()
    if viewer is None:
        form.refuse(errors.LoggedOut())
    else:
        check_not_own(viewer, comment)
        if form.validate_on_submit():
            with refusals(form, LOST_RIGHTS):
                return _make_report(comment.id, require_member(viewer), form)
    return render_template("moderation/comment.html", comment=comment, form=form), form.status


def _show_again(error: errors.Invalid, **about: object) -> str:
    """Return the page with the refused form that removes a comment, or closes a conversation."""
    return render_template(
        "moderation/comment.html",
        typed=_removal_reason(),
        with_replies="replies" in request.form,
        error=error_message(error),
        next=return_url(),
        **about,
    )


@act(
    comment_moderation,
    f"{_COMMENT_PATH}/remove",
    require_moderator,
    endpoint="remove",
    says=(errors.CommentGone,),
    refuses=(errors.Invalid,),
    refused=_show_again,
    comment=queue_comment,
)
def remove_comment(user: User, comment: StoredComment) -> Message:
    """Remove a comment, alone or with its replies, with a reason that everybody can read."""
    with_replies = "replies" in request.form
    remove_post(user, comment, _removal_reason(), with_replies=with_replies)
    alone = _("The comment has been removed. You can undo this in the log for %(span)s.", span=_undo_span())
    both = _(
        "The comment and its replies have been removed. You can undo this in the log for %(span)s.", span=_undo_span()
    )
    return both if with_replies else alone


@act(comment_moderation, f"{_COMMENT_PATH}/restore", require_moderator, endpoint="restore", comment=queue_comment)
def restore_comment(user: User, comment: StoredComment) -> Message:
    """Bring a removed comment back, with its votes, and the replies that were removed with it."""
    restore_post(user, comment)
    if comment.node.is_deleted:
        return _("What was removed with this comment has been restored.")
    if comment.is_covered:
        return _("The comment has been restored. It can be read once the removed comment above it is restored too.")
    return _("The comment has been restored, with its votes.")


@act(
    comment_moderation,
    f"{_COMMENT_PATH}/dismiss",
    require_moderator,
    endpoint="dismiss",
    says=(errors.ReportsSettled,),
    comment=queue_comment,
)
def dismiss_comment(user: User, comment: StoredComment) -> Message:
    """Close the reports of a comment and leave it as it is."""
    dismiss_reports(user, comment)
    return _(
        "The reports have been dismissed; the comment stays. You can undo this in the log for %(span)s.",
        span=_undo_span(),
    )


def _conversation_address() -> str:
    return f"{return_url().partition('#')[0]}#comments"


#: Closing and opening a conversation that is over already.
_OVER = (errors.ArticleGone, errors.ConversationEnded)


@act(
    comment_moderation,
    "/a/<int:id>/close",
    require_moderator,
    leads_to=_conversation_address,
    says=_OVER,
    refuses=(errors.Invalid,),
    refused=_show_again,
    article=queue_article,
)
def close(id: int, user: User, article: Article) -> Message:
    """Close the conversation of an article, with a reason that everybody can read."""
    reason = validation.reason(_removal_reason())
    store().threads.set_closed(id, article_entry(LogAction.CLOSE, user, article, reason), actor=user, closes=True)
    return _("The conversation has been closed. You can open it again until it ends.")


@act(
    comment_moderation, "/a/<int:id>/reopen", require_moderator, leads_to=_conversation_address, says=_OVER,
    article=queue_article,
)  # fmt: skip
def reopen(id: int, user: User, article: Article) -> Message:
    """Open a conversation again that a moderator closed."""
    store().threads.set_closed(id, article_entry(LogAction.REOPEN, user, article), actor=user, closes=False)
    return _("The conversation is open again.")
