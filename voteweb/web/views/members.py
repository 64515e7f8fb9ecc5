"""Members: their pages, lists of them, and what moderators and admins do: notes, bans, roles."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import Blueprint, abort, flash, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, permissions, validation
from voteweb.core.errors import N_, AboutChanged, Invalid, NoSuchMember, StillRestoring, TooManyNotes
from voteweb.core.models import Article, LogAction, LogIn, Page, Role, User
from voteweb.core.my_site import hidden_member
from voteweb.core.names import name_key
from voteweb.store.accounts.users import ListedMember
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.moderation.bans import PostCounts, RemovalCounts, Span
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.votes.open_votes import OpenVoteCount
from voteweb.web.acts import Message, act, reads
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.login import require_admin, require_member, require_moderator, session_member_name, viewer
from voteweb.web.context import store
from voteweb.web.i18n.formatting import ROLE_NAMES, error_message, format_datetime, join_names, vote_count
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import QueueQuery, render_list
from voteweb.web.responses import RenderedPage
from voteweb.web.urls import page_number

users = Blueprint("users", __name__)
blueprint = Blueprint("members", __name__)
notes = Blueprint("notes", __name__)
bans = Blueprint("bans", __name__)


@users.get("/u/<name>")
def show(name: str) -> RenderedPage:
    """Show a member and their articles, newest first; to moderators, also what the log says about them."""
    return render_member(parse_name(name))


def render_member(name: str, **context: Any) -> RenderedPage:
    """Return the page of a member; *context* may have a refused note."""
    is_own = name_key(session_member_name()) == name_key(name)
    held: dict[str, QueueQuery] = {"held": lambda pipeline: store().waiting.queue_of_poster(pipeline, name)}
    own: dict[str, QueueQuery] = {"removed": lambda pipeline: store().removals.queue_of_poster(pipeline, name), **held}

    def check(results: dict[str, Any]) -> None:
        check_present(results["member"], name, viewer())

    def finish(results: dict[str, Any], _rows: Sequence[Article]) -> None:
        names = [neighbour.name for neighbour in results.get("neighbours", ())]
        results["neighbours"] = store().read(store().users.queue_members, names)

    return render_list(
        "users/show.html",
        store().rankings.member(name),
        check=check,
        finish=finish,
        shown=hidden_member(name).entry,
        is_shared=False,
        queries={
            "member": lambda pipeline: store().users.queue_get(pipeline, name),
            "counts": lambda pipeline: store().users.queue_counts(pipeline, name),
            **(own if is_own else {}),
        },
        moderator_queries={
            "log": lambda pipeline: store().log.queue_page(pipeline, 1, about=name),
            "invitations": lambda pipeline: store().invitations.queue_page(pipeline, name, 1),
            "notes": lambda pipeline: store().notes.queue_on(pipeline, name),
            "neighbours": lambda pipeline: store().waiting.queue_neighbours(pipeline, name),
            **({} if is_own else held),
        },
        roles=tuple(Role),
        **context,
    )


def queue_member(pipeline: Pipeline, name: str) -> Future[User]:
    """Queue a read of the member of the address; the pipeline raises NoSuchMember."""
    name = parse_name(name)
    stored = store().users.queue_get(pipeline, name)

    def member(_replies: list[object]) -> User:
        if stored.result is None:
            raise NoSuchMember(name=name)
        return stored.result

    return pipeline.queue([], member)


def queue_present(pipeline: Pipeline, name: str) -> Future[User]:
    """Queue a read of the member of the address, whom the viewer, read before, may see (see :func:`check_present`)."""
    member = queue_member(pipeline, name)
    return pipeline.queue([], lambda _: check_present(member.result, member.result.name, viewer()))


@act(users, "/u/<name>/role", require_member, leads_to="/u/{member.name}", member=queue_member)
def set_role(user: User, member: User) -> Message:
    if not permissions.may_set_role(user, member):
        abort(403, _("Only admins can change roles, and nobody can change their own."))
    typed = request.form.get("role", "")
    if typed not in set(Role):
        abort(400, _("There is no such role."))
    require_recent_password(user)
    entry = NewLogEntry(LogAction.ROLE, user.name, about=member.name, why=typed)
    store().users.set_role(member.name, Role(typed), entry, actor=user)
    return _("%(name)s now has the role %(role)s.", name=member.name, role=ROLE_NAMES[Role(typed)])


@act(users, "/u/<name>/report", require_member, member=queue_present)
def report_about(user: User, member: User) -> Message:
    """Report what a member says about themselves."""
    if user.id == member.id:
        abort(403, _("You cannot report your own lines; you can change them."))
    if store().waiting.report_about(member.name, user):
        return _("Thank you for your report. The moderators will look at it.")
    return _("These lines have already been reported, or are gone."), "error"


@act(
    users,
    "/u/<name>/about",
    require_moderator,
    back="/u/{member.name}",
    refuses=(Invalid, AboutChanged),
    refused=lambda error, member, **_: render_member(
        member.name, refused_about=error_message(error), typed_reason=request.form.get("reason", "")
    ),
    member=queue_present,
)
def judge_about(user: User, member: User) -> Message:
    """Remove what a member says about themselves, with a reason that everybody can read, or leave it as it is."""
    seen = request.form.get("seen", "").replace("\r\n", "\n")
    reason = "" if "leave" in request.form else validation.reason(request.form.get("reason", ""))
    entry = NewLogEntry(LogAction.ABOUT, user.name, about=member.name, why=reason)
    if not store().waiting.judge_about(member.name, seen, entry, actor=user):
        return _("A moderator has already judged these lines."), "error"
    return _("The lines have been removed, and the member is told.") if reason else _("The lines stay as they are.")


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


@blueprint.get("/moderators")
def moderators() -> str:
    return render_template("members/moderators.html", moderators=store().users.moderators())


def _queue_names(pipeline: Pipeline) -> Future[Page[str]]:
    """Queue a read of the names on the page of the newest members, or of those who are banned."""
    lists = store().users
    queue = lists.queue_banned if request.args.get("of") == "banned" else lists.queue_newest
    return queue(pipeline, page_number())


@blueprint.get("/members")
@reads(require_moderator, page=_queue_names)
def index(user: User, page: Page[str]) -> ResponseReturnValue:
    """Show members to moderators: the newest, those whose name begins with ``q``, or those of a list, ``of``.

    Admins also see when each was here last, and can change roles.
    """
    of = request.args.get("of", "")
    is_of_banned, is_of_staff = of == "banned", of == "moderators"
    typed = "" if is_of_banned or is_of_staff else request.args.get("q", "").strip()[: config.MAX_USER_NAME_LENGTH + 1]
    lists, is_complete = store().users, True
    if is_of_staff:
        staff = tuple(member.name for member in lists.moderators())
        page = Page.at(1, len(staff), staff, len(staff))
    if typed:
        found, is_complete = lists.search(typed)
        page = Page.at(1, len(found), found, len(found))
    members = store().read(lists.queue_members, page.rows)
    seen = _last_seen(members) if permissions.may_administer(user) else {}
    rows = [row for row in members if row.user.banned or not is_of_banned]
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


def _log_ins_of() -> str:
    """Return the member whose log-ins the query asks for, "" for those of all."""
    typed = request.args.get("name", "")[: config.MAX_USER_NAME_LENGTH + 1]
    return typed if validation.is_member_name(typed) else ""


@blueprint.get("/members/log-ins")
@reads(require_admin, page=lambda pipeline: store().sessions.queue_log_ins(pipeline, page_number(), _log_ins_of()))
def log_ins(page: Page[LogIn]) -> str:
    """Show who logged in, or tried to, in the last days; the query can name one member."""
    return render_template("members/log_ins.html", page=page, name=_log_ins_of())


@blueprint.get("/members/invited")
@reads(require_moderator)
def invited() -> str:
    """Show who invited whom among the members who joined last."""
    return render_template("members/invited.html", rows=store().invitations.tree())


@act(
    notes,
    "/u/<name>/note",
    require_moderator,
    endpoint="add",
    leads_to="/u/{member.name}#notes",
    refuses=(Invalid, TooManyNotes),
    refused=lambda error, member, **_: render_member(
        member.name, refused_note=error_message(error), typed_note=request.form.get("text", "")
    ),
    member=queue_present,
)
def add_note(user: User, member: User) -> Message:
    """Add a note on a member, for moderators alone."""
    if not permissions.may_note(user, member):
        abort(403)
    store().notes.add(member.name, validation.member_note(request.form.get("text", "")), user)
    return _("The note has been saved. Only moderators see it.")


@act(
    notes, "/u/<name>/note/<note>/delete", require_moderator, endpoint="delete", leads_to="/u/{member.name}#notes",
    member=queue_present,
)  # fmt: skip
def delete_note(note: str, user: User, member: User) -> Message:
    """Delete a note that the viewer wrote, or any as an admin."""
    store().notes.delete(member.name, note, user)
    return _("The note has been deleted.")


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


@bans.get("/u/<name>/ban", endpoint="form")
@reads(require_member, member=queue_member)
def ban_form(user: User, member: User) -> ResponseReturnValue:
    """Show the form that bans a member, or that lifts the ban."""
    _check_may_ban(user, member)
    return _render_ban(member)


def _refuse_ban(error: Invalid | StillRestoring, user: User, member: User) -> ResponseReturnValue:
    page = _render_ban(member, _TypedBan.of_request(), error_message(error))
    return page, 422 if isinstance(error, Invalid) else error.status


@act(
    bans,
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
    entry = _ban(member, _check_ban(_TypedBan.of_request(), user), user)
    until = store().users.get(member.name).banned_until
    for_good = _("%(name)s has been banned and logged out everywhere.", name=member.name)
    flash(
        _(
            "%(name)s has been banned until %(when)s and logged out everywhere.",
            name=member.name,
            when=format_datetime(until),
        )
        if until
        else for_good
    )
    return _flash_removal([entry])


def _flash_removal(bans: Sequence[NewLogEntry]) -> Message:
    """Say what the *bans* remove, as far as it is something."""
    if any(ban.articles or ban.comments for ban in bans):
        flash(_("Their articles and comments are being removed; this can take a moment."))
    has_votes = any(ban.votes for ban in bans)
    return _("Their votes are being taken back; this can take a moment.") if has_votes else ""


@bans.get("/ban", endpoint="several")
@reads(require_moderator, rows=lambda pipeline: _queue_offered(pipeline, request.args.getlist("name")))
def ban_several_form(rows: Sequence[ListedMember]) -> str:
    """Show the form that bans several members at once; at first all are chosen."""
    return _render_several(rows, _chosen(rows))


def _chosen_in_form(rows: Sequence[ListedMember]) -> list[User]:
    names = set(map(name_key, request.form.getlist("name")))
    return [member for member in _chosen(rows) if name_key(member.name) in names]


@act(
    bans,
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
    if not chosen:
        raise Invalid(N_("Please choose whom to ban."))
    checked = _check_ban(_TypedBan.of_request(), user)
    bans: list[NewLogEntry] = []
    for member in chosen:
        try:
            bans.append(_ban(member, checked, user))
        except (StillRestoring, NoSuchMember) as error:
            flash(error_message(error), "error")
    if bans:
        flash(_("Banned, and logged out everywhere: %(names)s.", names=join_names([ban.about for ban in bans])))
    return _flash_removal(bans)


def _queue_offered(pipeline: Pipeline, names: Sequence[str]) -> Future[tuple[ListedMember, ...]]:
    """Queue a read of the members *names*, each once; of too many, the first."""
    members = dict.fromkeys(name_key(name) for name in names if validation.is_member_name(name))
    return store().users.queue_members(pipeline, [*members][: config.MEMBER_PAGE_SIZE])


def _chosen(rows: Sequence[ListedMember]) -> list[User]:
    """Return those whom the viewer may ban and who are not banned yet."""
    return [row.user for row in rows if permissions.may_ban(viewer(), row.user) and not row.user.banned]


def _check_ban(typed: _TypedBan, user: User) -> _TypedBan:
    """Return *typed*, tidied; raise Invalid, and PasswordNeeded unless *user* gave the password lately."""
    if not {typed.articles, typed.comments} <= set(Span):
        abort(400, _("There is no such span."))
    reason, days = validation.reason(typed.reason), _days(typed.days)
    require_recent_password(user)
    return typed._replace(reason=reason, days=str(days or ""))


def _ban(member: User, checked: _TypedBan, user: User) -> NewLogEntry:
    """Ban *member*; return what the log says of that. Raises StillRestoring, NoSuchMember."""
    articles, comments, bans = Span(checked.articles), Span(checked.comments), store().bans
    entry = NewLogEntry(
        LogAction.BAN,
        user.name,
        about=member.name,
        why=checked.reason,
        articles=bans.count_articles(member.name).of(articles),
        comments=bans.count_comments(member.name).of(comments) if comments is not Span.NONE else 0,
        votes=store().open_votes.count([member]).all if checked.votes else 0,
    )
    days, votes = _days(checked.days), bool(checked.votes)
    bans.ban(member.name, entry, days=days, articles=articles, comments=comments, votes=votes, actor=user)
    return entry


@act(bans, "/u/<name>/unban", require_member, back="/u/{member.name}", member=queue_member)
def unban(user: User, member: User) -> Message:
    """Lift the ban of a member; restore what it removed, if that is wanted."""
    _check_may_ban(user, member)
    restore = "restore" in request.form and member.ban_removal is not None
    counts = store().bans.count_removed(member) if restore else RemovalCounts()
    entry = NewLogEntry(LogAction.UNBAN, user.name, about=member.name, **counts._asdict())
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
