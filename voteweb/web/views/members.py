"""Members: their pages, lists of them, and what moderators and admins do: notes, bans, admissions, roles."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, permissions, validation
from voteweb.core.errors import N_, Invalid, NoSuchMember, StillRestoring, TooManyNotes
from voteweb.core.models import LogAction, Page, Role, User
from voteweb.core.my_site import hidden_member
from voteweb.core.names import name_key
from voteweb.store.accounts.users import ListedMember
from voteweb.store.moderation.bans import Span
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.login import (
    login_required,
    queue_viewer,
    require_member,
    require_moderator,
    session_member_name,
    viewer,
)
from voteweb.web.context import store
from voteweb.web.i18n.formatting import ROLE_NAMES, error_message, format_datetime
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import QueueQuery, check_page_exists, page_number, render_list
from voteweb.web.responses import RenderedPage
from voteweb.web.urls import safe_path

users = Blueprint("users", __name__)
blueprint = Blueprint("members", __name__)
notes = Blueprint("notes", __name__)
bans = Blueprint("bans", __name__)
admissions = Blueprint("admissions", __name__)


@users.get("/u/<name>")
def show(name: str) -> RenderedPage:
    """Show a member and their articles, newest first; to moderators, also what the log says about them."""
    return render_member(parse_name(name))


def render_member(name: str, **context: Any) -> RenderedPage:
    """Return the page of a member; *context* may have a refused note."""
    networks: list[str] = []
    is_own = name_key(session_member_name()) == name_key(name)
    held: dict[str, QueueQuery] = {"held": lambda pipeline: store().waiting.queue_articles(pipeline, name)}
    own: dict[str, QueueQuery] = {"removed": lambda pipeline: store().removals.queue_of_poster(pipeline, name), **held}

    def check(results: dict[str, Any]) -> None:
        check_present(results["member"], name, viewer())
        networks.append(results.pop("network"))

    return render_list(
        "users/show.html",
        store().rankings.member(name),
        check=check,
        shown=hidden_member(name).entry,
        is_shared=False,
        queries={
            "member": lambda pipeline: store().users.queue_get(pipeline, name),
            "network": lambda pipeline: store().waiting.queue_network(pipeline, name),
            **(own if is_own else {}),
        },
        moderator_queries={
            "log": lambda pipeline: store().log.queue_page(pipeline, 1, about=name),
            "invitations": lambda pipeline: store().invitations.queue_page(pipeline, name, 1),
            "notes": lambda pipeline: store().notes.queue_on(pipeline, name),
            "neighbours": lambda pipeline: store().waiting.queue_neighbours(pipeline, name, networks[0]),
            **({} if is_own else held),
        },
        roles=tuple(Role),
        **context,
    )


@users.post("/u/<name>/role")
@login_required
def set_role(name: str) -> ResponseReturnValue:
    """Give a member another role."""
    user, target = viewer_and_member(name)
    if not permissions.may_set_role(user, target):
        abort(403, _("Only admins can change roles, and nobody can change their own."))
    typed = request.form.get("role", "")
    if typed not in set(Role):
        abort(400, _("There is no such role."))
    require_recent_password(user)
    entry = NewLogEntry(LogAction.ROLE, user.name, about=target.name, why=typed)
    store().users.set_role(target.name, Role(typed), entry, actor=user)
    flash(_("%(name)s now has the role %(role)s.", name=target.name, role=ROLE_NAMES[Role(typed)]))
    return redirect(f"/u/{target.name}", 303)


def parse_name(typed: str) -> str:
    """Return a name that a member can have; raise NoSuchMember."""
    try:
        return validation.member_name(typed)
    except Invalid:
        raise NoSuchMember(name=typed) from None


def check_present(member: User | None, name: str, user: User | None = None) -> User:
    """Return *member*, read by *name*; raise NoSuchMember, also if *user* may not see them, or 410 after they left."""
    if member is None or not permissions.may_see(user, member):
        raise NoSuchMember(name=name)
    if member.left:
        abort(410, _("This account was deleted by its owner."))
    return member


def viewer_and_member(typed: str) -> tuple[User, User]:
    """Return the viewer and the member *typed*, in one round trip."""
    name = parse_name(typed)
    pipeline = store().pipeline()
    user = queue_viewer(pipeline)
    member = store().users.queue_get(pipeline, name)
    pipeline.execute()
    if member.result is None:
        raise NoSuchMember(name=name)
    return require_member(user.result), member.result


@blueprint.get("/moderators")
def moderators() -> str:
    """Show who moderates the site."""
    return render_template("members/moderators.html", moderators=store().users.moderators())


@blueprint.get("/members")
@login_required
def index() -> ResponseReturnValue:
    """Show members to moderators: the newest, those whose name begins with ``q``, or those of a list, ``of``.

    Admins also see when each was here last, and can change roles.
    """
    number, of = page_number(), request.args.get("of", "")
    is_of_banned, is_of_staff = of == "banned", of == "moderators"
    typed = "" if is_of_banned or is_of_staff else request.args.get("q", "").strip()[: config.MAX_USER_NAME_LENGTH + 1]
    lists, pipeline = store().users, store().pipeline()
    viewer = queue_viewer(pipeline)
    names = (lists.queue_banned if is_of_banned else lists.queue_newest)(pipeline, number)
    pipeline.execute()
    require_moderator(viewer.result)
    page, is_complete = check_page_exists(names.result), True
    if is_of_staff:
        staff = tuple(user.name for user in lists.moderators())
        page = Page.at(1, len(staff), staff, len(staff))
    if typed:
        found, is_complete = lists.search(typed)
        page = Page.at(1, len(found), found, len(found))
    members = lists.queue_members(pipeline, page.rows)
    pipeline.execute()
    seen = _last_seen(members.result) if permissions.may_administer(viewer.result) else {}
    rows = [row for row in members.result if row.user.banned or not is_of_banned]
    return render_template(
        "members/index.html",
        page=page,
        rows=rows,
        typed=typed,
        is_of_banned=is_of_banned,
        is_of_staff=is_of_staff,
        seen=seen,
        roles=tuple(Role),
        is_complete=is_complete,
    )


def _last_seen(members: Sequence[ListedMember]) -> dict[int, float]:
    """Return when each of *members* was here last in a session that is open, in unix seconds, by their ids."""
    pipeline = store().pipeline()
    sessions = {member.user.id: store().sessions.queue_all(pipeline, member.user) for member in members}
    pipeline.execute()
    return {id: read.result[0].used for id, read in sessions.items() if read.result}


@notes.post("/u/<name>/note", endpoint="add")
@login_required
def add_note(name: str) -> ResponseReturnValue:
    """Add a note on a member, for moderators alone."""
    user, target = viewer_and_member(name)
    check_present(target, name, require_moderator(user))
    if not permissions.may_note(user, target):
        abort(403)
    typed = request.form.get("text", "")
    try:
        store().notes.add(target.name, validation.member_note(typed), user)
    except (Invalid, TooManyNotes) as error:
        return render_member(target.name, refused_note=error_message(error), typed_note=typed), 422
    flash(_("The note has been saved. Only moderators see it."))
    return redirect(f"/u/{target.name}#notes", 303)


@notes.post("/u/<name>/note/<note>/delete", endpoint="delete")
@login_required
def delete_note(name: str, note: str) -> ResponseReturnValue:
    """Delete a note that the viewer wrote, or any as an admin."""
    user, target = viewer_and_member(name)
    check_present(target, name, require_moderator(user))
    store().notes.delete(target.name, note, user)
    flash(_("The note has been deleted."))
    return redirect(f"/u/{target.name}#notes", 303)


class _TypedBan(NamedTuple):
    """The fields of the form of a ban as they were typed."""

    reason: str = ""
    days: str = ""
    articles: str = Span.NONE.value
    comments: str = Span.NONE.value


@bans.get("/u/<name>/ban", endpoint="form")
@login_required
def ban_form(name: str) -> ResponseReturnValue:
    """Show the form that bans a member, or that lifts the ban."""
    _user, target = _user_and_target(name)
    return _render_ban(target)


@bans.post("/u/<name>/ban")
@login_required
def ban(name: str) -> ResponseReturnValue:
    """Ban a member, for some days or for good, with a reason that everybody can read; remove what they posted."""
    user, target = _user_and_target(name)
    typed = _TypedBan(**{field: request.form[field] for field in _TypedBan._fields if field in request.form})
    if not {typed.articles, typed.comments} <= set(Span):
        abort(400, _("There is no such span."))
    articles, comments = Span(typed.articles), Span(typed.comments)
    try:
        reason, days = validation.reason(typed.reason), _days(typed.days)
    except Invalid as error:
        return _render_ban(target, typed, error_message(error)), 422
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
        return _render_ban(target, typed, error_message(error)), error.status
    flash(_banned_message(store().users.get(target.name)))
    if entry.articles or entry.comments:
        flash(_("Their articles and comments are being removed; this can take a moment."))
    return redirect(f"/u/{target.name}", 303)


@bans.post("/u/<name>/unban")
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


def _render_ban(target: User, typed: _TypedBan | None = None, refused: str = "") -> str:
    articles, comments = store().bans.count_articles(target.name), store().bans.count_comments(target.name)
    return render_template(
        "bans/form.html",
        member=target,
        typed=typed or _TypedBan(),
        refused=refused,
        counts={"articles": articles, "comments": comments},
    )


def _banned_message(member: User) -> str:
    if member.banned_until:
        when = format_datetime(member.banned_until)
        return _("%(name)s has been banned until %(when)s and logged out everywhere.", name=member.name, when=when)
    return _("%(name)s has been banned and logged out everywhere.", name=member.name)


class RefusedReason(NamedTuple):
    """A refusal that was not carried out: of which member, why, and what was typed."""

    name: str
    error: str
    typed: str


@admissions.get("/waiting", endpoint="index")
@login_required
def waiting() -> ResponseReturnValue:
    """Show the accounts that wait to be let in, the first come first."""
    return _render_waiting(page_number())


def _render_waiting(number: int, refused: RefusedReason | None = None) -> ResponseReturnValue:
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    queue = store().waiting.queue_accounts(pipeline, number)
    counts = store().waiting.queue_counts(pipeline)
    pipeline.execute()
    require_moderator(viewer.result)
    page = check_page_exists(queue.result)
    members = [store().users.queue_get(pipeline, name) for name in page.rows]
    networks = [store().waiting.queue_network(pipeline, name) for name in page.rows]
    pipeline.execute()
    neighbours = [
        store().waiting.queue_neighbours(pipeline, name, network.result)
        for name, network in zip(page.rows, networks, strict=True)
    ]
    pipeline.execute()
    rows = [(member.result, near.result) for member, near in zip(members, neighbours, strict=True) if member.result]
    context = {"rows": rows, "refused": refused, "held_count": counts.result.articles}
    return render_template("admissions/index.html", page=page, **context), 422 if refused else 200


@admissions.post("/u/<name>/admit")
@login_required
def admit(name: str) -> ResponseReturnValue:
    """Admit a member whose account waits or was refused."""
    user, member = _moderator_and_held(name)
    entry = NewLogEntry(LogAction.ADMIT, user.name, about=member.name)
    if member.held and store().waiting.admit(member.name, entry, actor=user):
        flash(_("%(name)s has been let in.", name=member.name))
    else:
        flash(_("%(name)s has been let in already.", name=member.name))
    return redirect(safe_path(request.form.get("next", ""), "/waiting"), 303)


@admissions.post("/u/<name>/refuse")
@login_required
def refuse(name: str) -> ResponseReturnValue:
    """Refuse a member whose account waits, with a reason that everybody can read."""
    user, member = _moderator_and_held(name)
    typed = request.form.get("reason", "")
    try:
        reason = validation.reason(typed)
    except Invalid as error:
        return _render_waiting(1, RefusedReason(member.name, error_message(error), typed))
    entry = NewLogEntry(LogAction.REFUSE, user.name, about=member.name, why=reason)
    if member.held and store().waiting.refuse(member.name, entry, actor=user):
        flash(_("%(name)s has been refused, and reads your reason on trying to log in.", name=member.name))
    else:
        flash(_("Another moderator has decided about %(name)s already.", name=member.name), "error")
    return redirect(safe_path(request.form.get("next", ""), "/waiting"), 303)


def _moderator_and_held(name: str) -> tuple[User, User]:
    """Return the viewer, who must be a moderator, and the member; a member who does not wait has been judged."""
    user, member = viewer_and_member(name)
    if not permissions.may_moderate(user) or member.left:
        abort(403)
    return user, member
