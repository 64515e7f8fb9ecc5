"""The choices of members about what they read: groups that they follow, what they save and hide, and their inbox."""

from flask import Blueprint, abort, flash, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext as _l

from voteweb.core import links
from voteweb.core.comments import CommentOrder
from voteweb.core.errors import NothingToHide, TooMuchFollowed, TooMuchHidden, TooMuchSaved
from voteweb.core.models import Article, Page, User
from voteweb.core.my_site import MY_GROUPS, Hidden, HiddenKind, hidden_member
from voteweb.store.accounts.secret_feeds import SecretFeed
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.viewers import InboxPage
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.login import require_member, session_member_name, session_user_id
from voteweb.web.base.context import store
from voteweb.web.base.urls import absolute, next_of_form, page_number, return_url
from voteweb.web.caching.own_marks import read_marks
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import Message, act, answer, reads
from voteweb.web.views.groups import parse_name as parse_group
from voteweb.web.views.members import parse_name as parse_member

blueprint = Blueprint("my_site", __name__)
#: What can be hidden, by the first part of its address.
_KINDS = {"a": HiddenKind.ARTICLE, "g": HiddenKind.GROUP, "d": HiddenKind.DOMAIN, "u": HiddenKind.MEMBER}
_HIDDEN = {
    HiddenKind.ARTICLE: _l("The article is hidden from your lists."),
    HiddenKind.GROUP: _l("The articles of this group are hidden from your lists."),
    HiddenKind.DOMAIN: _l("The articles of this domain are hidden from your lists."),
    HiddenKind.MEMBER: _l(
        "You hide this member now: articles, answers and mentions stay away, and comments are folded."
    ),
}

#: The kinds of the lists that have a feed, by path.
_FEEDS = {"/saved": SecretFeed.SAVED, "/inbox": SecretFeed.INBOX}


def _queue_group(pipeline: Pipeline, name: str = "") -> Future[dict[str, str]]:
    """Queue a read of the group that the address names, perhaps by an alias; of nothing for an address of no group."""
    names = [parse_group(name)] if _kind() is HiddenKind.GROUP else []
    return store().groups.queue_resolve_each(pipeline, names)


@act(blueprint, "/g/<name>/follow", require_member, says=(TooMuchFollowed,), groups=_queue_group)
def follow(groups: dict[str, str], user: User) -> Message:
    (group,) = groups.values()
    store().my_sites.follow(group, user)
    return _("You follow this group now: its articles are in your groups."), "/my"


@act(blueprint, "/g/<name>/unfollow", require_member, groups=_queue_group)
def unfollow(groups: dict[str, str], user: User) -> Message:
    """Follow a group no longer, whether it still exists, is merged into another, or not."""
    end_following(groups, user)
    return _("You no longer follow this group.")


def end_following(groups: dict[str, str], user: User) -> None:
    """Make *user* follow none of *groups*, by the names of the address, and none that these stand for."""
    for name in {*groups, *groups.values()}:
        store().my_sites.unfollow(name, user)


@act(blueprint, "/my/front", require_member, back="/my")
def choose_front(user: User) -> Message:
    """Choose whether the front page shows all articles or the groups that the viewer follows."""
    front = MY_GROUPS if request.form.get("front") == MY_GROUPS else ""
    store().users.choose(user, front=front)
    if front:
        return _("The front page now shows the groups that you follow.")
    return _("The front page now shows all articles.")


@act(blueprint, "/my/order", require_member, back="/")
def choose_order(user: User) -> Message:
    """Choose the order in which the viewer reads conversations; the page that this leads to shows it."""
    order = request.form.get("order", "")
    store().users.choose(user, order=order if order in set(CommentOrder) else CommentOrder.SCORE)
    return ""


@blueprint.get("/saved")
@reads(
    require_member,
    page=lambda pipeline: store().my_sites.queue_saved(pipeline, session_member_name(), page_number()),
)
def saved(user: User, page: Page[Article]) -> str:
    """Show the articles that the viewer saved, the last first, those that are gone since as such."""
    rows = read_marks(page.rows, user).on(page.rows)
    return render_template("my_site/saved.html", page=page, rows=rows)


@blueprint.get("/votes")
@reads(
    require_member,
    page=lambda pipeline: store().votes.queue_open(pipeline, session_user_id(), page_number()),
)
def votes(user: User, page: Page[Article]) -> str:
    """Show the articles whose votes the viewer can still take back."""
    return render_template("my_site/votes.html", page=page, rows=read_marks(page.rows, user).on(page.rows))


@act(blueprint, "/a/<int:id>/save", require_member, says=(TooMuchSaved,))
def save(id: int, user: User) -> Message:
    store().my_sites.save(id, user)
    return _("The article is saved for later."), "/saved"


