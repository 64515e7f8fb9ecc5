"""Members: their pages, and their roles, which admins change."""

from typing import Any

from flask import Blueprint, abort, flash, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core import permissions, validation
from voteweb.core.errors import Invalid, NoSuchMember
from voteweb.core.models import LogAction, Role, User
from voteweb.core.my_site import hidden_member
from voteweb.core.names import name_key
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.confirmation import require_recent_password
from voteweb.web.auth.login import login_required, queue_viewer, require_member, session_member_name, viewer
from voteweb.web.context import store
from voteweb.web.i18n.formatting import ROLE_NAMES
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import QueueQuery, render_list
from voteweb.web.responses import RenderedPage

blueprint = Blueprint("users", __name__)


@blueprint.get("/u/<name>")
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


@blueprint.post("/u/<name>/role")
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
