"""Recovery codes: shown once, made anew by the member, and used to set a new password."""

from dataclasses import replace

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, passwords, recovery_codes, validation
from voteweb.core.errors import Banned, CodeUsed, Invalid, TooFast
from voteweb.core.models import User
from voteweb.core.names import name_key
from voteweb.core.rate_limits import RECOVERY_BY_ADDRESS, RECOVERY_BY_NAME
from voteweb.web import rate_limits
from voteweb.web.auth.confirmation import require_recent_password
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import ban_error, login_required, queue_viewer, require_member, viewer
from voteweb.web.context import now, settings, store
from voteweb.web.forms import RecoveryForm
from voteweb.web.i18n.formatting import code_count, format_datetime
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.urls import absolute, safe_path
from voteweb.web.views.login_pages import log_in, next_path, render_login_page

blueprint = Blueprint("recovery", __name__)


@blueprint.route("/account/recovery-codes", methods=["GET", "POST"])
@login_required
def codes() -> ResponseReturnValue:
    """Tell how many codes the viewer has left; by POST, make new ones and show them once."""
    member = require_member(store().read(queue_viewer))
    target = safe_path(request.values.get("next", ""), default="/account")
    if request.method == "POST":
        require_recent_password(member)
        made = store().passwords.renew_codes(member)
        return render_template("account/recovery_codes.html", codes=made, text=_as_text(member, made), next=target)
    left = store().read(store().passwords.queue_codes_left, member.name)
    return render_template("account/recovery.html", left=left, next=target)


def _as_text(member: User, made: tuple[str, ...]) -> str:
    """Return the file that keeps the codes *made* for *member*, with what it is for."""
    purpose = _("If you forget your password, each of these codes lets you set a new one, once, on this page:")
    lines = [
        _("Recovery codes of %(name)s on %(site)s", name=member.name, site=settings().site_name),
        *("", purpose, absolute("/recover")),
        *("", *made, ""),
        _("Made on %(when)s. Codes that you make later replace them.", when=format_datetime(now())),
    ]
    return "\n".join([*lines, ""])


@blueprint.route("/recover", methods=["GET", "POST"])
@csrf_handled_by_form
def recover() -> ResponseReturnValue:
    """Set a new password with a recovery code and log in; a wrong name and a wrong code look and cost the same."""
    if viewer() is not None:
        return redirect(next_path(), 303)
    form = RecoveryForm()
    if form.validate_on_submit():
        try:
            user, left = _use_code(form)
        except (Invalid, Banned, CodeUsed, TooFast) as error:
            form.refuse(error)
        else:
            done = _("Your new password is set, and all other sessions have ended.")
            log_in(user, " ".join([done, _("Left: %(codes)s.", codes=code_count(left))]))
            return redirect(next_path(), 303)
    return render_login_page("auth/recover.html", form)


def _use_code(form: RecoveryForm) -> tuple[User, int]:
    """Return the member whose code the form holds, with the new session id, and how many codes are left.

    Each attempt is counted before the code is looked up. Raises Invalid, Banned, CodeUsed, TooFast.
    """
    name, code = validation.normal_name(form.username.data or ""), recovery_codes.read(form.code.data or "")
    hits = (*rate_limits.address_hits(RECOVERY_BY_ADDRESS), (RECOVERY_BY_NAME, name_key(name)))
    pipeline = store().pipeline()
    rate_limits.queue_hits(pipeline, *hits)
    known = name if validation.is_member_name(name) else config.DELETED_MEMBER
    stored_member = store().users.queue_get(pipeline, known)
    stored = store().passwords.queue_codes(pipeline, known)
    pipeline.execute()
    refusal = rate_limits.exceeded()
    if refusal is not None:
        raise refusal
    user = stored_member.result
    if not store().passwords.is_code(stored.result, user, code) or user is None or user.left:
        raise CodeUsed()
    store().limits.refund(hits)
    if user.banned:
        raise ban_error(user)
    session_id, left = store().passwords.use_code(user, code, passwords.hash_password(form.new.data or ""))
    return replace(user, session=session_id), left
