"""Articles that the viewer saved for later: a private list, which has a feed at a secret address."""

from flask import Blueprint, Response, abort, flash, g, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import permissions
from voteweb.core.errors import TooMuchSaved
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.web.auth.login import login_required, queue_viewer, require_member, session_member_name, viewer
from voteweb.web.context import settings, store
from voteweb.web.feeds import Feed, article_item, feed_language, feed_response
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.own_marks import read_marks
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.urls import absolute, return_url

blueprint = Blueprint("saved", __name__)


@blueprint.get("/saved")
@login_required
def index() -> str:
    """Show the articles that the viewer saved, the last first, those that are gone since as such."""
    pipeline = store().pipeline()
    loaded = queue_viewer(pipeline)
    name = session_member_name()
    saved = store().my_sites.queue_saved(pipeline, name, page_number(), settings().page_size)
    has_feed = store().feeds.queue_has(pipeline, SecretFeed.SAVED, name)
    pipeline.execute()
    user = require_member(loaded.result)
    page = check_page_exists(saved.result)
    marks = read_marks(page.rows, user)
    return render_template("saved/index.html", page=page, rows=marks.on(page.rows), has_feed=has_feed.result)


@blueprint.post("/a/<int:id>/save")
@login_required
def save(id: int) -> ResponseReturnValue:
    """Save an article for later."""
    try:
        store().my_sites.save(id, require_member(viewer()))
    except TooMuchSaved as error:
        flash(error_message(error), "error")
    else:
        flash(_("The article is saved for later."), "saved")
    return redirect(return_url(), 303)


@blueprint.post("/a/<int:id>/unsave")
@login_required
def unsave(id: int) -> ResponseReturnValue:
    """Take an article, which may be gone, out of the saved ones."""
    store().my_sites.unsave(id, require_member(viewer()))
    flash(_("The article is no longer among your saved ones."))
    return redirect(return_url(), 303)


@blueprint.post("/saved/feed")
@login_required
def set_feed() -> ResponseReturnValue:
    """Give the feed of the saved articles another secret address, which is shown once, or none."""
    user = require_member(viewer())
    if request.form.get("act") == "withdraw":
        store().feeds.withdraw(SecretFeed.SAVED, user)
        flash(_("The feed of your saved articles has no address any more."))
    else:
        address = absolute(f"/saved/feed/{store().feeds.renew(SecretFeed.SAVED, user)}.atom")
        flash(_("The secret address of your feed is %(address)s", address=address))
        flash(_("Copy it now: it is shown only once. Whoever knows it can read what you saved."))
    return redirect("/saved#feed", 303)


@blueprint.get("/saved/feed/<token>.<any(atom, json):format>")
@feed_language
def feed(token: str, format: str) -> Response:
    """Return the last saved articles of the member whose feed has this secret address."""
    unknown = _("There is no feed at this address. Its member may have renewed or withdrawn the address.")
    name = store().feeds.name_of(SecretFeed.SAVED, token)
    if name is None:
        abort(404, unknown)
    pipeline = store().pipeline()
    stored = store().users.queue_get(pipeline, name)
    page = store().my_sites.queue_saved(pipeline, name, 1, settings().page_size, with_text=True)
    pipeline.execute()
    if stored.result is None or not permissions.may_log_in(stored.result):
        abort(404, unknown)
    items = tuple(article_item(row) for row in page.result.rows if row.is_listed)
    title = _("Saved by %(name)s", name=stored.result.name)
    response = feed_response(Feed(title, "/saved", items, feed_path=f"/saved/feed/{token}", is_dated=False), format)
    g.is_public = False
    response.headers["Cache-Control"] = "private, no-store"
    return response
