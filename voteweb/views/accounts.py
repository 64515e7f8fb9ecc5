"""Accounts: joining, logging in, logging out."""

from flask import Blueprint, current_app, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb import fields, gate, known, limits, passwords, rules
from voteweb.errors import Banned, Invalid, InviterGone, NameTaken, NoInvitation, TooFast
from voteweb.filters import now
from voteweb.forms import LoginForm, ResetForm, SignupForm
from voteweb.i18n import refusal
from voteweb.language import gettext as _
from voteweb.login import end_session, settings, start_session, store, viewer
from voteweb.models import Invitation, User
from voteweb.places import here
from voteweb.tokens import checks_own_token

blueprint = Blueprint("accounts", __name__)


@blueprint.route("/signup", methods=["GET", "POST"])
@checks_own_token
def signup() -> ResponseReturnValue:
    """Make an account and log it in; where the site asks for one, with an invitation."""
    if viewer() is not None:
        return redirect(_back(), 303)
    token = request.values.get("invite", "")
    invitation = store().joining.find(token) if token and settings().signup == "invite" else None
    inviter = store().users.find(invitation.by) if invitation else None
    invited = invitation is not None and rules.may_use(invitation, inviter, now())
    if not rules.may_join(settings(), invited=invited):
        why = refusal(NoInvitation() if inviter and rules.may_enter(inviter) else InviterGone()) if invitation else ""
        return render_template("accounts/closed.html", asked=bool(token), why=why), 403
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
            flash(_("Welcome, %(name)s. Your account is made, and you are logged in.", name=user.name))
            return redirect(_back(), 303)
    page = render_template("accounts/signup.html", form=form, next=_back(), invitation=invitation)
    return page, form.status


def _join(name: str, password: str, invitation: Invitation | None) -> User:
    """Return the new member *name*; a name that is taken is neither counted nor worth a hash."""
    found = store().users.find(name)
    if found:
        raise NameTaken(name=name)
    gate.charge(limits.SIGNUP, gate.address())
    hashed = passwords.hash_password(password)
    return store().users.make(name, hashed, invitation=invitation.token if invitation else None)


@blueprint.route("/login", methods=["GET", "POST"])
@checks_own_token
def login() -> ResponseReturnValue:
    """Log in; a wrong name and a wrong password look and cost the same."""
    if viewer() is not None:
        return redirect(_back(), 303)
    form = LoginForm()
    if form.validate_on_submit():
        try:
            user = _authenticate(form.username.data or "", form.password.data or "")
        except (Invalid, Banned, TooFast) as error:
            form.refuse(error)
        else:
            start_session(user)
            return redirect(_back(), 303)
    return render_template("accounts/login.html", form=form, next=_back()), form.status


@blueprint.route("/reset/<token>", methods=["GET", "POST"])
@checks_own_token
def reset(token: str) -> ResponseReturnValue:
    """Set a new password by the one-time link that the operator made; ends all sessions."""
    name = store().joining.reset_name(token)
    viewer()  # clears a session that was ended, before the form keeps its token in it
    form = ResetForm()
    if form.validate_on_submit():
        try:
            gate.charge(limits.RESET, gate.address())
            store().joining.use_reset(token, passwords.hash_password(form.new.data))
        except TooFast as error:
            form.refuse(error)
        else:
            end_session()
            known.remember(name)
            flash(_("The password is set. Please log in with it."))
            return redirect("/login", 303)
    return render_template("accounts/reset.html", form=form, name=name), form.status


@blueprint.post("/logout")
def logout() -> ResponseReturnValue:
    """Log out in this browser."""
    end_session()
    return redirect("/", 303)


def _authenticate(name: str, password: str) -> User:
    """Return the member with this name and this password; raise Invalid, Banned, TooFast.

    Each attempt is counted before the password is looked at, so that many at once are no way round the limit; one
    that succeeds is given back, and no other: an own account would else wipe out what was tried on others.
    """
    name = name.strip()
    charges = ((limits.LOGIN, gate.address()), (limits.GUESS, known.whose(name)))
    trip = store().trip()
    gate.ask(trip, *charges)
    asked = store().users.ask(trip, name) if fields.is_member_name(name) else None
    trip.go()
    refused = gate.excess()
    if refused is not None:
        raise refused
    user = asked.value if asked else None
    if not passwords.verify(user.password if user else "", password) or user is None or user.left:
        raise Invalid(_("No member has this name and this password."))
    store().limits.give_back(charges)
    if user.banned:
        raise Banned(reason=user.ban_reason)
    if passwords.needs_rehash(user.password):
        store().users.refresh_hash(user.name, passwords.hash_password(password))
        current_app.logger.info("the password of %s has a new hash", user.name)
    return user


def _back() -> str:
    return here(request.form.get("next") or request.args.get("next") or "/")
