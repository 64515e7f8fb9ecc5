"""Comments outside their conversations: the site's newest, and those of one member."""

from flask import Blueprint, render_template

from voteweb.web.auth.login import page_pipeline, queue_viewer
from voteweb.web.context import store
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.views.users import check_present, parse_name

blueprint = Blueprint("comment_lists", __name__)


@blueprint.get("/comments")
def newest() -> str:
    """Show the newest comments of the whole site."""
    pipeline = page_pipeline()
    queue_viewer(pipeline)
    page = store().comment_lists.queue_newest(pipeline, page_number())
    pipeline.execute()
    return render_template("comments/newest.html", page=check_page_exists(page.result))


@blueprint.get("/u/<name>/comments")
def of_member(name: str) -> str:
    """Show the comments of a member, newest first."""
    name = parse_name(name)
    pipeline = page_pipeline()
    viewer = queue_viewer(pipeline)
    member = store().users.queue_get(pipeline, name)
    page = store().comment_lists.queue_member(pipeline, name, page_number())
    pipeline.execute()
    present = check_present(member.result, name, viewer.result)
    return render_template("comments/of_member.html", member=present, page=check_page_exists(page.result))
