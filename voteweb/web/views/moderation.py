"""Moderation: sorting, removing and restoring articles, and the queue of reports."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, permissions, validation
from voteweb.core.comments import Reported
from voteweb.core.errors import (
    AlreadyReported,
    ArticleGone,
    Held,
    Invalid,
    NoSuchArticle,
    NoSuchGroup,
    NoSuchPage,
    TooManyGroups,
    VotewebError,
)
from voteweb.core.models import Article, LogAction, Reason, Report, User
from voteweb.core.names import name_key
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.values import article_id, is_article
from voteweb.web.auth.login import login_required, queue_viewer, require_member, require_moderator
from voteweb.web.context import settings, store
from voteweb.web.flashes import row_category
from voteweb.web.forms import REASON_LABELS, ReportForm
from voteweb.web.i18n.formatting import duration, error_message, join_names
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.urls import return_url
from voteweb.web.views.articles import render_article

blueprint = Blueprint("moderation", __name__)
#: The highest position in an article's reports that Redis reads.
_MAX_POSITION = 2**64 - 1
_POSITION = re.compile(r"[0-9]{1,20}")


class RefusedForm(NamedTuple):
    """A moderator's form that was refused: which one, why, what was typed, and where to return to."""

    form: str
    error: str
    next: str
    typed: str = ""
    remove: tuple[str, ...] = ()
    settle: bool = False


@blueprint.post("/a/<int:id>/groups")
@login_required
def set_groups(id: int) -> ResponseReturnValue:
    """Put an article into groups and take it out of others, in one act; errors are shown beside the form."""
    user, article = moderator_and_article(id)
    typed = " ".join(request.form.getlist("add"))
    raw_removals = tuple(request.form.getlist("remove"))
    settle = "settle" in request.form
    try:
        names = [name for name in re.split(r"[\s,]+", typed) if name]
        if len(names) + len(raw_removals) > config.MAX_TYPED_GROUPS:
            raise TooManyGroups(max=settings().max_groups)
        add = [validation.group_name(name) for name in names]
        remove = [validation.group_name(name) for name in raw_removals if name]
        groups = store().articles.set_groups(id, add, remove, _log_entry(LogAction.GROUPS, user, article), actor=user)
    except (Invalid, NoSuchGroup, TooManyGroups) as error:
        refused = RefusedForm("groups", error_message(error), return_url(), typed, raw_removals, settle)
        return _render_refused(id, error, refused)
    if settle:
        store().reports.dismiss(id, _log_entry(LogAction.DISMISS, user, article), actor=user)
    joined = join_names(groups)
    message = _("The article is now in: %(groups)s.", groups=joined) if joined else _("The article is now in no group.")
    flash(message, row_category(id) if "row" in request.form else "message")
    return redirect(return_url(), 303)


@blueprint.post("/a/<int:id>/remove")
@login_required
def remove(id: int) -> ResponseReturnValue:
    """Remove an article from the site, with a reason that everybody can read."""
    user, article = moderator_and_article(id)
    if not permissions.may_remove(user, article):
        flash(error_message(ArticleGone()), "error")
        return redirect(return_url(), 303)
    typed = removal_reason()
    try:
        reason = validation.reason(typed)
    except Invalid as error:
        return _render_refused(id, error, RefusedForm("remove", error_message(error), return_url(), typed))
    store().removals.remove(id, _log_entry(LogAction.REMOVE, user, article, reason), actor=user)
    span = duration(config.UNDO_SECONDS)
    flash(_("The article has been removed. You can undo this in the log for %(span)s.", span=span))
    return redirect(return_url(), 303)


def removal_reason() -> str:
    """Return the reason of a removal as it was typed, with a reporter's note if the moderator has chosen it."""
    reason, note = (request.form.get(name, "") for name in ("reason", "note"))
    if reason and note:
        # A note alone may be as long as a reason.
        return _("%(what)s: %(why)s", what=reason, why=note[: max(config.MAX_REASON_LENGTH - len(reason) - 2, 0)])
    return reason or note


@blueprint.post("/a/<int:id>/restore")
@login_required
def restore(id: int) -> ResponseReturnValue:
    """Put a removed article back, with its votes."""
    user, article = moderator_and_article(id)
    store().removals.restore(id, _log_entry(LogAction.RESTORE, user, article), actor=user)
    if store().waiting.has_article(id):
        flash(_("This article waits for a moderator. Only its poster and moderators see it until it is published."))
    else:
        flash(_("The article has been restored to every list, with its votes."))
    return redirect(return_url(), 303)


