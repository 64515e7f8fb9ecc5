"""List pages: any of them takes one round trip for a reader, and one or two for a member."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from flask import render_template, request

from voteweb.core import permissions
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Article, Page
from voteweb.core.my_site import HiddenKind
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema.rankings import Ranking
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.web import own_marks
from voteweb.web.auth.login import named_voter, queue_viewer
from voteweb.web.caching import shared_pages
from voteweb.web.context import store
from voteweb.web.own_marks import queue_marks, read_marks
from voteweb.web.rate_limits import combination_hits
from voteweb.web.responses import RenderedPage
from voteweb.web.urls import page_number

T = TypeVar("T")
#: Queues a read on the pipeline of the page.
QueueQuery = Callable[[Pipeline], Future[Any]]
_TIME = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")
_NO_QUERIES: Mapping[str, QueueQuery] = {}


def time_before() -> str:
    """Return the unix time in the address from which to look further back, "" for none; raise NoSuchPage if it is none.

    It is spelled as Redis returns it.
    """
    before = request.args.get("before", "")
    if before and not _TIME.fullmatch(before):
        raise NoSuchPage()
    return before


class _List(NamedTuple):
    """The reads of a page of a list that are the same for all viewers (see :func:`render_list`)."""

    ranking: Ranking
    number: int
    queries: Mapping[str, QueueQuery]
    check: Callable[[dict[str, Any]], None]
    finish: Callable[[dict[str, Any], tuple[Article, ...]], None]
    context: dict[str, Any]

    def queue(
        self,
        pipeline: Pipeline,
        viewer_queries: Mapping[str, QueueQuery] = _NO_QUERIES,
        hits: Sequence[RateLimitHit] = (),
    ) -> Callable[[], tuple[Page[Article], dict[str, Any]]]:
        """Queue a read of the page. The returned function gives it, checked, and the results of all queries by name."""
        futures = {name: query(pipeline) for name, query in {**self.queries, **viewer_queries}.items()}
        listing = store().listings.queue_page(pipeline, self.ranking, self.number, hits=hits)

        def finish_read() -> tuple[Page[Article], dict[str, Any]]:
            results = {name: future.result for name, future in futures.items()}
            self.check(results)
            return check_page_exists(listing.result), results

        return finish_read

    def queue_again(self, pipeline: Pipeline) -> Callable[[], tuple[tuple[Article, ...], dict[str, Any]]]:
        """Queue a read of rows and context for any member who shares the list."""
        read = self.queue(pipeline)
        return lambda: self.split(*read())

    def split(self, page: Page[Article], results: dict[str, Any]) -> tuple[tuple[Article, ...], dict[str, Any]]:
        """Return the rows of *page*, and the context for the template without them."""
        self.finish(results, page.rows)
        return page.rows, {**self.context, **results, "page": replace(page, rows=())}


def render_list(
    template: str,
    ranking: Ranking,
    *,
    check: Callable[[dict[str, Any]], None] = lambda results: None,
    shown: str = "",
    is_shared: bool = True,
    queries: Mapping[str, QueueQuery] = _NO_QUERIES,
    viewer_queries: Mapping[str, QueueQuery] = _NO_QUERIES,
    moderator_queries: Mapping[str, QueueQuery] = _NO_QUERIES,
    finish: Callable[[dict[str, Any], tuple[Article, ...]], None] = lambda results, rows: None,
    **context: Any,
) -> RenderedPage:
    """Return *template* rendered with ``page``, the page of *ranking* that the address asks for.

    The results of *queries*, which share the round trip, are passed to the template by name; *check* gets them first
    and may change them or raise an error. It must take out the results of *viewer_queries*: they are this viewer's, and
    are not read when the list is read again for others. Those of *moderator_queries* share the second round trip of a
    moderator; nobody else has them. Rows that the viewer hides are left out, but for what the entry *shown* hides on
    other pages. *finish* gets all results and the rows of the page, and may change the results. *is_shared*: the page
    looks alike for members who did nothing here, so that they may get one that was made for all of them.
    """
    context["in_group"] = shown[1:] if shown.startswith(HiddenKind.GROUP) else ""
    listed = _List(ranking, page_number(), queries, check, finish, context)
    asked, site = shared_pages.clock(), store()
    pipeline = site.pipeline()
    viewer = queue_viewer(pipeline)
    finish_read = listed.queue(pipeline, viewer_queries, combination_hits() if ranking.combines else ())
    queued = queue_marks(pipeline, site.listings.recent_ids(ranking, listed.number), named_voter())
    pipeline.execute()
    page, results = finish_read()
    more, may_moderate = site.pipeline(), permissions.may_moderate(viewer.result)
    futures = {name: query(more) for name, query in moderator_queries.items() if may_moderate}
    marks = read_marks(page.rows, viewer.result, queued, more)
    results |= {name: future.result for name, future in futures.items()}
    if is_shared and shared_pages.may_keep(viewer.result, shown):
        read_again = None if ranking.combines else listed.queue_again  # a combination counts against a limit
        rows, context = listed.split(page, results)
        return shared_pages.render_list(asked, template, rows, marks.by_id, shown, read_again, **context)
    page = own_marks.without_hidden(replace(page, rows=marks.on(page.rows)), shown)
    finish(results, page.rows)
    return render_template(template, page=page, all_groups=marks.group_names, **results, **context)


def check_page_exists(page: Page[T]) -> Page[T]:
    """Return *page*; raise NoSuchPage when it is past the end of its list."""
    if page.number > 1 and page.first_rank > page.total:
        raise NoSuchPage()
    return page
