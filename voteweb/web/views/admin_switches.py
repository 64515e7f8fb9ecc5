"""Switches: what admins set while the site runs, such as read-only mode; they stand on the first page of admins."""

from typing import NamedTuple

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, site_switches
from voteweb.core.errors import Invalid
from voteweb.core.models import LogAction
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.login import login_required, queue_viewer, require_admin, viewer
from voteweb.web.context import store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.site_switches import read_again, start_settings
from voteweb.web.views.status import site_health

blueprint = Blueprint("admin_switches", __name__)


class _Typed(NamedTuple):
    """A form of a switch as it was typed, and why it was refused."""

    name: SwitchName
    value: str
    words: str
    refused: str


@blueprint.post("/admin/<any('announcement', 'read-only', 'signup', 'hold-posts'):switch>")
@login_required
def set_switch(switch: str) -> ResponseReturnValue:
    """Set or clear a switch; without words there is no announcement, without a value the settings hold."""
    user, name = require_admin(viewer()), SwitchName(switch)
    value, words = request.form.get("value", ""), request.form.get("words", "")
    try:
        entry_words = site_switches.checked_words(name, words)
        checked = site_switches.checked_value(name, value)
    except Invalid as error:
        most = config.MAX_LINK_LENGTH
        return render_index(_Typed(name, value[:most], words[:most], error_message(error))), 422
    if name is SwitchName.ANNOUNCEMENT and not entry_words:
        checked = ""
    entry = NewLogEntry(LogAction.SWITCH, user.name, title=name.value, why=entry_words if checked else "")
    store().site.set_switch(name, checked, entry, actor=user)
    read_again()
    flash(
        _("Saved. It holds everywhere within a second; pages that are kept for readers follow when they are renewed.")
    )
    return redirect("/admin", 303)


def render_index(typed: _Typed | None = None) -> str:
    """Return the first page of admins; *typed* is a form that was refused."""
    pipeline = store().pipeline()
    user = queue_viewer(pipeline)
    switches = store().site.queue_switches(pipeline)
    pipeline.execute()
    require_admin(user.result)
    status, reasons = site_health()
    return render_template(
        "admin/index.html",
        status=status,
        reasons=reasons,
        switches=switches.result,
        typed=typed,
        start=start_settings(),
        signup_modes=config.SIGNUP_MODES,
        ON=ON,
    )
