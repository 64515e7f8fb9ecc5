"""The viewer's own account: password, sessions, votes, data, and deleting it."""

import json
from dataclasses import replace
from urllib.parse import quote

from flask import Blueprint, Response, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import passwords
from voteweb.core.errors import Invalid, LastAdmin, PasswordChanged
from voteweb.core.models import User
from voteweb.web import data_export
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.auth.login import (
    end_other_sessions,
    end_session,
    log_out,
    login_required,
    own_session,
    require_member,
    start_session,
    viewer,
)
from voteweb.web.context import store
from voteweb.web.forms import DeleteAccountForm, PasswordForm
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import check_page_exists, page_number

blueprint = Blueprint("account", __name__)


@blueprint.route("/account", methods=["GET", "POST"])
@login_required
@csrf_handled_by_form
def index() -> ResponseReturnValue:
    """Show the account; by POST, change its password, which ends all other sessions."""
    user = require_member(viewer())
    form = PasswordForm(user.name)
    if form.validate_on_submit():
        try:
            session_id = _change_password(user, form.old.data or "", form.new.data)
        except (Invalid, PasswordChanged) as error:
            form.refuse(error, "old")
        else:
            start_session(replace(user, session=session_id))
            flash(_("Your password has been changed. All other sessions have ended."))
            return redirect("/account", 303)
    return _render(user, form, DeleteAccountForm(formdata=None))


def _change_password(user: User, old: str, new: str) -> str:
    """Change the password of *user* from *old* and return their new session id; raise Invalid, PasswordChanged."""
    if not passwords.verify(user.password, old):
        raise Invalid(_("This is not your current password."))
    return store().users.set_password(user.name, passwords.hash_password(new), verified=user.password)


def _render(user: User, form: PasswordForm, delete_form: DeleteAccountForm) -> ResponseReturnValue:
    pipeline = store().pipeline()
    votes = store().votes.queue_open(pipeline, user.id, page_number())
    codes = store().passwords.queue_codes_left(pipeline, user.name)
    pipeline.execute()
    page = render_template(
        "account/index.html",
        form=form,
        delete_form=delete_form,
        votes=check_page_exists(votes.result),
        sessions=store().read(store().sessions.queue_all, user),
        own_session=own_session(),
        codes=codes.result,
    )
    return page, max(form.status, delete_form.status)


@blueprint.post("/account/logout-everywhere")
@login_required
def logout_everywhere() -> ResponseReturnValue:
    """End all sessions of the viewer, this one too."""
    store().users.end_sessions(require_member(viewer()).name)
    end_session()
    flash(_("You have been logged out everywhere."))
    return redirect("/login", 303)


@blueprint.post("/account/sessions")
@login_required
def end_sessions() -> ResponseReturnValue:
    """End one session of the viewer, or all others."""
    user = require_member(viewer())
    ended, current = request.form.get("end", ""), own_session()
    if ended == "others":
        end_other_sessions(user)
        flash(_("All other sessions have ended."))
    elif current and ended == current.digest:
        log_out()
        flash(_("You have been logged out."))
        return redirect("/login", 303)
    elif store().sessions.end(user.name, ended):
        flash(_("The session has ended."))
    else:
        flash(_("This session had already ended."), "error")
    return redirect("/account#sessions", 303)


@blueprint.get("/account/data")
@login_required
def data() -> ResponseReturnValue:
    """Return everything that the site stores about the viewer, as one JSON file."""
    user = require_member(viewer())
    exported = data_export.export_member(store(), user)
    name = f"voteweb-{user.name}.json"
    spelled = f'filename="{name}"' if name.isascii() else f"filename*=UTF-8''{quote(name)}"
    headers = {"Content-Disposition": f"attachment; {spelled}"}
    body = json.dumps(exported, ensure_ascii=False, indent=1)
    return Response(body, mimetype="application/json", headers=headers)


@blueprint.post("/account/delete")
@login_required
@csrf_handled_by_form
def delete() -> ResponseReturnValue:
    """Delete the account: end its sessions for good, then delete what it wrote or remove its name from it.

    The last admin must make somebody else an admin first.
    """
    user = require_member(viewer())
    form = DeleteAccountForm()
    if form.validate_on_submit():
        try:
            _delete_account(user, form.password.data or "", delete_articles=form.articles.data == "delete")
        except LastAdmin:
            message = _("You are the last admin here. Make another member an admin first, on the member's page.")
            form.refuse(Invalid(message))
        except (Invalid, PasswordChanged) as error:
            form.refuse(error, "password")
        else:
            flash(_("Your account has been deleted. Nobody can take its name."))
            return redirect("/", 303)
    return _render(user, PasswordForm(user.name, formdata=None), form)


def _delete_account(user: User, password: str, *, delete_articles: bool) -> None:
    """End the sessions of *user* for good and take up the articles; raise Invalid, PasswordChanged, LastAdmin."""
    if not passwords.verify(user.password, password):
        raise Invalid(_("This is not your password."))
    store().account_deletion.start(user, delete_articles=delete_articles)
    end_session()
    store().account_deletion.finish(user.name)
