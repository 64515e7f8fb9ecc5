"""The pages of admins about the site: health, switches, settings, log-ins and invitations."""

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config
from voteweb.core.config import env_name
from voteweb.core.settings_in_force import STORED, settings_in_force
from voteweb.core.validation import is_member_name
from voteweb.web.auth.login import login_required, queue_viewer, require_admin, viewer
from voteweb.web.context import settings, store
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.site_switches import start_settings
from voteweb.web.views.admin_switches import render_index

blueprint = Blueprint("admin", __name__)


@blueprint.get("/admin")
@login_required
def index() -> ResponseReturnValue:
    """Show the health of the site with its reasons, the announcement and the switches."""
    return render_index()


@blueprint.get("/admin/settings")
@login_required
def show_settings() -> str:
    """Show every setting, its value without secrets and where it is from; a switch goes before a setting."""
    require_admin(viewer())
    switched = {
        env_name(name): str(getattr(settings(), name))
        for name in ("signup", "hold_posts")
        if getattr(settings(), name) != getattr(start_settings(), name)
    }
    rows = list(settings_in_force(start_settings(), in_data=STORED))
    return render_template("admin/settings.html", rows=rows, switched=switched)


@blueprint.get("/admin/log-ins")
@login_required
def log_ins() -> str:
    """Show who logged in, or tried to, in the last days; the query can name one member."""
    number, pipeline = page_number(), store().pipeline()
    typed = request.args.get("name", "")[: config.MAX_USER_NAME_LENGTH + 1]
    name = typed if is_member_name(typed) else ""
    user = queue_viewer(pipeline)
    page = store().sessions.queue_log_ins(pipeline, number, name)
    pipeline.execute()
    require_admin(user.result)
    return render_template("admin/log_ins.html", page=check_page_exists(page.result), name=name)


@blueprint.get("/admin/invitations")
@login_required
def invitations() -> str:
    """Show who invited whom among the members who joined last."""
    require_admin(viewer())
    return render_template("admin/invitations.html", rows=store().invitations.tree())
