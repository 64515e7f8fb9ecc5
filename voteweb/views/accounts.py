"""Accounts: joining, logging in, logging out."""

from flask import Blueprint, current_app, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb import fields, passwords, rules
from voteweb.errors import Banned, Invalid, NameTaken, NoInvitation
from voteweb.filters import now
from voteweb.forms import LoginForm, ResetForm, SignupForm
from voteweb.language import gettext as _
from voteweb.login import checks_own_token, end_session, here, settings, start_session, store, viewer
from voteweb.models import User

blueprint = Blueprint("accounts", __name__)


@blueprint.route("/signup", methods=["GET", "POST"])
@checks_own_token
def signup() -> ResponseReturnValue:
    """Make an account and log it in; where the site asks for one, with an invitation."""
    if viewer() is not None:
        return redirect(_back(), 303)
    token = request.values.get("invite", "")
    invitation = store().joining.find(token) if token and settings().signup == "invite" else None
    invited = invitation is not None and rules.may_use(invitation, now())
    if not rules.may_join(settings(), invited=invited):
        return render_template("accounts/closed.html", asked=bool(token), invitation=invitation), 403
    form = SignupForm()
    if form.validate_on_submit():
        password = passwords.hash_password(form.password.data)
        try:
            user = store().users.make(form.username.data, password, invitation=invitation.token if invitation else None)
        except NameTaken as error:
            form.refuse(error, "username")
        except NoInvitation as error:
            form.refuse(error)
        else:
            start_session(user)
            flash(_("Welcome, %(name)s. Your account is made, and you are logged in.", name=user.name))
            return redirect(_back(), 303)
    page = render_template("accounts/signup.html", form=form, next=_back(), invitation=invitation)
    return page, 422 if form.errors else 200


@blueprint.route("/login", methods=["GET", "POST"])
@checks_own_token
def login() -> ResponseReturnValue:
    """Log in; a wrong name and a wrong password look and cost the same."""
    if viewer() is not None:
        return redirect(_back(), 303)
    form = LoginForm()
    if form.validate_on_submit():
        user = _authenticate(form.username.data or "", form.password.data or "")
        if user is None:
            form.refuse(Invalid(_("No member has this name and this password.")))
        elif user.banned:
            form.refuse(Banned(reason=user.ban_reason))
        else:
            start_session(user)
            return redirect(_back(), 303)
    return render_template("accounts/login.html", form=form, next=_back()), 422 if form.errors else 200


@blueprint.route("/reset/<token>", methods=["GET", "POST"])
@checks_own_token
def reset(token: str) -> ResponseReturnValue:
    """Set a new password by the one-time link that the operator made; ends all sessions."""
    name = store().joining.reset_name(token)
    viewer()  # clears a session that was ended, before the form keeps its token in it
    form = ResetForm()
    if form.validate_on_submit():
        store().joining.use_reset(token, passwords.hash_password(form.new.data))
        end_session()
        flash(_("The password is set. Please log in with it."))
        return redirect("/login", 303)
    return render_template("accounts/reset.html", form=form, name=name), 422 if form.errors else 200


@blueprint.post("/logout")
def logout() -> ResponseReturnValue:
    """Log out in this browser."""
    end_session()
    return redirect("/", 303)


def _authenticate(name: str, password: str) -> User | None:
    name = name.strip()
    user = store().users.find(name) if fields.is_member_name(name) else None
    if not passwords.verify(user.password if user else "", password) or user is None or user.left:
        return None
    if passwords.needs_rehash(user.password):
        store().users.refresh_hash(user.name, passwords.hash_password(password))
        current_app.logger.info("the password of %s has a new hash", user.name)
    return user


def _back() -> str:
    return here(request.form.get("next") or request.args.get("next") or "/")
