"""Hiding things from the viewer's lists: articles, groups, domains and members, and all of it on one page."""

from flask import Blueprint, abort, flash, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext as _l

from voteweb.core import links
from voteweb.core.errors import NothingToHide, TooMuchHidden
from voteweb.core.my_site import Hidden, HiddenKind, hidden_member
from voteweb.web.auth.login import login_required, queue_viewer, require_member, session_member_name, viewer
from voteweb.web.context import settings, store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.urls import return_url
from voteweb.web.views.groups import parse_name as parse_group
from voteweb.web.views.users import parse_name as parse_member

blueprint = Blueprint("hidden", __name__)
_MESSAGES = {
    HiddenKind.ARTICLE: _l("The article is hidden from your lists."),
    HiddenKind.GROUP: _l("The articles of this group are hidden from your lists."),
    HiddenKind.DOMAIN: _l("The articles of this domain are hidden from your lists."),
    HiddenKind.MEMBER: _l("The articles of this member are hidden from your lists."),
}
_SEGMENTS = {HiddenKind.ARTICLE: "a", HiddenKind.GROUP: "g", HiddenKind.DOMAIN: "d", HiddenKind.MEMBER: "u"}


@blueprint.get("/hidden")
@login_required
def index() -> str:
    """Show what the viewer hides, the last first, each with the way to show it again."""
    pipeline = store().pipeline()
    loaded = queue_viewer(pipeline)
    page = store().my_sites.queue_hidden(pipeline, session_member_name(), page_number(), settings().page_size)
    pipeline.execute()
    require_member(loaded.result)
    ids = [int(hidden.name) for hidden in page.result.rows if hidden.kind is HiddenKind.ARTICLE]
    articles = store().listings.queue_articles(pipeline, ids)
    pipeline.execute()
    titles = {str(article.id): article.title for article in articles.result}
    return render_template("hidden/index.html", page=check_page_exists(page.result), titles=titles)


@blueprint.post("/a/<int:id>/hide")
@login_required
def hide_article(id: int) -> ResponseReturnValue:
    """Hide an article from the viewer's lists."""
    return _hide(Hidden(HiddenKind.ARTICLE, str(id)))


@blueprint.post("/a/<int:id>/unhide")
@login_required
def show_article(id: int) -> ResponseReturnValue:
    """Show the viewer a hidden article again."""
    return _show(Hidden(HiddenKind.ARTICLE, str(id)))


@blueprint.post("/g/<name>/hide")
@login_required
def hide_group(name: str) -> ResponseReturnValue:
    """Hide the articles of a group from the viewer's lists."""
    return _hide(Hidden(HiddenKind.GROUP, parse_group(name)))


@blueprint.post("/g/<name>/unhide")
@login_required
def show_group(name: str) -> ResponseReturnValue:
    """Show the viewer the articles of a hidden group again."""
    return _show(Hidden(HiddenKind.GROUP, parse_group(name)))


@blueprint.post("/u/<name>/hide")
@login_required
def hide_member(name: str) -> ResponseReturnValue:
    """Hide the articles of a member from the viewer's lists."""
    hidden = hidden_member(parse_member(name))
    user = require_member(viewer())
    if hidden == hidden_member(user.name):
        abort(403, _("You cannot hide your own articles."))
    return _hide(hidden)


@blueprint.post("/u/<name>/unhide")
@login_required
def show_member(name: str) -> ResponseReturnValue:
    """Show the viewer the articles of a hidden member again."""
    return _show(hidden_member(parse_member(name)))


@blueprint.post("/d/<domain>/hide")
@login_required
def hide_domain(domain: str) -> ResponseReturnValue:
    """Hide the articles with a link to a domain, however it is spelled, from the viewer's lists."""
    name = links.domain_of_address(domain)
    if not name:
        raise NothingToHide()
    return _hide(Hidden(HiddenKind.DOMAIN, name))


@blueprint.post("/d/<domain>/unhide")
@login_required
def show_domain(domain: str) -> ResponseReturnValue:
    """Show the viewer the articles with a link to a hidden domain again, which is spelled as it is stored."""
    return _show(Hidden(HiddenKind.DOMAIN, domain))


def _hide(hidden: Hidden) -> ResponseReturnValue:
    try:
        store().my_sites.hide(hidden, require_member(viewer()))
    except TooMuchHidden as error:
        flash(error_message(error), "error")
        return redirect("/hidden", 303)
    target = return_url().partition("#")[0]  # the row is gone from the list
    if target != f"/{_SEGMENTS[hidden.kind]}/{hidden.name}":  # there, the page itself says it
        flash(str(_MESSAGES[hidden.kind]), "hidden")
    return redirect(target, 303)


def _show(hidden: Hidden) -> ResponseReturnValue:
    store().my_sites.show(hidden, require_member(viewer()))
    flash(_("It is shown in your lists again."))
    return redirect(return_url(), 303)
