"""Bans: of one member or of several, what they remove, and their end."""

from collections.abc import Sequence
from typing import NamedTuple

from flask import Blueprint, abort, flash, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, markup, permissions, validation
from voteweb.core.errors import N_, DecidedMeanwhile, Invalid, NoSuchMember, StillRestoring
from voteweb.core.models import LogAction, LogEntry, Role, User
from voteweb.core.names import name_key
from voteweb.store.accounts.users import ListedMember
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.moderation.bans import PostCounts, RemovalCounts, Span
from voteweb.store.votes.open_votes import OpenVoteCount
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.login import require_member, require_moderator, viewer
from voteweb.web.base.context import store
from voteweb.web.i18n.formatting import error_message, join_names, time_element, vote_count
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import Message, act, reads, seen_in_form
from voteweb.web.views.members import queue_member

blueprint = Blueprint("bans", __name__)


class _TypedBan(NamedTuple):
    """The fields of the form of a ban as they were typed."""

    reason: str = ""
    days: str = ""
    articles: str = Span.NONE.value
    comments: str = Span.NONE.value
    votes: str = ""

    @classmethod
    def of_request(cls) -> "_TypedBan":
        """Return what was typed, or what the button for spam stands for: for good, and all of it removed."""
        typed = cls(**{field: request.form[field] for field in cls._fields if field in request.form})
        if "spam" in request.form:
            return cls(typed.reason.strip() or _("Spam"), "", Span.ALL.value, Span.ALL.value, "1")
        return typed


@blueprint.get("/u/<name>/ban", endpoint="form")
@reads(require_member, member=queue_member)
def ban_form(user: User, member: User) -> ResponseReturnValue:
    """Show the form that bans a member, or that lifts the ban."""
    _check_may_ban(user, member)
    return _render_ban(member)


def _refuse_ban(error: Invalid | StillRestoring, user: User, member: User) -> ResponseReturnValue:
    page = _render_ban(member, _TypedBan.of_request(), error_message(error))
    return page, 422 if isinstance(error, Invalid) else error.status


@act(
    blueprint,
    "/u/<name>/ban",
    require_member,
    leads_to="/u/{member.name}",
    refuses=(Invalid, StillRestoring),
    refused=_refuse_ban,
    member=queue_member,
)
def ban(user: User, member: User) -> Message:
    """Ban a member, for some days or for good, with a reason that everybody can read; remove what they posted."""
    _check_may_ban(user, member)
    entry, is_new = _ban(member, _check_ban(_TypedBan.of_request(), user, [member]), user)
    if not is_new:
        return _("%(name)s was banned before; that ban stays as it is.", name=member.name), "error"
    until = store().users.get(member.name).banned_until
    for_good = _("%(name)s has been banned and logged out everywhere.", name=member.name)
    flash(
        markup.trusted(_("%(name)s has been banned until %(when)s and logged out everywhere."))
        % {"name": member.name, "when": time_element(until)}
        if until
        else for_good
    )
    return _flash_removal([entry])


def _flash_removal(bans: Sequence[LogEntry]) -> Message:
    """Say what the *bans* remove, as far as it is something."""
    if any(ban.articles or ban.comments for ban in bans):
        flash(_("Their articles and comments are being removed; this can take a moment."))
    has_votes = any(ban.votes for ban in bans)
    return _("Their votes are being taken back; this can take a moment.") if has_votes else ""


@blueprint.get("/ban", endpoint="several")
@reads(require_moderator, rows=lambda pipeline: _queue_offered(pipeline, request.args.getlist("name")))
def ban_several_form(rows: Sequence[ListedMember]) -> str:
    """Show the form that bans several members at once; at first all are chosen."""
    return _render_several(rows, _chosen(rows))


def _chosen_in_form(rows: Sequence[ListedMember]) -> list[User]:
    """Return those in the form whom the viewer may ban: those who are banned meanwhile were chosen before that."""
    names, members = set(map(name_key, request.form.getlist("name"))), [row.user for row in rows]
    return [member for member in members if permissions.may_ban(viewer(), member) and name_key(member.name) in names]


@act(
    blueprint,
    "/ban",
    require_moderator,
    leads_to="/members?of=banned",
    refuses=(Invalid,),
    refused=lambda error, rows, **_: _render_several(
        rows, _chosen_in_form(rows), _TypedBan.of_request(), error_message(error)
    ),
    rows=lambda pipeline: _queue_offered(pipeline, request.form.getlist("offered") + request.form.getlist("name")),
)
def ban_several(user: User, rows: Sequence[ListedMember]) -> Message:
    """Ban those of the members who were offered that are chosen, as :func:`ban` does one."""
    chosen = _chosen_in_form(rows)
    checked = _check_ban(_TypedBan.of_request(), user, chosen)
    bans, decided = list[LogEntry](), list[LogEntry]()
    for member in chosen:
        try:
            ban, is_new = _ban(member, checked, user)
        except DecidedMeanwhile as error:
            decided += error.values["entries"]
            continue
        except (StillRestoring, NoSuchMember) as error:
            flash(error_message(error), "error")
            continue
        if is_new:
            bans.append(ban)
        else:
            flash(_("%(name)s was banned before; that ban stays as it is.", name=member.name), "error")
    if bans:
        flash(_("Banned, and logged out everywhere: %(names)s.", names=join_names([ban.about for ban in bans])))
    if decided:
        raise DecidedMeanwhile(entries=decided)
    return _flash_removal(bans)


