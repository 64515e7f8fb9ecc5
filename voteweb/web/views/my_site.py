"""The choices of members about what they read: groups that they follow, what they save and hide, and their inbox."""

from collections.abc import Callable

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext as _l

from voteweb.core import links
from voteweb.core.errors import NothingToHide, TooMuchFollowed, TooMuchHidden, TooMuchSaved
from voteweb.core.models import User
from voteweb.core.my_site import MY_GROUPS, Hidden, HiddenKind, hidden_member
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.web.auth.login import login_required, queue_viewer, require_member, session_member_name, viewer
from voteweb.web.context import settings, store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.own_marks import read_marks
from voteweb.web.pagination import check_page_exists, page_number
from voteweb.web.urls import absolute, return_url, safe_path
from voteweb.web.views.groups import parse_name as parse_group
from voteweb.web.views.members import parse_name as parse_member

blueprint = Blueprint("my_site", __name__)
#: What can be hidden, by the first part of its address.
_KINDS = {"a": HiddenKind.ARTICLE, "g": HiddenKind.GROUP, "d": HiddenKind.DOMAIN, "u": HiddenKind.MEMBER}
_HIDDEN = {
    HiddenKind.ARTICLE: _l("The article is hidden from your lists."),
    HiddenKind.GROUP: _l("The articles of this group are hidden from your lists."),
    HiddenKind.DOMAIN: _l("The articles of this domain are hidden from your lists."),
    HiddenKind.MEMBER: _l("The articles of this member are hidden from your lists."),
}


def _choose(act: Callable[[User], object], message: str, category: str = "message") -> ResponseReturnValue:
    """Do *act* for the viewer, say so by *message* or why not, and return to the page with the form."""
    try:
        act(require_member(viewer()))
    except (TooMuchFollowed, TooMuchSaved) as error:
        flash(error_message(error), "error")
    else:
        flash(message, category)
    return redirect(return_url(), 303)


@blueprint.post("/g/<name>/follow")
@login_required
def follow(name: str) -> ResponseReturnValue:
    """Follow a group."""
    message = _("You follow this group now: its articles are in your groups.")
    return _choose(lambda member: store().my_sites.follow(parse_group(name), member), message, "followed")


@blueprint.post("/g/<name>/unfollow")
@login_required
def unfollow(name: str) -> ResponseReturnValue:
    """Follow a group no longer, whether it still exists or not."""
    message = _("You no longer follow this group.")
    return _choose(lambda member: store().my_sites.unfollow(parse_group(name), member), message)


@blueprint.post("/my/front")
@login_required
def choose_front() -> ResponseReturnValue:
    """Choose whether the front page shows all articles or the groups that the viewer follows."""
    front = MY_GROUPS if request.form.get("front") == MY_GROUPS else ""
    store().users.choose_front(require_member(viewer()), front)
    if front:
        flash(_("The front page now shows the groups that you follow."))
    else:
        flash(_("The front page now shows all articles."))
    return redirect(safe_path(request.form.get("next", ""), "/my"), 303)


@blueprint.get("/saved")
@login_required
def saved() -> str:
    """Show the articles that the viewer saved, the last first, those that are gone since as such."""
    pipeline, name = store().pipeline(), session_member_name()
    loaded = queue_viewer(pipeline)
    read = store().my_sites.queue_saved(pipeline, name, page_number(), settings().page_size)
    has_feed = store().feeds.queue_has(pipeline, SecretFeed.SAVED, name)
    pipeline.execute()
    user, page = require_member(loaded.result), check_page_exists(read.result)
    rows = read_marks(page.rows, user).on(page.rows)
    return render_template("my_site/saved.html", page=page, rows=rows, has_feed=has_feed.result)


@blueprint.post("/a/<int:id>/save")
@login_required
def save(id: int) -> ResponseReturnValue:
    """Save an article for later."""
    return _choose(lambda member: store().my_sites.save(id, member), _("The article is saved for later."), "saved")


@blueprint.post("/a/<int:id>/unsave")
@login_required
def unsave(id: int) -> ResponseReturnValue:
    """Take an article, which may be gone, out of the saved ones."""
    message = _("The article is no longer among your saved ones.")
    return _choose(lambda member: store().my_sites.unsave(id, member), message)


@blueprint.get("/hidden")
@login_required
def hidden() -> str:
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
    return render_template("my_site/hidden.html", page=check_page_exists(page.result), titles=titles)


