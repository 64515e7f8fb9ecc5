"""Members: since when they are here, what they posted, and what moderators and admins can do about them."""

from typing import Any

from flask import Blueprint, abort, flash, redirect, request
from flask.typing import ResponseReturnValue

from voteweb import fields, lists, rules
from voteweb.errors import Invalid, NoSuchMember
from voteweb.i18n import ROLES, refusal
from voteweb.language import gettext as _
from voteweb.login import ask_viewer, member, members_only, store, viewer
from voteweb.models import Act, Role, User
from voteweb.store.listings import of_member
from voteweb.store.log import Deed

blueprint = Blueprint("users", __name__)


@blueprint.get("/u/<name>")
def show(name: str) -> str:
    """Show a member and the own articles, newest first; to moderators, also what the log says about them."""
    return _page(well_formed(name))


def _page(name: str, **context: Any) -> str:
    def check(answers: dict[str, Any]) -> None:
        present(answers["member"], name)
        if not rules.may_moderate(viewer()):
            answers["log"] = answers["invitations"] = None

    return lists.show(
        "users/show.html",
        of_member(name),
        check=check,
        questions={
            "member": lambda trip: store().users.ask(trip, name),
            "log": lambda trip: store().log.ask(trip, 1, about=name),
            "invitations": lambda trip: store().joining.ask_made_by(trip, name),
        },
        roles=tuple(Role),
        **context,
    )


@blueprint.post("/u/<name>/ban")
@members_only
def ban(name: str) -> ResponseReturnValue:
    """Ban a member, with a reason that everybody can read."""
    user, target = _viewer_and(name)
    if not rules.may_ban(user, target):
        abort(403)
    typed = request.form.get("reason", "")
    try:
        reason = fields.reason(typed)
    except Invalid as error:
        return _page(target.name, refused=refusal(error), typed=typed), 422
    store().users.ban(target.name, Deed(Act.BAN, user.name, about=target.name, why=reason))
    flash(_("%(name)s is banned and logged out everywhere.", name=target.name))
    return redirect(f"/u/{target.name}", 303)


@blueprint.post("/u/<name>/unban")
@members_only
def unban(name: str) -> ResponseReturnValue:
    """Let a banned member in again."""
    user, target = _viewer_and(name)
    if not rules.may_ban(user, target):
        abort(403)
    store().users.unban(target.name, Deed(Act.UNBAN, user.name, about=target.name))
    flash(_("%(name)s can log in again.", name=target.name))
    return redirect(f"/u/{target.name}", 303)


@blueprint.post("/u/<name>/role")
@members_only
def set_role(name: str) -> ResponseReturnValue:
    """Give a member another role."""
    user, target = _viewer_and(name)
    if not rules.may_set_role(user, target):
        abort(403, _("Only admins can do this, and not to themselves."))
    asked = request.form.get("role", "")
    if asked not in set(Role):
        abort(400, _("There is no such role."))
    store().users.set_role(target.name, Role(asked), Deed(Act.ROLE, user.name, about=target.name, why=asked))
    flash(_("%(name)s has the role %(role)s now.", name=target.name, role=ROLES[Role(asked)]))
    return redirect(f"/u/{target.name}", 303)


def well_formed(typed: str) -> str:
    """Return a name that a member can have; raise NoSuchMember."""
    try:
        return fields.member_name(typed)
    except Invalid:
        raise NoSuchMember(name=typed) from None


def present(found: User | None, name: str) -> User:
    """Return the member *name* that was asked for; raise NoSuchMember, or 410 after the end of the account."""
    if found is None:
        raise NoSuchMember(name=name)
    if found.left:
        abort(410, _("This account was deleted by its owner."))
    return found


def _viewer_and(typed: str) -> tuple[User, User]:
    """Return the viewer and the member *typed*, in one round trip."""
    name = well_formed(typed)
    trip = store().trip()
    asked_viewer = ask_viewer(trip)
    asked = store().users.ask(trip, name)
    trip.go()
    if asked.value is None:
        raise NoSuchMember(name=name)
    return member(asked_viewer.value), asked.value
