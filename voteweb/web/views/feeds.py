"""Feeds of every list, at the list's own address followed by .atom or .json; that of the front page is /feed.

No name of a group or a member contains a dot, so these addresses are unambiguous. Each takes one round trip, and none
reads the session.
"""

from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, redirect, url_for
from flask.typing import ResponseReturnValue

from voteweb.core import config
from voteweb.core.errors import NoSuchGroup
from voteweb.core.models import Article, Order
from voteweb.store.connection.pipeline import Pipeline
from voteweb.store.schema.rankings import Ranking
from voteweb.web import rate_limits
from voteweb.web.context import settings, store
from voteweb.web.feeds import Feed, article_item, feed_language, feed_response
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.responses import xml
from voteweb.web.views.groups import check_known, parse_names, redirect_alias
from voteweb.web.views.users import check_present, parse_name

blueprint = Blueprint("feeds", __name__)


@blueprint.get("/feed.<any(atom, json):format>")
@feed_language
def front(format: str) -> Response:
    """Return the front page's first articles."""
    return _site(_("Top articles"), "/", Order.SCORE, format)


@blueprint.get("/new.<any(atom, json):format>")
@feed_language
def new(format: str) -> Response:
    """Return the newest articles."""
    return _site(_("New articles"), "/new", Order.TIME, format)


@blueprint.get("/good.<any(atom, json):format>")
@feed_language
def good(format: str) -> Response:
    """Return the newest good articles."""
    pipeline = store().pipeline()
    articles = store().listings.queue_good(pipeline, settings().page_size, with_text=True)
    pipeline.execute()
    return _feed(_("Good articles"), "/good", articles.result, format)


@blueprint.get("/g/<names>.<any(atom, json):format>")
@feed_language
def group(names: str, format: str) -> ResponseReturnValue:
    """Return the first articles that are in all groups *names* (joined by +), by score."""
    return _groups(names, Order.SCORE, format)


@blueprint.get("/g/<names>/new.<any(atom, json):format>")
@feed_language
def group_new(names: str, format: str) -> ResponseReturnValue:
    """Return the newest articles that are in all groups *names* (joined by +)."""
    return _groups(names, Order.TIME, format)


@blueprint.get("/u/<name>.<any(atom, json):format>")
@feed_language
def member(name: str, format: str) -> Response:
    """Return the newest articles of a member."""
    name = parse_name(name)
    pipeline = store().pipeline()
    stored = store().users.queue_get(pipeline, name)
    rows = _rows(pipeline, store().rankings.member(name))
    name = check_present(stored.result, name).name
    return _feed(_("Articles by %(name)s", name=name), f"/u/{quote(name)}", rows, format)


@blueprint.get("/groups.opml")
@feed_language
def opml() -> Response:
    """Return the feeds of all groups, to subscribe to them at once (OPML 2.0)."""
    groups = store().groups.all(store().pipeline())
    return xml("feeds/groups.opml.xml", "text/x-opml", config.FEED_SECONDS, groups=groups)


def _site(title: str, path: str, order: Order, format: str) -> Response:
    rows = _rows(store().pipeline(), store().rankings.site(order))
    return _feed(title, path, rows, format)


def _groups(joined: str, order: Order, format: str) -> ResponseReturnValue:
    names = parse_names(joined)
    endpoint = "feeds.group" if order is Order.SCORE else "feeds.group_new"
    if "+".join(names) != joined:
        return redirect(url_for(endpoint, names="+".join(names), format=format), 301)
    pipeline = store().pipeline()
    stored = store().groups.queue_get(pipeline, names)
    rows = _rows(pipeline, store().rankings.groups(names, order))
    try:
        groups = check_known(names, stored.result)
    except NoSuchGroup as error:
        return redirect_alias(names, error, endpoint, format=format)
    title, path = " + ".join(group.title for group in groups), f"/g/{'+'.join(names)}"
    if order is Order.TIME:
        title, path = _("New in %(groups)s", groups=title), f"{path}/new"
    return _feed(title, path, rows, format, description=groups[0].description if len(groups) == 1 else "")


def _rows(pipeline: Pipeline, ranking: Ranking) -> tuple[Article, ...]:
    """Return the first page of a ranking, in the same round trip as what *pipeline* holds already."""
    hit = rate_limits.combination_hit()
    listing = store().listings.queue_page(pipeline, ranking, 1, with_text=True, hit=hit)
    pipeline.execute()
    return listing.result.rows


def _feed(title: str, path: str, rows: tuple[Article, ...], format: str, **extra: Any) -> Response:
    return feed_response(Feed(title, path, tuple(article_item(row) for row in rows), **extra), format)
