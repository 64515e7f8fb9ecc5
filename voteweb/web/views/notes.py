"""Notes on members: written, read and deleted by moderators."""

from flask import Blueprint, abort, flash, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core import permissions, validation
from voteweb.core.errors import Invalid, TooManyNotes
from voteweb.web.auth.login import login_required, require_moderator
from voteweb.web.context import store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.views.users import check_present, render_member, viewer_and_member

blueprint = Blueprint("notes", __name__)


@blueprint.post("/u/<name>/note")
@login_required
def add(name: str) -> ResponseReturnValue:
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


@blueprint.post("/u/<name>/note/<note>/delete")
@login_required
def delete(name: str, note: str) -> ResponseReturnValue:
    """Delete a note that the viewer wrote, or any as an admin."""
    user, target = viewer_and_member(name)
    check_present(target, name, require_moderator(user))
    store().notes.delete(target.name, note, user)
    flash(_("The note has been deleted."))
    return redirect(f"/u/{target.name}#notes", 303)
