"""List pages: any of them takes one round trip for a reader, and one or two for a member."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from flask import render_template

from voteweb.core import permissions
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Article, Order, Page, User
from voteweb.core.my_site import HiddenKind
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema.rankings import Ranking
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.web.auth.login import named_voter, queue_viewer
from voteweb.web.base.context import store
from voteweb.web.base.responses import RenderedPage
from voteweb.web.base.urls import page_number, unix_time
from voteweb.web.caching import own_marks, shared_pages
from voteweb.web.caching.own_marks import queue_marks, read_marks
from voteweb.web.requests.rate_limits import combination_hits

T = TypeVar("T")
Rows = tuple[Article, ...]
#: Values for the template by name, and reads of such values.
Results = dict[str, Any]
Reads = dict[str, Future[Any]]


class ListPage:
    """The page of a ranking that the address asks for: its reads, and the template that shows them.

    A list that shows more than articles overrides methods. The lane reads a page that is kept again, for any member who
    shares it, by ``queue``, ``check`` and ``finish``: the other methods are for the viewer who asked the view.
    """

    template = "lists/list.html"
    #: Whether the page looks alike for members who did nothing here, so that they may get one made for all of them.
    is_shared = True

    def __init__(self, ranking: Ranking, *, shown: str = "", **context: Any) -> None:
        """Show the rows of *ranking*, and *context*; *shown* is the entry that hides these rows on other pages only."""
        # All readers share the second page until the next article is posted.
        newest = unix_time("from") if ranking.order is Order.TIME else ""
        self.ranking, self.number, self.shown = replace(ranking, newest=newest), page_number(), shown
        in_group = shown[1:] if shown.startswith(HiddenKind.GROUP) else ""
        self.context = {**context, "in_group": in_group, "is_past": bool(newest)}

    def queue(self, pipeline: Pipeline) -> Reads:
        """Queue what the template shows besides the rows, the same for all viewers."""
        return {}

    def queue_for_viewer(self, pipeline: Pipeline) -> None:
        """Queue what must be known of the viewer, whom the pipeline has read before."""

    def queue_for_moderator(self, pipeline: Pipeline) -> Reads:
        """Queue what the template shows to moderators, in their second round trip."""
        return {}

    def instead(self, viewer: User | None) -> RenderedPage | None:
        """Return the page that *viewer* gets in place of this one, None for this one."""
        return None

    def check(self, results: Results) -> None:
        """Raise an error if there is no such list; *results* may be changed."""

    def finish(self, results: Results, rows: Rows) -> None:
        """Change *results*, which have all that was read, by the *rows* of the page."""

    def render(self) -> RenderedPage:
        """Return the page for the viewer."""
        asked, site = shared_pages.clock(), store()
        pipeline = site.pipeline()
        queued_viewer = queue_viewer(pipeline)
        self.queue_for_viewer(pipeline)
        read = self._queue_page(pipeline, combination_hits() if self.ranking.combines else ())
        queued_marks = queue_marks(pipeline, site.listings.recent_ids(self.ranking, self.number), named_voter())
        pipeline.execute()
        viewer = queued_viewer.result
        if (other := self.instead(viewer)) is not None:
            return other
        page, results = read()
        more = site.pipeline()
        for_moderator = self.queue_for_moderator(more) if permissions.may_moderate(viewer) else {}
        marks = read_marks(page.rows, viewer, queued_marks, more)
        results |= {name: future.result for name, future in for_moderator.items()}
        if self.is_shared and shared_pages.may_keep(viewer, self.shown):
            rows, context = self._split(page, results)
            read_again = None if self.ranking.combines else self.queue_again  # a combination counts against a limit
            return shared_pages.render_list(asked, self.template, rows, marks.by_id, self.shown, read_again, **context)
        page = own_marks.without_hidden(replace(page, rows=marks.on(page.rows)), self.shown)
        self.finish(results, page.rows)
        return render_template(self.template, page=page, all_groups=marks.group_names, **results, **self.context)

    def queue_again(self, pipeline: Pipeline) -> Callable[[], tuple[Rows, Results]]:
        """Queue a read of rows and context for any member who shares the list."""
        read = self._queue_page(pipeline)
        return lambda: self._split(*read())

    def _queue_page(
        self, pipeline: Pipeline, hits: Sequence[RateLimitHit] = ()
    ) -> Callable[[], tuple[Page[Article], Results]]:
        """Queue a read of the page; the returned function gives it, checked, and the results of :meth:`queue`."""
        reads = self.queue(pipeline)
        page = store().listings.queue_page(pipeline, self.ranking, self.number, hits=hits)

        def read() -> tuple[Page[Article], Results]:
            results = {name: future.result for name, future in reads.items()}
            self.check(results)
            return check_page_exists(page.result), results

        return read

    def _split(self, page: Page[Article], results: Results) -> tuple[Rows, Results]:
        """Return the rows of *page*, and the context for the template without them."""
        self.finish(results, page.rows)
        return page.rows, {**self.context, **results, "page": replace(page, rows=())}


def check_page_exists(page: Page[T]) -> Page[T]:
    """Return *page*; raise NoSuchPage when it is past the end of its list."""
    if page.number > 1 and page.first_rank > page.total:
        raise NoSuchPage()
    return page
