"""Admissions: accounts that wait for a moderator, who lets them in or refuses them."""

from typing import NamedTuple

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import permissions, validation
from voteweb.core.errors import Invalid
from voteweb.core.models import LogAction, User
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.login import login_required, queue_viewer, require_moderator
from voteweb.web.context import store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.urls import safe_path
from voteweb.web.views.users import viewer_and_member

blueprint = Blueprint("admissions", __name__)


class RefusedReason(NamedTuple):
    """A refusal that was not carried out: of which member, why, and what was typed."""

    name: str
    error: str
    typed: str


@blueprint.get("/waiting")
@login_required
def index() -> ResponseReturnValue:
    """Show the accounts that wait to be let in, the first come first."""
    return _render(page_number())


def _render(number: int, refused: RefusedReason | None = None) -> ResponseReturnValue:
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


@blueprint.post("/u/<name>/admit")
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


@blueprint.post("/u/<name>/refuse")
@login_required
def refuse(name: str) -> ResponseReturnValue:
    """Refuse a member whose account waits, with a reason that everybody can read."""
    user, member = _moderator_and_held(name)
    typed = request.form.get("reason", "")
    try:
        reason = validation.reason(typed)
    except Invalid as error:
        return _render(1, RefusedReason(member.name, error_message(error), typed))
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