def _queue_offered(pipeline: Pipeline, names: Sequence[str]) -> Future[tuple[ListedMember, ...]]:
    """Queue a read of the members *names*, each once; of too many, the first."""
    members = dict.fromkeys(name_key(name) for name in names if validation.is_member_name(name))
    return store().users.queue_members(pipeline, [*members][: config.MEMBER_PAGE_SIZE])


def _chosen(rows: Sequence[ListedMember]) -> list[User]:
    """Return those whom the viewer may ban and who are not banned yet."""
    return [row.user for row in rows if permissions.may_ban(viewer(), row.user) and not row.user.banned]


def _check_ban(typed: _TypedBan, user: User, members: Sequence[User]) -> _TypedBan:
    """Return *typed*, tidied, for a ban of *members*; raise Invalid.

    Raises PasswordNeeded unless *user* gave the password lately.
    """
    if not {typed.articles, typed.comments} <= set(Span):
        abort(400, _("There is no such span."))
    _members, reason, days = validation.check_all(
        lambda: _anybody(members), lambda: validation.reason(typed.reason), lambda: _days(typed.days)
    )
    require_recent_password(user)
    return typed._replace(reason=reason, days=str(days or ""))


def _anybody(members: Sequence[User]) -> None:
    if not members:
        raise Invalid(N_("Please choose whom to ban."))


def _ban(member: User, checked: _TypedBan, user: User) -> tuple[LogEntry, bool]:
    """Ban *member*; return what the log says of that, and whether nobody else had.

    Raises StillRestoring, NoSuchMember, DecidedMeanwhile.
    """
    articles, comments, bans = Span(checked.articles), Span(checked.comments), store().bans
    entry = LogEntry(
        LogAction.BAN,
        user.name,
        about=member.name,
        why=checked.reason,
        articles=bans.count_articles(member.name).of(articles),
        comments=bans.count_comments(member.name).of(comments) if comments is not Span.NONE else 0,
        votes=store().open_votes.count([member]).all if checked.votes else 0,
        seen=seen_in_form(),
    )
    days, votes = _days(checked.days), bool(checked.votes)
    is_new = bans.ban(member.name, entry, days=days, articles=articles, comments=comments, votes=votes, actor=user)
    return entry, is_new


@act(blueprint, "/u/<name>/unban", require_member, back="/u/{member.name}", member=queue_member)
def unban(user: User, member: User) -> Message:
    """Lift the ban of a member; restore what it removed, if that is wanted."""
    _check_may_ban(user, member)
    restore = "restore" in request.form and member.ban_removal is not None
    counts = store().bans.count_removed(member) if restore else RemovalCounts()
    entry = LogEntry(LogAction.UNBAN, user.name, about=member.name, **counts._asdict())
    store().bans.lift(member.name, entry, restore=restore, actor=user)
    restoring = _("%(name)s can log in again. What the ban removed is being restored.", name=member.name)
    flash(restoring if restore else _("%(name)s can log in again.", name=member.name))
    return closed_votes(counts.closed)


def closed_votes(count: int) -> str:
    """Return the message about votes that the end of a ban could not give back, "" for none."""
    message = _("%(votes)s cannot be given back: voting has closed there, or it is gone.", votes=vote_count(count))
    return message if count else ""


def _check_may_ban(user: User, member: User) -> None:
    if permissions.may_ban(user, member):
        return
    if member.role is Role.ADMIN and permissions.may_moderate(user):
        abort(403, _("An admin can be banned only at the command line, by those who run this site."))
    abort(403, _("Only admins can ban a moderator.") if permissions.may_moderate(user) else None)


def _days(typed: str) -> int | None:
    """Return after how many days a ban ends, None if that is left empty; raise Invalid."""
    days = typed.strip()
    if not days:
        return None
    if not (days.isascii() and days.isdecimal() and 0 < int(days[:9]) <= config.MAX_BAN_DAYS and len(days) < 9):
        message = N_("The days must be a whole number from 1 to %(max)s, or empty for a ban for good.")
        raise Invalid(message, max=config.MAX_BAN_DAYS)
    return int(days)


def _render_ban(member: User, typed: _TypedBan | None = None, refused: str = "") -> str:
    counts = _counts([member])
    return render_template("bans/form.html", member=member, typed=typed or _TypedBan(), refused=refused, counts=counts)


def _render_several(
    rows: Sequence[ListedMember], chosen: Sequence[User], typed: _TypedBan | None = None, refused: str = ""
) -> str:
    return render_template(
        "bans/several.html",
        rows=rows,
        chosen={member.id for member in chosen},
        typed=typed or _TypedBan(),
        refused=refused,
        counts=_counts(_chosen(rows)),
    )


def _counts(members: Sequence[User]) -> dict[str, PostCounts | OpenVoteCount]:
    """Return how many articles and comments of *members* each span has, and how many of their votes are open."""
    bans, names = store().bans, [member.name for member in members]
    votes = store().open_votes.count(members)
    return {"articles": bans.count_articles(*names), "comments": bans.count_comments(*names), "votes": votes}
