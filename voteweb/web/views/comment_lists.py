"""Comments outside their conversations: the site's newest, and those of one member."""

from flask import Blueprint, render_template

from voteweb.web.auth.login import queue_viewer
from voteweb.web.caching import shared_pages
from voteweb.web.context import now, store
from voteweb.web.i18n.formatting import round_age
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.responses import RenderedPage
from voteweb.web.views.users import check_present, parse_name

blueprint = Blueprint("comment_lists", __name__)


@blueprint.get("/comments")
def newest() -> RenderedPage:
    """Show the newest comments of the whole site."""
    number = page_number()
    asked, pipeline = shared_pages.clock(), store().pipeline()
    viewer = queue_viewer(pipeline)
    read = store().listings.queue_newest_comments(pipeline, number)
    pipeline.execute()
    template, page = "comments/newest.html", check_page_exists(read.result)
    if shared_pages.may_keep(viewer.result):
        ages = tuple(round_age(now() - comment.node.time) for comment in page.rows)
        return shared_pages.render_list(asked, template, (), {}, page=page, ages=ages)
    return render_template(template, page=page)


@blueprint.get("/u/<name>/comments")
def of_member(name: str) -> str:
    """Show the comments of a member, newest first."""
    name = parse_name(name)
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    member = store().users.queue_get(pipeline, name)
    page = store().listings.queue_member_comments(pipeline, name, page_number())
    pipeline.execute()
    present = check_present(member.result, name, viewer.result)
    return render_template("comments/of_member.html", member=present, page=check_page_exists(page.result))
