"""Programs that act for members over the API: the list of a member's own, a new token for one, and its end."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from voteweb.core.errors import TooManyPrograms
from voteweb.core.models import LogAction, LogEntry, Program, User
from voteweb.core.site_switches import SwitchName
from voteweb.store.accounts import sessions
from voteweb.store.accounts.programs import new_token, split_token
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.login import require_admin, require_member, session_member_name
from voteweb.web.base.context import store
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import LOST_RIGHTS, Message, act, form_page, reads, refusals
from voteweb.web.pages.forms import ProgramForm
from voteweb.web.requests import site_switches
from voteweb.web.views.members import queue_member

blueprint = Blueprint("programs", __name__)


@form_page(blueprint, "/account/programs")
@reads(require_member, programs=lambda pipeline: store().programs.queue_all(pipeline, session_member_name()))
def index(user: User, programs: list[Program]) -> ResponseReturnValue:
    """List the programs of the viewer; by POST, give one a token, which is shown once."""
    form = ProgramForm(user.role)
    if form.validate_on_submit():
        require_recent_password(user)
        with refusals(form, {TooManyPrograms: "", **LOST_RIGHTS}):
            token = new_token(user.name)
            store().programs.add(user, token, form.name.data or "", form.rights.data, form.days.data)
            program = sessions.digest(split_token(token)[1])
            return render_template("programs/token.html", form=form, token=token, program=program)
    are_off = SwitchName.PROGRAMS in site_switches.current()
    return render_template("programs/index.html", form=form, programs=programs, are_off=are_off), form.status


@act(blueprint, "/account/programs/<digest>/withdraw", require_member, back="/account/programs")
def withdraw(digest: str, user: User) -> Message:
    """End the token of a program of the viewer."""
    if store().programs.withdraw(digest, actor=user):
        return _("The token has been withdrawn: the program can do nothing here any more.")
    return _("This token had already ended."), "error"


@act(blueprint, "/u/<name>/programs/<digest>/end", require_admin, leads_to="/u/{member.name}", member=queue_member)
def end(digest: str, user: User, member: User) -> Message:
    """End the token of a program of a member, who is told."""
    require_recent_password(user)
    entry = LogEntry(LogAction.PROGRAM, user.name, about=member.name)
    if store().programs.end_of_other(member.name, digest, entry, actor=user):
        return _("The token has ended, and the member is told.")
    return _("This token had already ended."), "error"
