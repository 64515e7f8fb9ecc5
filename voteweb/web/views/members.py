"""Members: their pages, lists of them, and what moderators and admins do: notes, roles, log-ins."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, permissions, validation
from voteweb.core.errors import AboutChanged, Invalid, MemberLeft, NoSuchMember, TooManyNotes
from voteweb.core.models import LogAction, LogEntry, LogIn, Page, Role, User
from voteweb.core.my_site import hidden_member
from voteweb.core.names import name_key
from voteweb.store.accounts.users import ListedMember
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.login import require_admin, require_member, require_moderator, session_member_name, viewer
from voteweb.web.base.context import store
from voteweb.web.base.responses import RenderedPage
from voteweb.web.base.urls import page_number
from voteweb.web.i18n.formatting import ROLE_NAMES, error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import Message, act, reads
from voteweb.web.pages.pagination import ListPage, Reads, Results, Rows

users = Blueprint("users", __name__)
blueprint = Blueprint("members", __name__)
notes = Blueprint("notes", __name__)


class _MemberPage(ListPage):
    """A member and their articles, newest first; to moderators, also what the log says about them."""

    template = "members/show.html"
    is_shared = False

    def __init__(self, name: str, **context: Any) -> None:
        shown = hidden_member(name).entry
        super().__init__(store().rankings.member(name), shown=shown, roles=tuple(Role), **context)
        self._name, self._is_own = name, name_key(session_member_name()) == name_key(name)

    def queue(self, pipeline: Pipeline) -> Reads:
        name, site = self._name, store()
        reads: Reads = {"member": site.users.queue_get(pipeline, name)}
        reads["counts"] = site.users.queue_counts(pipeline, name)
        if self._is_own:
            reads["removed"] = site.removals.queue_of_poster(pipeline, name)
            reads["held"] = site.waiting.queue_of_poster(pipeline, name)
        return reads

    def queue_for_moderator(self, pipeline: Pipeline) -> Reads:
        name, site = self._name, store()
        return {
            "log": site.log.queue_page(pipeline, 1, about=name),
            "acted": site.log.queue_count(pipeline, name),
            "invitations": site.invitations.queue_page(pipeline, name, 1),
            "notes": site.notes.queue_on(pipeline, name),
            "neighbours": site.waiting.queue_neighbours(pipeline, name),
            "held": site.waiting.queue_of_poster(pipeline, name),
            "programs": site.programs.queue_all(pipeline, name),
        }

    def check(self, results: Results) -> None:
        check_present(results["member"], self._name, viewer())

    def finish(self, results: Results, rows: Rows) -> None:
        names = [neighbour.name for neighbour in results.get("neighbours", ())]
        results["neighbours"] = store().read(store().users.queue_members, names)


@users.get("/u/<name>")
def show(name: str) -> RenderedPage:
    return render_member(parse_name(name))


def render_member(name: str, **context: Any) -> RenderedPage:
    """Return the page of a member; *context* may have a refused note."""
    return _MemberPage(name, **context).render()


def queue_member(pipeline: Pipeline, name: str) -> Future[User]:
    """Queue a read of the member of the address; the pipeline raises NoSuchMember."""
    name = parse_name(name)
    stored = store().users.queue_get(pipeline, name)

    def member() -> User:
        if stored.result is None:
            raise NoSuchMember(name=name)
        return stored.result

    return pipeline.then(member)


def queue_present(pipeline: Pipeline, name: str) -> Future[User]:
    """Queue a read of the member of the address, whom the viewer, read before, may see (see :func:`check_present`)."""
    member = queue_member(pipeline, name)
    return pipeline.then(lambda: check_present(member.result, member.result.name, viewer()))


@act(users, "/u/<name>/role", require_member, leads_to="/u/{member.name}", member=queue_member)
def set_role(user: User, member: User) -> Message:
    if not permissions.may_set_role(user, member):
        abort(403, _("Only admins can change roles, and nobody can change their own."))
    typed = request.form.get("role", "")
    if typed not in set(Role):
        abort(400, _("There is no such role."))
    require_recent_password(user)
    entry = LogEntry(LogAction.ROLE, user.name, about=member.name, why=typed)
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
    refused=lambda error, member, **_: render_member(member.name, refused_about=error_message(error)),
    member=queue_present,
)
def judge_about(user: User, member: User) -> Message:
    """Remove what a member says about themselves, with a reason that everybody can read, or leave it as it is."""
    seen = request.form.get("seen", "").replace("\r\n", "\n")
    reason = "" if "leave" in request.form else validation.reason(request.form.get("reason", ""))
    entry = LogEntry(LogAction.ABOUT, user.name, about=member.name, why=reason)
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
    """Return *member*, read by *name*; raise NoSuchMember, also if *user* may not see them, MemberLeft."""
    if member is None or not permissions.may_see(user, member):
        raise NoSuchMember(name=name)
    if member.left:
        raise MemberLeft()
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
    refused=lambda error, member, **_: render_member(member.name, refused_note=error_message(error)),
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
