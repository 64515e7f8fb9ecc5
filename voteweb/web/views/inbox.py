"""The viewer's inbox: what others answered, and what moderators did to what the viewer posted and reported."""

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.web.auth.login import login_required, queue_viewer, require_member, session_member_name, viewer
from voteweb.web.context import store
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.urls import absolute

blueprint = Blueprint("inbox", __name__)


@blueprint.get("/inbox")
@login_required
def index() -> str:
    """Show one page of the inbox; to look at it reads nothing."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    page = store().inbox.queue_page(pipeline, session_member_name(), page_number())
    has_feed = store().feeds.queue_has(pipeline, SecretFeed.INBOX, session_member_name())
    pipeline.execute()
    require_member(viewer.result)
    return render_template("inbox/index.html", page=check_page_exists(page.result), has_feed=has_feed.result)


@blueprint.post("/inbox/read")
@login_required
def mark_read() -> ResponseReturnValue:
    """Mark as read what the page showed and all that is older; ``until`` is the newest entry that it showed."""
    user = require_member(viewer())
    store().inbox.mark_all_read(user, request.form.get("until", ""))
    flash(_("All entries that were shown are marked as read."))
    return redirect("/inbox", 303)


@blueprint.post("/inbox/feed")
@login_required
def set_feed() -> ResponseReturnValue:
    """Give the feed of the inbox another secret address, which is shown once, or none."""
    user = require_member(viewer())
    if request.form.get("act") == "withdraw":
        store().feeds.withdraw(SecretFeed.INBOX, user)
        flash(_("The feed of your inbox has no address any more."))
    else:
        address = absolute(f"/inbox/feed/{store().feeds.renew(SecretFeed.INBOX, user)}.atom")
        flash(_("The secret address of your feed is %(address)s", address=address))
        flash(_("Copy it now: it is shown only once. Whoever knows it can read your inbox."))
    return redirect("/inbox#feed", 303)
