"""The groups that the viewer follows: their articles in one list, which may be the viewer's front page."""

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core.errors import TooMuchFollowed
from voteweb.core.models import Order
from voteweb.core.my_site import MY_GROUPS
from voteweb.web import my_groups
from voteweb.web.auth.login import login_required, require_member, viewer
from voteweb.web.context import store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.urls import return_url, safe_path
from voteweb.web.views.groups import parse_name

blueprint = Blueprint("my_groups", __name__)


@blueprint.get("/my")
@login_required
def by_score() -> str:
    """Show the articles of the groups that the viewer follows, by score."""
    return my_groups.render(Order.SCORE)


@blueprint.get("/my/new")
@login_required
def by_time() -> str:
    """Show the articles of the groups that the viewer follows, by time."""
    return my_groups.render(Order.TIME)


@blueprint.post("/my/front")
@login_required
def choose_front() -> ResponseReturnValue:
    """Choose whether the front page shows all articles or the groups that the viewer follows."""
    member = require_member(viewer())
    front = MY_GROUPS if request.form.get("front") == MY_GROUPS else ""
    store().users.choose_front(member, front)
    if front:
        flash(_("The front page now shows the groups that you follow."))
    else:
        flash(_("The front page now shows all articles."))
    return redirect(safe_path(request.form.get("next", ""), "/my"), 303)


@blueprint.post("/g/<name>/follow")
@login_required
def follow(name: str) -> ResponseReturnValue:
    """Follow a group."""
    try:
        store().my_sites.follow(parse_name(name), require_member(viewer()))
    except TooMuchFollowed as error:
        flash(error_message(error), "error")
    else:
        flash(_("You follow this group now: its articles are in your groups."), "followed")
    return redirect(return_url(), 303)


@blueprint.post("/g/<name>/unfollow")
@login_required
def unfollow(name: str) -> ResponseReturnValue:
    """Follow a group no longer, whether it still exists or not."""
    store().my_sites.unfollow(parse_name(name), require_member(viewer()))
    flash(_("You no longer follow this group."))
    return redirect(return_url(), 303)
