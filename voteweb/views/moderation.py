"""Moderation: sorting, removing and restoring articles, and the queue of reports."""

import re
from dataclasses import replace
from typing import NamedTuple

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb import fields, rules
from voteweb.errors import (
    AlreadyReported,
    ArticleGone,
    Invalid,
    NoSuchArticle,
    NoSuchGroup,
    TooManyGroups,
    VotewebError,
)
from voteweb.forms import REASONS, ReportForm
from voteweb.i18n import listed, refusal
from voteweb.language import gettext as _
from voteweb.lists import page_number, refuse_past_end
from voteweb.login import ask_viewer, member, members_only, store
from voteweb.models import Act, Article, Reason, User
from voteweb.places import pressed_at
from voteweb.store.listings import reported
from voteweb.store.log import Deed
from voteweb.store.votes import marked
from voteweb.views.articles import page_of

blueprint = Blueprint("moderation", __name__)


class Refused(NamedTuple):
    """A moderator's form that was refused: which, why, what was typed, and where it came from."""

    form: str
    error: str
    next: str
    typed: str = ""
    leaving: tuple[str, ...] = ()
    settle: bool = False


@blueprint.post("/a/<int:id>/groups")
@members_only
def set_groups(id: int) -> ResponseReturnValue:
    """Put an article into groups and take it out of others, in one act; what is wrong is said beside the form."""
    user, article = _moderator_and(id)
    typed = " ".join(request.form.getlist("add"))
    leaving = tuple(request.form.getlist("remove"))
    settle = "settle" in request.form
    try:
        add = [fields.group_name(name) for name in re.split(r"[\s,]+", typed) if name]
        remove = [fields.group_name(name) for name in leaving if name]
        groups = store().articles.set_groups(id, add, remove, _deed(Act.GROUPS, user, article))
    except (Invalid, NoSuchGroup, TooManyGroups) as error:
        return _again(id, error, Refused("groups", refusal(error), pressed_at(), typed, leaving, settle))
    if settle:
        store().reports.dismiss(id, _deed(Act.DISMISS, user, article))
    names = listed(groups)
    flash(_("The article is now in: %(groups)s.", groups=names) if names else _("The article is now in no group."))
    return redirect(pressed_at(), 303)


@blueprint.post("/a/<int:id>/remove")
@members_only
def remove(id: int) -> ResponseReturnValue:
    """Remove an article from the site, with a reason that everybody can read."""
    user, article = _moderator_and(id)
    if not rules.may_remove(user, article):
        flash(refusal(ArticleGone()), "error")
        return redirect(pressed_at(), 303)
    typed = request.form.get("reason", "")
    try:
        reason = fields.reason(typed)
    except Invalid as error:
        return _again(id, error, Refused("remove", refusal(error), pressed_at(), typed))
    store().removals.remove(id, _deed(Act.REMOVE, user, article, reason))
    flash(_("The article is removed. It can be restored from its page, and undone in the log for ten minutes."))
    return redirect(pressed_at(), 303)


@blueprint.post("/a/<int:id>/restore")
@members_only
def restore(id: int) -> ResponseReturnValue:
    """Put a removed article back, with its votes."""
    user, article = _moderator_and(id)
    store().removals.restore(id, _deed(Act.RESTORE, user, article))
    flash(_("The article is back in every list, with its votes."))
    return redirect(pressed_at(), 303)


@blueprint.post("/a/<int:id>/report")
@members_only
def report(id: int) -> ResponseReturnValue:
    """Report an article to the moderators, once."""
    trip = store().trip()
    viewer = ask_viewer(trip)
    asked = store().articles.ask(trip, id)
    trip.go()
    user = member(viewer.value)
    if asked.value is not None and not asked.value.gone and not rules.may_report(user, asked.value):
        abort(403, _("You cannot report your own article; you can edit or delete it in its first minutes."))
    form = ReportForm()
    if not form.validate():
        return page_of(id, 422, report=form)
    try:
        store().reports.make(id, user, Reason(form.reason.data), form.note.data)
    except AlreadyReported as error:
        flash(refusal(error), "error")
    else:
        flash(_("Thank you. The moderators will look at it."))
    return redirect(pressed_at(), 303)


@blueprint.post("/a/<int:id>/dismiss")
@members_only
def dismiss(id: int) -> ResponseReturnValue:
    """Settle the reports of an article and leave it as it is."""
    user, article = _moderator_and(id)
    if store().reports.dismiss(id, _deed(Act.DISMISS, user, article)):
        flash(_("The reports are settled; the article stays."))
    else:
        flash(_("These reports were settled already."), "error")
    return redirect(pressed_at(), 303)


@blueprint.get("/reports")
@members_only
def reports() -> ResponseReturnValue:
    """Show the articles with open reports, the most reported first."""
    number = page_number()
    trip = store().trip()
    viewer = ask_viewer(trip)
    listed = store().listings.ask(trip, reported(), number)
    names = store().groups.ask_names(trip)
    trip.go()
    if not rules.may_moderate(member(viewer.value)):
        abort(403)
    page = refuse_past_end(listed.value)
    found = store().reports.ask_open(trip, page.rows)
    own = store().votes.ask_own(trip, [article.id for article in page.rows], member(viewer.value).id)
    trip.go()
    page = replace(page, rows=marked(page.rows, own.value))
    return render_template(
        "moderation/reports.html", page=page, reports=found.value, reasons=REASONS, all_groups=names.value
    )


def _moderator_and(id: int) -> tuple[User, Article]:
    """Return the viewer, who must be a moderator, and the article; one round trip."""
    trip = store().trip()
    viewer = ask_viewer(trip)
    asked = store().articles.ask(trip, id)
    trip.go()
    user = member(viewer.value)
    if not rules.may_moderate(user):
        abort(403)
    if asked.value is None:
        raise NoSuchArticle()
    return user, asked.value


def _deed(kind: Act, user: User, article: Article, why: str = "") -> Deed:
    return Deed(kind, user.name, about=article.poster, article=article.id, title=article.title, why=why)


def _again(id: int, error: VotewebError, refused: Refused) -> ResponseReturnValue:
    """Return the article's page with the form that was refused, as it was typed."""
    return page_of(id, 422 if error.status in (400, 404) else error.status, refused=refused)
