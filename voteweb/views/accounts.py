"""Accounts: joining, logging in, logging out."""

from flask import Blueprint, current_app, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from voteweb import fields, passwords, rules
from voteweb.errors import Invalid, NameTaken
from voteweb.forms import LoginForm, SignupForm
from voteweb.login import checks_own_token, end_session, here, settings, start_session, store, viewer
from voteweb.models import User

blueprint = Blueprint("accounts", __name__)


@blueprint.route("/signup", methods=["GET", "POST"])
@checks_own_token
def signup() -> ResponseReturnValue:
    """Make an account and log it in."""
    if viewer() is not None:
        return redirect(_back(), 303)
    if not rules.may_join(settings()):
        return render_template("accounts/closed.html"), 403
    form = SignupForm()
    if form.validate_on_submit():
        try:
            user = store().users.make(form.username.data, passwords.hash_password(form.password.data))
        except NameTaken as error:
            form.refuse(error, "username")
        else:
            start_session(user)
            flash(_("Welcome, %(name)s. Your account is made, and you are logged in.", name=user.name))
            return redirect(_back(), 303)
    return render_template("accounts/signup.html", form=form, next=_back()), 422 if form.errors else 200


@blueprint.route("/login", methods=["GET", "POST"])
@checks_own_token
def login() -> ResponseReturnValue:
    """Log in; a wrong name and a wrong password look and cost the same."""
    if viewer() is not None:
        return redirect(_back(), 303)
    form = LoginForm()
    if form.validate_on_submit():
        user = _authenticate(form.username.data or "", form.password.data or "")
        if user is not None:
            start_session(user)
            return redirect(_back(), 303)
        form.refuse(Invalid(_("No member has this name and this password.")))
    return render_template("accounts/login.html", form=form, next=_back()), 422 if form.errors else 200


@blueprint.post("/logout")
def logout() -> ResponseReturnValue:
    """Log out in this browser."""
    end_session()
    return redirect("/", 303)


def _authenticate(name: str, password: str) -> User | None:
    name = name.strip()
    user = store().users.find(name) if fields.is_member_name(name) else None
    if not passwords.verify(user.password if user else "", password) or user is None:
        return None
    if passwords.needs_rehash(user.password):
        store().users.refresh_hash(user.name, passwords.hash_password(password))
        current_app.logger.info("the password of %s has a new hash", user.name)
    return user


def _back() -> str:
    return here(request.form.get("next") or request.args.get("next") or "/")
