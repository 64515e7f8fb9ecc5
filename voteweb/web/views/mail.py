"""Mail: the address of the viewer, what they want to get there, and the links in mails. Only on a site with mail."""

from hmac import compare_digest

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import validation
from voteweb.core.errors import TooFast
from voteweb.core.mail import MailAccount, MailChoice, PendingEmail, StopKind
from voteweb.core.mail_errors import LinkOutOfDate, OutboxFull
from voteweb.core.models import User
from voteweb.core.names import name_key
from voteweb.core.permissions import may_moderate
from voteweb.core.rate_limits import EMAIL_BY_ADDRESS, MAIL_RESET_BY_ADDRESS, MAIL_RESET_BY_NAME
from voteweb.web import rate_limits
from voteweb.web.auth.confirmation import require_recent_password
from voteweb.web.auth.csrf import csrf_handled_by_form, signed_by_link
from voteweb.web.auth.login import login_required, require_member, viewer
from voteweb.web.context import now, settings, store
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
    """Show where the viewer gets mail, and which; by POST, send a link to another address."""
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
    account = store().mail.account(user.name)
    return render_template("mail/account.html", form=form, mail=account, labels=_labels(user)), form.status


def _labels(user: User) -> list[tuple[MailChoice, str]]:
    """Return the mails that *user* can choose."""
    labels = []
    if settings().comments:
        labels.append((MailChoice.REPLIES, _("Answers, comments on your articles, and mentions")))
    if may_moderate(user):
        labels.append((MailChoice.REPORTS, _("Open reports")))
    return [*labels, (MailChoice.WEEKLY, _("Every week, the best articles"))]


@blueprint.post("/account/mail/choices")
@login_required
def choose() -> ResponseReturnValue:
    """Store which mails the viewer wants."""
    user = require_member(viewer())
    offered = {choice for choice, _label in _labels(user)}
    choices = frozenset(choice for choice in offered if choice in request.form.getlist("choice"))
    store().mail.choose(user, choices, locale.current().code)
    flash(_("Your choice has been saved."))
    return redirect("/account/mail", 303)


@blueprint.post("/account/mail/remove")
@login_required
def remove() -> ResponseReturnValue:
    """Forget the viewer's address, which a stolen session must not do: it recovers the account."""
    user = require_member(viewer())
    require_recent_password(user)
    for address in _addresses(store().mail.account(user.name)):
        store().mail.stop(user.name, address, StopKind.ALL, actor=user)
    flash(_("Your e-mail address has been removed."))
    return redirect("/account/mail", 303)


@blueprint.route("/account/mail/confirm/<token>", methods=["GET", "POST"])
@login_required
def confirm(token: str) -> ResponseReturnValue:
    """Ask whether the address of the link is right, since programs that read mail open links; by POST, confirm it."""
    user = require_member(viewer())
    pending = store().mail.account(user.name).pending
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


@blueprint.route("/mail/stop/<token>", methods=["GET", "POST"])
@signed_by_link
def stop(token: str) -> ResponseReturnValue:
    """Ask whether to stop the mails of the link; by POST, which mail programs send themselves (RFC 8058), stop them.

    A link of an address that is not the member's any more is answered in the same way: no mail goes there.
    """
    read = tokens.read_stop_token(token)
    if read is None:
        raise LinkOutOfDate(template=_("This link is not complete. Please copy all of it from the mail."))
    name, kind, digest = read
    if request.method == "GET":
        return render_template("mail/stop.html", kind=kind, is_done=False), _NO_STORE
    for address in _addresses(store().mail.account(name)):
        if tokens.is_address_of(digest, address):
            store().mail.stop(name, address, kind)
    return render_template("mail/stop.html", kind=kind, is_done=True), _NO_STORE


def _addresses(account: MailAccount) -> set[str]:
    """Return the addresses that the site knows of a member, confirmed or not."""
    return {account.email, account.pending.address if account.pending else ""} - {""}