@act(blueprint, "/a/<int:id>/unsave", require_member)
def unsave(id: int, user: User) -> Message:
    """Take an article, which may be gone, out of the saved ones."""
    store().my_sites.unsave(id, user)
    return _("The article is no longer among your saved ones.")


@blueprint.get("/hidden")
@reads(
    require_member,
    page=lambda pipeline: store().my_sites.queue_hidden(pipeline, session_member_name(), page_number()),
)
def hidden(page: Page[Hidden]) -> str:
    """Show what the viewer hides, the last first, each with the way to show it again."""
    ids = [int(hidden.name) for hidden in page.rows if hidden.kind is HiddenKind.ARTICLE]
    articles = store().read(store().listings.queue_articles, ids)
    titles = {str(article.id): article.title for article in articles}
    return render_template("my_site/hidden.html", page=page, titles=titles)


@blueprint.post("/a/<int:id>/hide")
@blueprint.post("/g/<name>/hide")
@blueprint.post("/d/<domain>/hide")
@blueprint.post("/u/<name>/hide")
@reads(require_member, groups=_queue_group)
def hide(groups: dict[str, str], user: User) -> ResponseReturnValue:
    """Hide an article, a member, or the articles of a group or a domain (however it is spelled) from the viewer."""
    hidden = _named()
    hidden = Hidden(hidden.kind, groups.get(hidden.name, hidden.name))
    if hidden.kind is HiddenKind.DOMAIN:
        hidden = Hidden(hidden.kind, links.domain_of_address(hidden.name))
        if not hidden.name:
            raise NothingToHide()
    if hidden == hidden_member(user.name):
        abort(403, _("You cannot hide yourself."))
    try:
        store().my_sites.hide(hidden, user)
    except TooMuchHidden as error:
        return answer((error_message(error), "error"), "/hidden")
    target = return_url().partition("#")[0]  # the row is gone from the list
    if target == f"/{request.path.split('/')[1]}/{hidden.name}":
        return answer("", target)  # the page itself says it
    return answer((str(_HIDDEN[hidden.kind]), "/hidden"), target)


@blueprint.post("/g/<name>/unhide")
@blueprint.post("/d/<domain>/unhide")
@blueprint.post("/u/<name>/unhide")
@act(blueprint, "/a/<int:id>/unhide", require_member, groups=_queue_group)
def unhide(groups: dict[str, str], user: User) -> Message:
    """Show the viewer again what they hid; a domain is spelled as it is stored."""
    hidden = _named()
    for name in {hidden.name, *groups.values()}:
        store().my_sites.show(Hidden(hidden.kind, name), user)
    return _("It is shown to you again.")


def _named() -> Hidden:
    """Return what the address names."""
    (name,) = map(str, (request.view_args or {}).values())
    kind = _kind()
    if kind is HiddenKind.MEMBER:
        return hidden_member(parse_member(name))
    return Hidden(kind, parse_group(name) if kind is HiddenKind.GROUP else name)


def _kind() -> HiddenKind:
    return _KINDS[request.path.split("/")[1]]


def _queue_inbox(pipeline: Pipeline) -> Future[InboxPage]:
    only_unread, viewer_id = request.endpoint == "my_site.inbox", session_user_id()
    return store().inbox.queue_page(
        pipeline, session_member_name(), page_number(), only_unread=only_unread, viewer_id=viewer_id
    )


@blueprint.get("/inbox/all", endpoint="whole_inbox")
@blueprint.get("/inbox")
@reads(require_member, page=_queue_inbox)
def inbox(page: InboxPage) -> str:
    """Show one page of what is unread in the inbox, or of all of it; to look at it reads nothing."""
    return render_template("my_site/inbox.html", page=page)


@act(blueprint, "/inbox/read", require_member, leads_to=lambda: next_of_form("/inbox").partition("?")[0])
def mark_read(user: User) -> Message:
    """Mark as read what the page showed: ``until`` is the newest entry on it, ``since`` the oldest."""
    store().inbox.mark_all_read(user, request.form.get("until", ""), request.form.get("since", ""))
    return _("All entries that were shown are marked as read.")


def _feed_path() -> str:
    return request.path.removesuffix("/feed")


@blueprint.post("/saved/feed", endpoint="set_saved_feed")
@act(blueprint, "/inbox/feed", require_member, endpoint="set_inbox_feed", leads_to="/account/access#feed")
def set_feed(user: User) -> Message:
    """Give the feed of the list another secret address, which is shown once, or none."""
    kind = _FEEDS[_feed_path()]
    if request.form.get("act") == "withdraw":
        store().feeds.withdraw(kind, user.name, actor=user)
        return _("The feed has no address any more.")
    require_recent_password(user)
    address = absolute(f"{_feed_path()}/feed/{store().feeds.renew(kind, user)}.atom")
    flash(_("The secret address of your feed is %(address)s", address=address))
    return _("Copy it now: it is shown only once. Everybody who knows it can read this list.")
