"""Bans: the form with the numbers of what would be removed, banning a member, lifting the ban."""

from typing import NamedTuple

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, permissions, validation
from voteweb.core.errors import N_, Invalid, StillRestoring
from voteweb.core.models import LogAction, User
from voteweb.store.moderation.bans import Span
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.confirmation import require_recent_password
from voteweb.web.auth.login import login_required
from voteweb.web.context import store
from voteweb.web.i18n.formatting import error_message, format_datetime
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.views.users import check_present, viewer_and_member

blueprint = Blueprint("bans", __name__)


class _Typed(NamedTuple):
    """The fields of the form as they were typed."""

    reason: str = ""
    days: str = ""
    articles: str = Span.NONE.value
    comments: str = Span.NONE.value


@blueprint.get("/u/<name>/ban")
@login_required
def form(name: str) -> ResponseReturnValue:
    """Show the form that bans a member, or that lifts the ban."""
    _user, target = _user_and_target(name)
    return _render(target)


@blueprint.post("/u/<name>/ban")
@login_required
def ban(name: str) -> ResponseReturnValue:
    """Ban a member, for some days or for good, with a reason that everybody can read; remove what they posted."""
    user, target = _user_and_target(name)
    typed = _Typed(**{field: request.form[field] for field in _Typed._fields if field in request.form})
    if not {typed.articles, typed.comments} <= set(Span):
        abort(400, _("There is no such span."))
    articles, comments = Span(typed.articles), Span(typed.comments)
    try:
        reason, days = validation.reason(typed.reason), _days(typed.days)
    except Invalid as error:
        return _render(target, typed, error_message(error)), 422
    require_recent_password(user)
    entry = NewLogEntry(
        LogAction.BAN,
        user.name,
        about=target.name,
        why=reason,
        articles=store().bans.count_articles(target.name).of(articles),
        comments=store().bans.count_comments(target.name).of(comments) if comments is not Span.NONE else 0,
    )
    try:
        store().bans.ban(target.name, entry, days=days, articles=articles, comments=comments, actor=user)
    except StillRestoring as error:
        return _render(target, typed, error_message(error)), error.status
    flash(_banned_message(store().users.get(target.name)))
    if entry.articles or entry.comments:
        flash(_("Their articles and comments are being removed; this can take a moment."))
    return redirect(f"/u/{target.name}", 303)


@blueprint.post("/u/<name>/unban")
@login_required
def unban(name: str) -> ResponseReturnValue:
    """Lift the ban of a member; restore what it removed, if that is wanted."""
    user, target = _user_and_target(name)
    restore = "restore" in request.form and target.ban_removal is not None
    ban = store().log.get(target.ban_removal.entry) if restore and target.ban_removal else None
    articles, comments = (ban.articles, ban.comments) if ban else (0, 0)
    entry = NewLogEntry(LogAction.UNBAN, user.name, about=target.name, articles=articles, comments=comments)
    store().bans.lift(target.name, entry, restore=restore, actor=user)
    if restore:
        flash(_("%(name)s can log in again. What the ban removed is being restored.", name=target.name))
    else:
        flash(_("%(name)s can log in again.", name=target.name))
    return redirect(f"/u/{target.name}", 303)


def _user_and_target(name: str) -> tuple[User, User]:
    """Return the viewer and the member *name*, whom the viewer may ban; else 403."""
    user, target = viewer_and_member(name)
    if not permissions.may_ban(user, target):
        abort(403)
    return user, check_present(target, name, user)


def _days(typed: str) -> int | None:
    """Return after how many days a ban ends, None if that is left empty; raise Invalid."""
    days = typed.strip()
    if not days:
        return None
    if not (days.isascii() and days.isdecimal() and 0 < int(days[:9]) <= config.MAX_BAN_DAYS and len(days) < 9):
        message = N_("The days must be a whole number from 1 to %(max)s, or empty for a ban for good.")
        raise Invalid(message, max=config.MAX_BAN_DAYS)
    return int(days)


def _render(target: User, typed: _Typed | None = None, refused: str = "") -> str:
    articles, comments = store().bans.count_articles(target.name), store().bans.count_comments(target.name)
    return render_template(
        "bans/form.html",
        member=target,
        typed=typed or _Typed(),
        refused=refused,
        counts={"articles": articles, "comments": comments},
        spans=tuple(Span),
    )


def _banned_message(member: User) -> str:
    if member.banned_until:
        when = format_datetime(member.banned_until)
        return _("%(name)s has been banned until %(when)s and logged out everywhere.", name=member.name, when=when)
    return _("%(name)s has been banned and logged out everywhere.", name=member.name)
