"""Invitations: made, listed and withdrawn by those who may invite."""

from flask import Blueprint, abort, flash, redirect, render_template
from flask.typing import ResponseReturnValue

from voteweb import rules
from voteweb.errors import LinkUsed
from voteweb.filters import now
from voteweb.language import gettext as _
from voteweb.login import member, members_only, settings, store, viewer
from voteweb.models import User

blueprint = Blueprint("invitations", __name__)


@blueprint.get("/invitations")
@members_only
def index() -> str:
    """Show the viewer's invitations, with the links of those that are still good."""
    user = _inviter()
    trip = store().trip()
    made = store().joining.ask_made_by(trip, user.name)
    trip.go()
    return render_template("invitations/index.html", invitations=made.value)


@blueprint.post("/invitations")
@members_only
def make() -> ResponseReturnValue:
    """Make an invitation."""
    store().joining.invite(_inviter())
    flash(_("The invitation is made. Send its link to one person."))
    return redirect("/invitations", 303)


@blueprint.post("/invitations/<token>/revoke")
@members_only
def revoke(token: str) -> ResponseReturnValue:
    """Withdraw an invitation: the own, or as a moderator anybody's."""
    user = member(viewer())
    try:
        store().joining.revoke(token, None if rules.may_moderate(user) else user)
    except LinkUsed:
        abort(404, _("There is no such invitation."))
    flash(_("The invitation is withdrawn."))
    return redirect("/invitations", 303)


def _inviter() -> User:
    user = member(viewer())
    if not rules.may_invite(user, now(), settings()):
        abort(403, _("You cannot invite others here."))
    return user
