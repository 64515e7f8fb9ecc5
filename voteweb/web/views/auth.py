"""Sign-up, log-in, log-out, and new passwords by one-time link."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from voteweb.core import passwords, permissions, validation
from voteweb.core.errors import (
    Banned,
    Busy,
    Invalid,
    InviterGone,
    NameTaken,
    NoInvitation,
    TooFast,
)
from voteweb.core.look_alikes import look_alike
from voteweb.core.models import User
from voteweb.core.rate_limits import (
    PASSWORD_RESET,
    SIGNUP,
    SIGNUP_BY_NETWORK,
    SIGNUP_BY_WIDE_NETWORK,
)
from voteweb.web import rate_limits
from voteweb.web.auth import device_cookie
from voteweb.web.auth.authentication import authenticate
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import end_session, log_out, viewer
from voteweb.web.context import now, settings, store
from voteweb.web.forms import LoginForm, ResetForm, SignupForm
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.monitoring import metrics
from voteweb.web.views.login_pages import log_in, next_path, render_login_page

blueprint = Blueprint("auth", __name__)
SIGNUP_LIMITS = (SIGNUP, SIGNUP_BY_NETWORK, SIGNUP_BY_WIDE_NETWORK)


@blueprint.route("/signup", methods=["GET", "POST"])
@csrf_handled_by_form
def signup() -> ResponseReturnValue:
    """Create an account and log it in; if the site requires one, with an invitation."""
    if viewer() is not None:
        return redirect(next_path(), 303)
    token = request.values.get("invite", "")
    invitation = store().invitations.find(token) if token and settings().signup == "invite" else None
    inviter = store().users.find(invitation.by) if invitation else None
    is_invited = invitation is not None and permissions.may_use_invitation(invitation, inviter, now())
    if not permissions.may_join(settings(), invited=is_invited):
        why = _invitation_refusal(inviter) if invitation else ""
        return render_login_page("auth/closed.html", has_token=bool(token), why=why)
    form = SignupForm()
    if settings().signup != "approve":
        del form.request
    if form.is_submitted():
        rate_limits.check_form(*SIGNUP_LIMITS)
    if form.validate_on_submit():
        try:
            user = _join(form, token if invitation else None)
        except (NameTaken, Invalid) as error:
            form.refuse(error, "username")
        except (NoInvitation, TooFast) as error:
            form.refuse(error)
        else:
            log_in(user, _("Welcome, %(name)s. Your account has been created, and you are logged in.", name=user.name))
            return redirect(url_for("recovery.codes", next=next_path()), 303)
    return render_login_page("auth/signup.html", form, invitation=invitation, invitation_token=token)


def _invitation_refusal(inviter: User | None) -> str:
    return error_message(NoInvitation() if inviter and permissions.may_log_in(inviter) else InviterGone())


def _join(form: SignupForm, invitation: str | None) -> User:
    """Create the member of *form*; a taken name is refused before the limit counts it and the password is hashed.

    *invitation* is the token of one, if the site requires that.
    """
    name = form.username.data
    if store().users.find(name):
        raise NameTaken(name=name)
    _check_look_alike(name)
    hits = rate_limits.address_hits(*SIGNUP_LIMITS)
    rate_limits.hit(*hits)
    try:
        password_hash = passwords.hash_password(form.password.data)
    except Busy:
        store().limits.refund(hits)
        raise
    user = store().users.make(
        name,
        password_hash,
        invitation=invitation,
        network=rate_limits.sign_up_network(),
        request=form.request.data if form.request else "",
    )
    metrics.count_signup()
    return user


def _check_look_alike(name: str) -> None:
    """Raise Invalid for a *name* that looks like that of a moderator or admin, as the log of given roles has them."""
    for other in store().log.names_with_roles():
        if look_alike(name, other):
            user = store().users.find(other)
            if user and permissions.may_moderate(user):
                raise Invalid(validation.LOOK_ALIKE, name=name)


@blueprint.route("/login", methods=["GET", "POST"])
@csrf_handled_by_form
def login() -> ResponseReturnValue:
    """Log in; a wrong name and a wrong password look and cost the same."""
    if viewer() is not None:
        return redirect(next_path(), 303)
    form = LoginForm()
    if form.validate_on_submit():
        try:
            user = authenticate(form.username.data or "", form.password.data or "")
        except (Invalid, Banned, TooFast) as error:
            form.refuse(error)
        else:
            log_in(user)
            return redirect(next_path(), 303)
    return render_login_page("auth/login.html", form)


@blueprint.route("/reset/<token>", methods=["GET", "POST"])
@csrf_handled_by_form
def reset(token: str) -> ResponseReturnValue:
    """Set a new password by the one-time link that the operator made; ends all sessions."""
    name = store().passwords.linked_member(token)
    viewer()  # clears a session that has ended, before the form stores its token in it
    form = ResetForm(name)
    if form.is_submitted():
        rate_limits.check_form(PASSWORD_RESET)
    if form.validate_on_submit():
        try:
            rate_limits.hit(*rate_limits.address_hits(PASSWORD_RESET))
            store().passwords.use_link(token, passwords.hash_password(form.new.data))
        except TooFast as error:
            form.refuse(error)
        else:
            end_session()
            device_cookie.remember(name)
            flash(_("The password has been set. Please log in with it."))
            return redirect("/login", 303)
    return render_template("auth/reset.html", form=form, name=name), form.status


@blueprint.post("/logout")
def logout() -> ResponseReturnValue:
    """Log out in this browser."""
    log_out()
    return redirect("/", 303)
