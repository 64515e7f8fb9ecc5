"""The viewer's own account: password, sessions, votes, data, and deleting it."""

import json

from flask import Blueprint, Response, flash, redirect, render_template
from flask.typing import ResponseReturnValue

from voteweb.core import passwords, permissions
from voteweb.core.errors import Invalid
from voteweb.core.models import User
from voteweb.web import data_export
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import end_session, login_required, require_member, start_session, viewer
from voteweb.web.context import settings, store
from voteweb.web.forms import DeleteAccountForm, PasswordForm
from voteweb.web.i18n.locale import gettext as _

blueprint = Blueprint("account", __name__)


@blueprint.route("/account", methods=["GET", "POST"])
@login_required
@csrf_handled_by_form
def index() -> ResponseReturnValue:
    """Show the account; by POST, change its password, which ends all other sessions."""
    user = require_member(viewer())
    form = PasswordForm()
    if form.validate_on_submit():
        if passwords.verify(user.password, form.old.data or ""):
            store().users.set_password(user.name, passwords.hash_password(form.new.data))
            start_session(store().users.get(user.name))
            flash(_("Your password has been changed. All other sessions have ended."))
            return redirect("/account", 303)
        form.refuse(Invalid(_("This is not your current password.")), "old")
    return _render(user, form, DeleteAccountForm(formdata=None))


def _render(user: User, form: PasswordForm, delete_form: DeleteAccountForm) -> ResponseReturnValue:
    votes = data_export.recent_votes(store(), settings(), user)
    page = render_template("account/index.html", form=form, delete_form=delete_form, votes=votes)
    return page, max(form.status, delete_form.status)


@blueprint.post("/account/logout-everywhere")
@login_required
def logout_everywhere() -> ResponseReturnValue:
    """End all sessions of the viewer, this one too."""
    store().users.end_sessions(require_member(viewer()).name)
    end_session()
    flash(_("You have been logged out everywhere."))
    return redirect("/login", 303)


@blueprint.get("/account/data")
@login_required
def data() -> ResponseReturnValue:
    """Return everything that the site stores about the viewer, as one JSON file."""
    user = require_member(viewer())
    exported = data_export.export_member(store(), settings(), user)
    headers = {"Content-Disposition": f'attachment; filename="voteweb-{user.name}.json"'}
    body = json.dumps(exported, ensure_ascii=False, indent=1)
    return Response(body, mimetype="application/json", headers=headers)


@blueprint.post("/account/delete")
@login_required
@csrf_handled_by_form
def delete() -> ResponseReturnValue:
    """Delete the account: end its sessions for good, then delete its articles or remove its name from them.

    The last admin must make somebody else an admin first.
    """
    user = require_member(viewer())
    form = DeleteAccountForm()
    if form.validate_on_submit():
        if not passwords.verify(user.password, form.password.data or ""):
            form.refuse(Invalid(_("This is not your password.")), "password")
        elif permissions.may_administer(user) and not store().users.has_admin(besides=user.name):
            form.refuse(
                Invalid(_("You are the last admin here. Make another member an admin first, on the member's page."))
            )
        else:
            store().account_deletion.start(user, delete_articles=form.articles.data == "delete")
            end_session()
            store().account_deletion.finish(user.name)
            flash(_("Your account has been deleted. Nobody can take its name."))
            return redirect("/", 303)
    return _render(user, PasswordForm(formdata=None), form)
