"""Sign-up, log-in, log-out, and new passwords by one-time link."""

from flask import Blueprint, current_app, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import passwords, permissions, validation
from voteweb.core.errors import Banned, Invalid, InviterGone, NameTaken, NoInvitation, TooFast
from voteweb.core.models import Invitation, User
from voteweb.core.rate_limits import LOGIN_BY_ADDRESS, LOGIN_BY_NAME, PASSWORD_RESET, SIGNUP
from voteweb.web import rate_limits
from voteweb.web.auth import device_cookie
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import end_session, start_session, viewer
from voteweb.web.context import now, settings, store
from voteweb.web.forms import LoginForm, ResetForm, SignupForm
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.urls import safe_path

blueprint = Blueprint("auth", __name__)


@blueprint.route("/signup", methods=["GET", "POST"])
@csrf_handled_by_form
def signup() -> ResponseReturnValue:
    """Create an account and log it in; if the site requires one, with an invitation."""
    if viewer() is not None:
        return redirect(_next_path(), 303)
    token = request.values.get("invite", "")
    invitation = store().invitations.find(token) if token and settings().signup == "invite" else None
    inviter = store().users.find(invitation.by) if invitation else None
    is_invited = invitation is not None and permissions.may_use_invitation(invitation, inviter, now())
    if not permissions.may_join(settings(), invited=is_invited):
        why = _invitation_refusal(inviter) if invitation else ""
        return render_template("auth/closed.html", has_token=bool(token), why=why), 403
    form = SignupForm()
    if form.validate_on_submit():
        try:
            user = _join(form.username.data, form.password.data, invitation)
        except NameTaken as error:
            form.refuse(error, "username")
        except (NoInvitation, TooFast) as error:
            form.refuse(error)
        else:
            start_session(user)
            flash(_("Welcome, %(name)s. Your account has been created, and you are logged in.", name=user.name))
            return redirect(_next_path(), 303)
    page = render_template("auth/signup.html", form=form, next=_next_path(), invitation=invitation)
    return page, form.status


def _invitation_refusal(inviter: User | None) -> str:
    return error_message(NoInvitation() if inviter and permissions.may_log_in(inviter) else InviterGone())


def _join(name: str, password: str, invitation: Invitation | None) -> User:
    """Create the member *name*; a taken name is refused before the limit counts it and the password is hashed."""
    if store().users.find(name):
        raise NameTaken(name=name)
    rate_limits.hit(SIGNUP, rate_limits.client_network())
    password_hash = passwords.hash_password(password)
    return store().users.make(name, password_hash, invitation=invitation.token if invitation else None)


@blueprint.route("/login", methods=["GET", "POST"])
@csrf_handled_by_form
def login() -> ResponseReturnValue:
    """Log in; a wrong name and a wrong password look and cost the same."""
    if viewer() is not None:
        return redirect(_next_path(), 303)
    form = LoginForm()
    if form.validate_on_submit():
        try:
            user = _authenticate(form.username.data or "", form.password.data or "")
        except (Invalid, Banned, TooFast) as error:
            form.refuse(error)
        else:
            start_session(user)
            return redirect(_next_path(), 303)
    return render_template("auth/login.html", form=form, next=_next_path()), form.status


@blueprint.route("/reset/<token>", methods=["GET", "POST"])
@csrf_handled_by_form
def reset(token: str) -> ResponseReturnValue:
    """Set a new password by the one-time link that the operator made; ends all sessions."""
    name = store().password_resets.member_name(token)
    viewer()  # clears a session that has ended, before the form stores its token in it
    form = ResetForm()
    if form.validate_on_submit():
        try:
            rate_limits.hit(PASSWORD_RESET, rate_limits.client_network())
            store().password_resets.use(token, passwords.hash_password(form.new.data))
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
    end_session()
    return redirect("/", 303)


def _authenticate(name: str, password: str) -> User:
    """Return the member with this name and this password; raise Invalid, Banned, TooFast.

    Each attempt is counted before the password is checked, so that many at once do not get around the limit. A
    successful one is refunded, and no other: else logging in to one's own account would erase attempts on others.
    """
    name = name.strip()
    hits = ((LOGIN_BY_ADDRESS, rate_limits.client_network()), (LOGIN_BY_NAME, device_cookie.rate_limit_key(name)))
    pipeline = store().pipeline()
    rate_limits.queue_hits(pipeline, *hits)
    stored = store().users.queue_get(pipeline, name) if validation.is_member_name(name) else None
    pipeline.execute()
    refusal = rate_limits.exceeded()
    if refusal is not None:
        raise refusal
    user = stored.result if stored else None
    if not passwords.verify(user.password if user else "", password) or user is None or user.left:
        raise Invalid(_("No member has this name and this password."))
    store().rate_limits.refund(hits)
    if user.banned:
        raise Banned(reason=user.ban_reason)
    if passwords.needs_rehash(user.password):
        store().users.refresh_hash(user.name, passwords.hash_password(password))
        current_app.logger.info("rehashed the password of %s", user.name)
    return user


def _next_path() -> str:
    return safe_path(request.form.get("next") or request.args.get("next") or "/")
