"""Invitations: created, listed and revoked by those who may invite."""

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import permissions
from voteweb.core.errors import LinkUsed
from voteweb.core.models import User
from voteweb.web.auth.login import login_required, require_member, require_moderator, viewer
from voteweb.web.context import now, settings, store
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.urls import absolute, safe_path
from voteweb.web.views.users import check_present, parse_name

blueprint = Blueprint("invitations", __name__)


@blueprint.get("/invitations")
@login_required
def index() -> str:
    """Show the viewer's invitations, or a moderator another member's."""
    number, by = page_number(), request.args.get("by", "")
    name = parse_name(by) if by else ""
    if name:
        require_moderator(viewer())
    else:
        name = _require_inviter().name
    pipeline = store().pipeline()
    member = store().users.queue_get(pipeline, name)
    invitations = store().invitations.queue_page(pipeline, name, number)
    pipeline.execute()
    name = check_present(member.result, name).name
    page = check_page_exists(invitations.result)
    return render_template("invitations/index.html", page=page, by=name if by else "")


@blueprint.post("/invitations")
@login_required
def make() -> ResponseReturnValue:
    """Create an invitation, whose link is shown once."""
    user = _require_inviter()
    token = store().invitations.make(user, permissions.least_inviter_role(user, now(), settings()))
    address = absolute(f"/signup?invite={token}")
    flash(_("Invitation created. Send its link to one person: %(address)s", address=address))
    flash(_("Copy it now: it is shown only once. Whoever knows it can sign up."))
    return redirect("/invitations", 303)


@blueprint.post("/invitations/<digest>/revoke")
@login_required
def revoke(digest: str) -> ResponseReturnValue:
    """Revoke one of the viewer's invitations; a moderator can revoke anybody's."""
    user = require_member(viewer())
    try:
        store().invitations.revoke(digest, user)
    except LinkUsed:
        abort(404, _("There is no such invitation."))
    flash(_("The invitation has been withdrawn."))
    return redirect(safe_path(request.form.get("next", ""), "/invitations"), 303)


def _require_inviter() -> User:
    user = require_member(viewer())
    if not permissions.may_invite(user, now(), settings()):
        abort(403, _("You cannot invite others here."))
    return user
