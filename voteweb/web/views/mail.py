"""Mail: the address of the viewer, and the links in mails. Only on a site with mail."""

from hmac import compare_digest

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import validation
from voteweb.core.errors import LinkOutOfDate, OutboxFull, TooFast
from voteweb.core.mail import PendingEmail
from voteweb.core.models import User
from voteweb.core.names import name_key
from voteweb.core.rate_limits import EMAIL_BY_ADDRESS, MAIL_RESET_BY_ADDRESS, MAIL_RESET_BY_NAME
from voteweb.web import rate_limits
from voteweb.web.auth.confirmation import require_recent_password
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import login_required, require_member, viewer
from voteweb.web.context import now, store
from voteweb.web.forms import EmailForm, MailResetForm
from voteweb.web.i18n import locale
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.mail import tokens

blueprint = Blueprint("mail", __name__)
#: A page at an address that contains a secret must not be kept by anybody.
_NO_STORE = {"Cache-Control": "no-store"}


@blueprint.route("/account/mail", methods=["GET", "POST"])
@login_required
@csrf_handled_by_form
def index() -> ResponseReturnValue:
    """Show where the viewer gets mail; by POST, send a link to another address."""
    user = require_member(viewer())
    form = EmailForm()
    if form.validate_on_submit():
        require_recent_password(user)
        address = form.email.data or ""
        try:
            rate_limits.hit((EMAIL_BY_ADDRESS, address.lower()))
            store().mail.request(user, address, locale.current().code)
        except (OutboxFull, TooFast) as error:
            form.refuse(error, "email")
        else:
            flash(_("A mail with a link is on its way. Open the link to confirm your address."))
            return redirect("/account/mail", 303)
    account = store().read(store().mail.queue_account, user.name)
    return render_template("mail/account.html", form=form, mail=account), form.status


@blueprint.post("/account/mail/remove")
@login_required
def remove() -> ResponseReturnValue:
    """Forget the viewer's address, which a stolen session must not do: it recovers the account."""
    user = require_member(viewer())
    require_recent_password(user)
    store().mail.remove(user)
    flash(_("Your e-mail address has been removed."))
    return redirect("/account/mail", 303)


@blueprint.route("/account/mail/confirm/<token>", methods=["GET", "POST"])
@login_required
def confirm(token: str) -> ResponseReturnValue:
    """Ask whether the address of the link is right, since programs that read mail open links; by POST, confirm it."""
    user = require_member(viewer())
    pending = store().read(store().mail.queue_account, user.name).pending
    if pending is None or not _is_link_of(token, user, pending):
        raise LinkOutOfDate()
    if request.method == "GET":
        return render_template("mail/confirm.html", address=pending.address), _NO_STORE
    store().mail.confirm(user, pending)
    flash(_("Your e-mail address is confirmed."))
    return redirect("/account/mail", 303)


def _is_link_of(token: str, user: User, pending: PendingEmail) -> bool:
    expected = tokens.confirmation_token(user.name, pending)
    return now() < pending.until and compare_digest(token.encode(), expected.encode())


@blueprint.route("/recover/mail", methods=["GET", "POST"])
@csrf_handled_by_form
def recover() -> ResponseReturnValue:
    """Send a link for a new password to the address of a member; the answer is the same for every name.

    Whether there is such a member, and an address, is found out by the job that sends mails.
    """
    if viewer() is not None:
        return redirect("/account", 303)
    form = MailResetForm()
    if form.is_submitted():
        rate_limits.check_form(MAIL_RESET_BY_ADDRESS)
    if form.validate_on_submit():
        name = validation.normal_name(form.username.data or "")
        try:
            rate_limits.hit(*rate_limits.address_hits(MAIL_RESET_BY_ADDRESS), (MAIL_RESET_BY_NAME, name_key(name)))
        except TooFast as error:
            form.refuse(error)
        else:
            if validation.is_member_name(name):
                store().mail.queue_reset(name)
            return render_template("mail/requested.html")
    return render_template("mail/recover.html", form=form), form.status