@blueprint.post("/a/<int:id>/hide")
@blueprint.post("/g/<name>/hide")
@blueprint.post("/d/<domain>/hide")
@blueprint.post("/u/<name>/hide")
@login_required
def hide(**named: int | str) -> ResponseReturnValue:
    """Hide an article, or those of a group, a domain (however it is spelled) or a member, from the viewer's lists."""
    hidden = _named(**named)
    if hidden.kind is HiddenKind.DOMAIN:
        hidden = Hidden(hidden.kind, links.domain_of_address(hidden.name))
        if not hidden.name:
            raise NothingToHide()
    member = require_member(viewer())
    if hidden == hidden_member(member.name):
        abort(403, _("You cannot hide your own articles."))
    try:
        store().my_sites.hide(hidden, member)
    except TooMuchHidden as error:
        flash(error_message(error), "error")
        return redirect("/hidden", 303)
    target = return_url().partition("#")[0]  # the row is gone from the list
    if target != f"/{request.path.split('/')[1]}/{hidden.name}":  # there, the page itself says it
        flash(str(_HIDDEN[hidden.kind]), "hidden")
    return redirect(target, 303)


@blueprint.post("/a/<int:id>/unhide")
@blueprint.post("/g/<name>/unhide")
@blueprint.post("/d/<domain>/unhide")
@blueprint.post("/u/<name>/unhide")
@login_required
def unhide(**named: int | str) -> ResponseReturnValue:
    """Show the viewer again what they hid; a domain is spelled as it is stored."""
    hidden = _named(**named)
    return _choose(lambda member: store().my_sites.show(hidden, member), _("It is shown in your lists again."))


def _named(**named: int | str) -> Hidden:
    """Return what the address names."""
    (name,) = map(str, named.values())
    kind = _KINDS[request.path.split("/")[1]]
    if kind is HiddenKind.MEMBER:
        return hidden_member(parse_member(name))
    return Hidden(kind, parse_group(name) if kind is HiddenKind.GROUP else name)


@blueprint.get("/inbox")
@login_required
def inbox() -> str:
    """Show one page of the inbox; to look at it reads nothing."""
    pipeline, name = store().pipeline(), session_member_name()
    viewer = queue_viewer(pipeline)
    page = store().inbox.queue_page(pipeline, name, page_number())
    has_feed = store().feeds.queue_has(pipeline, SecretFeed.INBOX, name)
    pipeline.execute()
    require_member(viewer.result)
    return render_template("my_site/inbox.html", page=check_page_exists(page.result), has_feed=has_feed.result)


@blueprint.post("/inbox/read")
@login_required
def mark_read() -> ResponseReturnValue:
    """Mark as read what the page showed and all that is older; ``until`` is the newest entry that it showed."""
    user = require_member(viewer())
    store().inbox.mark_all_read(user, request.form.get("until", ""))
    flash(_("All entries that were shown are marked as read."))
    return redirect("/inbox", 303)


@blueprint.post("/saved/feed")
@login_required
def set_saved_feed() -> ResponseReturnValue:
    """Give the feed of the saved articles another secret address, which is shown once, or none."""
    withdrawn = _("The feed of your saved articles has no address any more.")
    secret = _("Copy it now: it is shown only once. Whoever knows it can read what you saved.")
    return _set_feed(SecretFeed.SAVED, "/saved", withdrawn, secret)


@blueprint.post("/inbox/feed")
@login_required
def set_inbox_feed() -> ResponseReturnValue:
    """Give the feed of the inbox another secret address, which is shown once, or none."""
    withdrawn = _("The feed of your inbox has no address any more.")
    secret = _("Copy it now: it is shown only once. Whoever knows it can read your inbox.")
    return _set_feed(SecretFeed.INBOX, "/inbox", withdrawn, secret)


def _set_feed(kind: SecretFeed, path: str, withdrawn: str, secret: str) -> ResponseReturnValue:
    """Renew or withdraw the address of the feed of the list at *path*, and say that it is *withdrawn* or *secret*."""
    user = require_member(viewer())
    if request.form.get("act") == "withdraw":
        store().feeds.withdraw(kind, user)
        flash(withdrawn)
    else:
        address = absolute(f"{path}/feed/{store().feeds.renew(kind, user)}.atom")
        flash(_("The secret address of your feed is %(address)s", address=address))
        flash(secret)
    return redirect(f"{path}#feed", 303)
