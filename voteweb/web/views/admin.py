"""The pages of admins about the site: its health, and what they can switch while it runs."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from voteweb.web.auth.login import login_required
from voteweb.web.views.admin_switches import render_index

blueprint = Blueprint("admin", __name__)


@blueprint.get("/admin")
@login_required
def index() -> ResponseReturnValue:
    """Show the health of the site with its reasons, the announcement and the switches."""
    return render_index()
