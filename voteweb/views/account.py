"""The own account: password, sessions, votes, data, and the end of it."""

import json

from flask import Blueprint, Response, flash, redirect, render_template
from flask.typing import ResponseReturnValue

from voteweb import archive, passwords, rules
from voteweb.errors import Invalid
from voteweb.forms import LeaveForm, PasswordForm
from voteweb.language import gettext as _
from voteweb.login import end_session, member, members_only, settings, start_session, store, viewer
from voteweb.models import User
from voteweb.tokens import checks_own_token

blueprint = Blueprint("account", __name__)


@blueprint.route("/account", methods=["GET", "POST"])
@members_only
@checks_own_token
def index() -> ResponseReturnValue:
    """Show the account; by POST, change its password, which ends all other sessions."""
    user = member(viewer())
    form = PasswordForm()
    if form.validate_on_submit():
        if passwords.verify(user.password, form.old.data or ""):
            store().users.set_password(user.name, passwords.hash_password(form.new.data))
            start_session(store().users.get(user.name))
            flash(_("Your password is changed. Every other session has ended."))
            return redirect("/account", 303)
        form.refuse(Invalid(_("This is not your present password.")), "old")
    return _page(user, form, LeaveForm(formdata=None))


def _page(user: User, form: PasswordForm, leave: LeaveForm) -> ResponseReturnValue:
    votes = archive.recent_votes(store(), settings(), user)
    page = render_template("account/index.html", form=form, leave=leave, votes=votes)
    return page, max(form.status, leave.status)


@blueprint.post("/account/logout-everywhere")
@members_only
def logout_everywhere() -> ResponseReturnValue:
    """End all sessions of the viewer, this one too."""
    store().users.end_sessions(member(viewer()).name)
    end_session()
    flash(_("You are logged out everywhere."))
    return redirect("/login", 303)


@blueprint.get("/account/data")
@members_only
def data() -> ResponseReturnValue:
    """Return everything the site holds of the viewer, as one JSON file."""
    user = member(viewer())
    text = json.dumps(archive.everything(store(), settings(), user), ensure_ascii=False, indent=1)
    headers = {"Content-Disposition": f'attachment; filename="voteweb-{user.name}.json"'}
    return Response(text, mimetype="application/json", headers=headers)


@blueprint.post("/account/delete")
@members_only
@checks_own_token
def delete() -> ResponseReturnValue:
    """End the account: log out for ever first, then see to the articles. The last admin must name another first."""
    user = member(viewer())
    form = LeaveForm()
    if form.validate_on_submit():
        if not passwords.verify(user.password, form.password.data or ""):
            form.refuse(Invalid(_("This is not your password.")), "password")
        elif rules.may_administer(user) and not store().server.has_admin(besides=user.name):
            form.refuse(
                Invalid(_("You are the last admin here. Make another member an admin first, on the member's page."))
            )
        else:
            store().leaving.start(user, delete_articles=form.articles.data == "delete")
            end_session()
            store().leaving.finish(user.name)
            flash(_("Your account is deleted. Nobody can take its name."))
            return redirect("/", 303)
    return _page(user, PasswordForm(formdata=None), form)