@blueprint.post("/a/<int:id>/report")
@login_required
def report(id: int) -> ResponseReturnValue:
    """Report an article to the moderators, once."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    article = store().articles.queue_get(pipeline, id)
    pipeline.execute()
    user, stored = require_member(viewer.result), article.result
    if user.held:
        raise Held()
    if stored is not None and stored.is_listed and not permissions.may_report(user, stored):
        abort(403, _("You cannot report your own article; you can edit or delete it in its first minutes."))
    form = ReportForm()
    if not form.validate():
        return render_article(id, form.status, report=form)
    try:
        store().reports.make(id, user, Reason(form.reason.data), form.note.data)
    except AlreadyReported as error:
        flash(error_message(error), "error")
    else:
        flash(_("Thank you for your report. The moderators will look at it."))
    return redirect(return_url(), 303)


@blueprint.post("/a/<int:id>/dismiss")
@login_required
def dismiss(id: int) -> ResponseReturnValue:
    """Close the reports of an article and leave it as it is."""
    user, article = moderator_and_article(id)
    if store().reports.dismiss(id, _log_entry(LogAction.DISMISS, user, article), actor=user):
        flash(_("The reports have been dismissed; the article stays."))
    else:
        flash(_("These reports were already dismissed."), "error")
    return redirect(return_url(), 303)


@blueprint.get("/reports")
@login_required
def reports() -> ResponseReturnValue:
    """Show the articles and comments with open reports, the most reported first."""
    number = page_number()
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    members = store().reports.queue_page(pipeline, number)
    group_names = store().groups.queue_names(pipeline)
    held, counts = store().waiting.queue_articles(pipeline), store().waiting.queue_counts(pipeline)
    answered = store().waiting.queue_answers(pipeline)
    pipeline.execute()
    user = require_moderator(viewer.result)
    page = check_page_exists(members.result)
    reported = store().reports.queue_reported(pipeline, page.rows)
    ids = [article_id(member) for member in page.rows if is_article(member)]
    own_votes = store().votes.queue_own(pipeline, ids, user.id)
    pipeline.execute()
    notes = store().notes.queue_of(pipeline, filter(validation.is_member_name, map(_author, reported.result)))
    pipeline.execute()
    return render_template(
        "moderation/reports.html",
        notes_on=lambda name: notes.result.get(name_key(name), ()),
        page=page,
        rows=tuple(_mark_voted(row, own_votes.result) for row in reported.result),
        answered=answered.result,
        reasons=REASON_LABELS,
        suggest_removal=_suggest_removal,
        all_groups=group_names.result,
        held=held.result if number == 1 else (),
        held_count=counts.result.articles,
    )


def _author(row: Reported) -> str:
    """Return the name of the member who posted what was reported, "" if it has none."""
    if row.comment:
        return row.comment.node.author
    return row.article.poster if row.article else ""


def _suggest_removal(reports: Sequence[Report]) -> dict[str, str]:
    """Return the ``reason`` that most of *reports* give and the first ``note`` on it, for the form of a removal."""
    reasons = Counter(report.reason for report in reports).most_common(1)
    if not reasons:
        return {}
    (reason, _count) = reasons[0]
    note = next((report.note for report in reports if report.reason is reason and report.note), "")
    return {"reason": str(REASON_LABELS[reason]), "note": note}


def _mark_voted(row: Reported, own_votes: Mapping[int, bool]) -> Reported:
    if row.article is None:
        return row
    return replace(row, article=replace(row.article, voted=own_votes.get(row.article.id, False)))


@blueprint.get("/a/<int:id>/reports")
@login_required
def article_reports(id: int) -> str:
    """Show all open reports of an article, page by page."""
    position = report_position()
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    article = store().articles.queue_get(pipeline, id)
    open_reports = store().reports.queue_open_page(pipeline, id, position)
    pipeline.execute()
    require_moderator(viewer.result)
    if article.result is None:
        raise NoSuchArticle()
    return render_template(
        "moderation/article_reports.html",
        article=article.result,
        reports=open_reports.result,
        reasons=REASON_LABELS,
        is_first=position == 0,
    )


def report_position() -> int:
    """Return the position in the reports of something that the address asks for; raise NoSuchPage if it is none."""
    after = request.args.get("after", "0")
    if not _POSITION.fullmatch(after) or int(after) > _MAX_POSITION:
        raise NoSuchPage()
    return int(after)


def moderator_and_article(id: int) -> tuple[User, Article]:
    """Return the viewer, who must be a moderator, and the article; one round trip."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    article = store().articles.queue_get(pipeline, id)
    pipeline.execute()
    user = require_moderator(viewer.result)
    if article.result is None:
        raise NoSuchArticle()
    return user, article.result


def _log_entry(kind: LogAction, user: User, article: Article, why: str = "") -> NewLogEntry:
    return NewLogEntry(kind, user.name, about=article.poster, article=article.id, title=article.title, why=why)


def _render_refused(id: int, error: VotewebError, refused: RefusedForm) -> ResponseReturnValue:
    """Return the article's page with the refused form as it was typed; a wrong group is a wrong form (422)."""
    return render_article(id, 422 if error.status in (400, 404) else error.status, refused=refused)
