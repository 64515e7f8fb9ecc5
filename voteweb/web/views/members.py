"""Lists of members: the moderators, for everybody; all members, for moderators."""

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config
from voteweb.core.models import Page
from voteweb.web.auth.login import login_required, page_pipeline, queue_viewer, require_moderator
from voteweb.web.context import store
from voteweb.web.pagination import check_page_exists, page_number

blueprint = Blueprint("members", __name__)


@blueprint.get("/moderators")
def moderators() -> ResponseReturnValue:
    """Show who moderates the site."""
    pipeline = page_pipeline()
    queue_viewer(pipeline)
    pipeline.execute()
    return render_template("members/moderators.html", moderators=store().member_lists.moderators())


@blueprint.get("/members")
@login_required
def index() -> ResponseReturnValue:
    """Show members to moderators: the newest, those whose name begins with ``q``, or with ``of=banned`` the banned."""
    number, is_of_banned = page_number(), request.args.get("of") == "banned"
    typed = "" if is_of_banned else request.args.get("q", "").strip()[: config.MAX_USER_NAME_LENGTH + 1]
    lists, pipeline = store().member_lists, store().pipeline()
    viewer = queue_viewer(pipeline)
    names = (lists.queue_banned if is_of_banned else lists.queue_newest)(pipeline, number)
    pipeline.execute()
    require_moderator(viewer.result)
    page, is_complete = check_page_exists(names.result), True
    if typed:
        found, is_complete = lists.search(typed)
        page = Page(found, 1, len(found), 1, more=False)
    members = lists.queue_members(pipeline, page.rows)
    pipeline.execute()
    rows = [row for row in members.result if row.user.banned or not is_of_banned]
    return render_template(
        "members/index.html",
        page=page,
        rows=rows,
        typed=typed,
        is_of_banned=is_of_banned,
        is_complete=is_complete,
    )
