"""Lists of members: the moderators, for everybody; all members, for moderators."""

from collections.abc import Sequence

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, permissions
from voteweb.core.models import Page, Role
from voteweb.store.accounts.users import ListedMember
from voteweb.web.auth.login import login_required, queue_viewer, require_moderator
from voteweb.web.context import store
from voteweb.web.pagination import check_page_exists, page_number

blueprint = Blueprint("members", __name__)


@blueprint.get("/moderators")
def moderators() -> ResponseReturnValue:
    """Show who moderates the site."""
    pipeline = store().pipeline()
    queue_viewer(pipeline)
    pipeline.execute()
    return render_template("members/moderators.html", moderators=store().users.moderators())


@blueprint.get("/members")
@login_required
def index() -> ResponseReturnValue:
    """Show members to moderators: the newest, those whose name begins with ``q``, or those of a list, ``of``.

    Admins also see when each was here last, and can change roles.
    """
    number, of = page_number(), request.args.get("of", "")
    is_of_banned, is_of_staff = of == "banned", of == "moderators"
    typed = "" if is_of_banned or is_of_staff else request.args.get("q", "").strip()[: config.MAX_USER_NAME_LENGTH + 1]
    lists, pipeline = store().users, store().pipeline()
    viewer = queue_viewer(pipeline)
    names = (lists.queue_banned if is_of_banned else lists.queue_newest)(pipeline, number)
    pipeline.execute()
    require_moderator(viewer.result)
    page, is_complete = check_page_exists(names.result), True
    if is_of_staff:
        staff = tuple(user.name for user in lists.moderators())
        page = Page.at(1, len(staff), staff, len(staff))
    if typed:
        found, is_complete = lists.search(typed)
        page = Page.at(1, len(found), found, len(found))
    members = lists.queue_members(pipeline, page.rows)
    pipeline.execute()
    seen = _last_seen(members.result) if permissions.may_administer(viewer.result) else {}
    rows = [row for row in members.result if row.user.banned or not is_of_banned]
    return render_template(
        "members/index.html",
        page=page,
        rows=rows,
        typed=typed,
        is_of_banned=is_of_banned,
        is_of_staff=is_of_staff,
        seen=seen,
        roles=tuple(Role),
        is_complete=is_complete,
    )


def _last_seen(members: Sequence[ListedMember]) -> dict[int, float]:
    """Return when each of *members* was here last in a session that is open, in unix seconds, by their ids."""
    pipeline = store().pipeline()
    sessions = {member.user.id: store().sessions.queue_all(pipeline, member.user) for member in members}
    pipeline.execute()
    return {id: read.result[0].used for id, read in sessions.items() if read.result}
