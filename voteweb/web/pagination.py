"""List pages: any of them takes one round trip for a reader, and one or two for a member."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from flask import render_template, request

from voteweb.core import config, permissions
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Article, Page
from voteweb.core.my_site import HiddenKind
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema.rankings import Ranking
from voteweb.web import my_site, rate_limits
from voteweb.web.auth.login import named_voter, queue_viewer
from voteweb.web.caching import shared_pages
from voteweb.web.context import store
from voteweb.web.own_marks import queue_marks, read_marks
from voteweb.web.responses import RenderedPage

T = TypeVar("T")
#: Queues a read on the pipeline of the page.
QueueQuery = Callable[[Pipeline], Future[Any]]


def page_number() -> int:
    """Return the page number in the address, 1 if there is none; raise NoSuchPage if it is not a positive number."""
    # Most addresses have no query; parsing it takes 3 % of an article's page.
    number = request.args.get("page", "1") if request.query_string else "1"
    if not (number.isascii() and number.isdigit() and len(number) <= config.MAX_PAGE_DIGITS and number[0] != "0"):
        raise NoSuchPage()
    return int(number)


def render_list(
    template: str,
    ranking: Ranking,
    *,
    check: Callable[[dict[str, Any]], None] = lambda results: None,
    shown: str = "",
    is_shared: bool = True,
    queries: dict[str, QueueQuery] | None = None,
    moderator_queries: dict[str, QueueQuery] | None = None,
    finish: Callable[[dict[str, Any], tuple[Article, ...]], None] = lambda results, rows: None,
    **context: Any,
) -> RenderedPage:
    """Return *template* rendered with ``page``, the page of *ranking* that the address asks for.

    The results of *queries*, which share the round trip, are passed to the template by name; *check* gets them first
    and may change them or raise an error. Those of *moderator_queries* share the second round trip of a moderator;
    nobody else has them. Rows that the viewer hides are left out, but for what the entry *shown* hides on other pages.
    *finish* gets all results and the rows of the page, and may change the results. *is_shared*: the page looks alike
    for members who did nothing here, so that they may get one that was made for all of them.
    """
    context["in_group"] = shown[1:] if shown.startswith(HiddenKind.GROUP) else ""
    number, asked, site = page_number(), shared_pages.clock(), store()
    pipeline = site.pipeline()
    viewer = queue_viewer(pipeline)
    futures = {name: query(pipeline) for name, query in (queries or {}).items()}
    hit = rate_limits.combination_hit() if ranking.combines else None
    listing = site.listings.queue_page(pipeline, ranking, number, hit=hit)
    queued = queue_marks(pipeline, site.listings.recent_ids(ranking, number), named_voter())
    pipeline.execute()
    results = {name: future.result for name, future in futures.items()}
    check(results)
    page, more = check_page_exists(listing.result), site.pipeline()
    may_moderate = permissions.may_moderate(viewer.result)
    futures = {name: query(more) for name, query in (moderator_queries or {}).items() if may_moderate}
    marks = read_marks(page.rows, viewer.result, queued, more)
    results |= {name: future.result for name, future in futures.items()}
    if is_shared and shared_pages.may_keep(viewer.result, shown):
        finish(results, page.rows)
        context |= {**results, "page": replace(page, rows=())}
        return shared_pages.render_list(asked, template, page.rows, marks.by_id, shown, **context)
    page = my_site.without_hidden(replace(page, rows=marks.on(page.rows)), shown)
    finish(results, page.rows)
    return render_template(template, page=page, all_groups=marks.group_names, **results, **context)


def check_page_exists(page: Page[T]) -> Page[T]:
    """Return *page*; raise NoSuchPage when it is past the end of its list."""
    if page.number > 1 and page.first_rank > page.total:
        raise NoSuchPage()
    return page
