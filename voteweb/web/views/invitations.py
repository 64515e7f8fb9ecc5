"""Invitations: created, listed and revoked by those who may invite."""

from flask import Blueprint, abort, flash, redirect, render_template
from flask.typing import ResponseReturnValue

from voteweb.core import permissions
from voteweb.core.errors import LinkUsed
from voteweb.core.models import User
from voteweb.web.auth.login import login_required, require_member, viewer
from voteweb.web.context import now, settings, store
from voteweb.web.i18n.locale import gettext as _

blueprint = Blueprint("invitations", __name__)


@blueprint.get("/invitations")
@login_required
def index() -> str:
    """Show the viewer's invitations, with the links of those that are still valid."""
    user = _require_inviter()
    pipeline = store().pipeline()
    invitations = store().invitations.queue_made_by(pipeline, user.name)
    pipeline.execute()
    return render_template("invitations/index.html", invitations=invitations.result)


@blueprint.post("/invitations")
@login_required
def make() -> ResponseReturnValue:
    """Create an invitation."""
    store().invitations.make(_require_inviter())
    flash(_("Invitation created. Send its link to one person."))
    return redirect("/invitations", 303)


@blueprint.post("/invitations/<token>/revoke")
@login_required
def revoke(token: str) -> ResponseReturnValue:
    """Revoke one of the viewer's invitations; a moderator can revoke anybody's."""
    user = require_member(viewer())
    try:
        store().invitations.revoke(token, None if permissions.may_moderate(user) else user)
    except LinkUsed:
        abort(404, _("There is no such invitation."))
    flash(_("The invitation has been withdrawn."))
    return redirect("/invitations", 303)


def _require_inviter() -> User:
    user = require_member(viewer())
    if not permissions.may_invite(user, now(), settings()):
        abort(403, _("You cannot invite others here."))
    return user
