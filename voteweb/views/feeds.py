"""Feeds of every list: its own address with .atom or .json behind it, the front page's being /feed.

No name of a group or a member holds a dot, so nothing can stand in the way of these addresses. Each is one round
trip, and none looks at the session.
"""

from typing import Any

from flask import Blueprint, Response, redirect, url_for
from flask.typing import ResponseReturnValue

from voteweb import config
from voteweb.feed import Feed, answer, in_one_language, of_article, xml
from voteweb.language import gettext as _
from voteweb.login import settings, store
from voteweb.models import Article, Order
from voteweb.store.listings import Ranking, of_groups, of_member, whole_site
from voteweb.store.trip import Trip
from voteweb.views.groups import refuse_unknown, split
from voteweb.views.users import present, well_formed

blueprint = Blueprint("feeds", __name__)


@blueprint.get("/feed.<any(atom, json):form>")
@in_one_language
def front(form: str) -> Response:
    """Return the front page's first articles."""
    return _site(_("Top articles"), "/", Order.SCORE, form)


@blueprint.get("/new.<any(atom, json):form>")
@in_one_language
def new(form: str) -> Response:
    """Return the newest articles."""
    return _site(_("New articles"), "/new", Order.TIME, form)


@blueprint.get("/good.<any(atom, json):form>")
@in_one_language
def good(form: str) -> Response:
    """Return the newest good articles."""
    trip = store().trip(reader=True)
    listed = store().listings.ask_good(trip, settings().page_size, texts=True)
    trip.go()
    return _answer(_("Good articles"), "/good", listed.value, form)


@blueprint.get("/g/<names>.<any(atom, json):form>")
@in_one_language
def group(names: str, form: str) -> ResponseReturnValue:
    """Return the first articles that are in all groups *names* (joined by +), by score."""
    return _groups(names, Order.SCORE, form)


@blueprint.get("/g/<names>/new.<any(atom, json):form>")
@in_one_language
def group_new(names: str, form: str) -> ResponseReturnValue:
    """Return the newest articles that are in all groups *names* (joined by +)."""
    return _groups(names, Order.TIME, form)


@blueprint.get("/u/<name>.<any(atom, json):form>")
@in_one_language
def member(name: str, form: str) -> Response:
    """Return the newest articles of a member."""
    name = well_formed(name)
    trip = store().trip(reader=True)
    asked = store().users.ask(trip, name)
    rows = _rows(trip, of_member(name))
    name = present(asked.value, name).name
    return _answer(_("Articles by %(name)s", name=name), f"/u/{name}", rows, form)


@blueprint.get("/groups.opml")
@in_one_language
def opml() -> Response:
    """Return the feeds of all groups, to subscribe to them at once (OPML 2.0)."""
    groups = store().groups.all(store().trip(reader=True))
    return xml("feeds/groups.opml.xml", "text/x-opml", config.FEED_SECONDS, groups=groups)


def _site(title: str, path: str, order: Order, form: str) -> Response:
    return _answer(title, path, _rows(store().trip(reader=True), whole_site(order)), form)


def _groups(joined: str, order: Order, form: str) -> ResponseReturnValue:
    names = split(joined)
    if "+".join(names) != joined:
        endpoint = "feeds.group" if order is Order.SCORE else "feeds.group_new"
        return redirect(url_for(endpoint, names="+".join(names), form=form), 301)
    trip = store().trip(reader=True)
    asked = store().groups.ask(trip, names)
    rows = _rows(trip, of_groups(names, order))
    known = refuse_unknown(names, asked.value)
    title, path = " + ".join(each.title for each in known), f"/g/{'+'.join(names)}"
    if order is Order.TIME:
        title, path = _("New in %(groups)s", groups=title), f"{path}/new"
    return _answer(title, path, rows, form, description=known[0].description if len(known) == 1 else "")


def _rows(trip: Trip, which: Ranking) -> tuple[Article, ...]:
    """Return the first page of a ranking, in the same round trip as what *trip* asks already."""
    listed = store().listings.ask(trip, which, 1, texts=True)
    trip.go()
    return listed.value.rows


def _answer(title: str, path: str, rows: tuple[Article, ...], form: str, **more: Any) -> Response:
    return answer(Feed(title, path, tuple(of_article(row) for row in rows), **more), form)
