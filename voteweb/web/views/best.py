"""The best articles by votes: of a day, a week, a month, a year and of all time, of the site and of a group."""

from typing import Any

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from voteweb.core.errors import NoSuchGroup
from voteweb.core.models import Group, Period
from voteweb.store.schema.rankings import Ranking
from voteweb.web.context import store
from voteweb.web.feeds import Feed, article_item, feed_language, feed_response
from voteweb.web.i18n.formatting import PERIOD_TITLES
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import render_list
from voteweb.web.responses import RenderedPage
from voteweb.web.views.groups import check_known, parse_name, redirect_alias

blueprint = Blueprint("best", __name__)
#: The periods of the site and of a group; the first is shown unless the address names another.
SITE_PERIODS = tuple(Period)
GROUP_PERIODS = (Period.WEEK, Period.ALL)


@blueprint.get("/top")
def site() -> RenderedPage:
    """Show the articles of a period with the most votes."""
    period = _period(SITE_PERIODS)
    return render_list("articles/top.html", store().rankings.best(period), period=period)


@blueprint.get("/g/<name>/top")
def group(name: str) -> ResponseReturnValue:
    """Show the articles of a group and a period with the most votes."""
    if parse_name(name) != name:
        return redirect(url_for("best.group", name=parse_name(name), **_query()), 301)
    period = _period(GROUP_PERIODS)
    try:
        return render_list(
            "groups/top.html",
            store().rankings.best(period, name),
            shown=f"g{name}",
            check=lambda results: results.update(group=check_known((name,), results["group"])[0]),
            queries={"group": lambda pipeline: store().groups.queue_get(pipeline, (name,))},
            period=period,
        )
    except NoSuchGroup as error:
        return redirect_alias((name,), error, "best.group", "name", **_query())


@blueprint.get("/top.<any(atom, json):format>")
@feed_language
def site_feed(format: str) -> Response:
    """Return the first articles of a period by votes."""
    return _feed("/top", _period(SITE_PERIODS), format)


@blueprint.get("/g/<name>/top.<any(atom, json):format>")
@feed_language
def group_feed(name: str, format: str) -> ResponseReturnValue:
    """Return the first articles of a group and a period by votes."""
    if parse_name(name) != name:
        return redirect(url_for("best.group_feed", name=parse_name(name), format=format, **_query()), 301)
    try:
        return _feed(f"/g/{name}/top", _period(GROUP_PERIODS), format, name)
    except NoSuchGroup as error:
        return redirect_alias((name,), error, "best.group_feed", "name", format=format, **_query())


def _period(periods: tuple[Period, ...]) -> Period:
    """Return the period in the address, the first of *periods* if there is none; end the request if it is no other."""
    of = request.args.get("of", periods[0])
    if of not in periods:
        abort(404, _("There is no such period. The best articles are listed for a day, a week, a month or a year."))
    return Period(of)


def _query() -> dict[str, Any]:
    return {name: request.args.get(name) for name in ("of", "page")}


def _feed(path: str, period: Period, format: str, name: str = "") -> Response:
    pipeline = store().pipeline()
    stored = store().groups.queue_get(pipeline, (name,)) if name else None
    ranking: Ranking = store().rankings.best(period, name)
    listing = store().listings.queue_page(pipeline, ranking, 1, with_text=True)
    pipeline.execute()
    groups: list[Group] = check_known((name,), stored.result) if stored else []
    title = " – ".join([*(group.title for group in groups), str(PERIOD_TITLES[period])])
    items = tuple(article_item(row) for row in listing.result.rows)
    return feed_response(Feed(title, path, items, query=f"?of={period}"), format)
