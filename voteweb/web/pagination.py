"""List pages: any of them takes one round trip for a reader, and one or two for a member."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from flask import render_template, request

from voteweb.core import config, permissions
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Article, Page, User
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.rankings import Ranking
from voteweb.store.votes import mark_voted
from voteweb.web import my_site, rate_limits
from voteweb.web.auth.login import page_pipeline, queue_viewer, session_member_name, session_user_id
from voteweb.web.context import settings, store

T = TypeVar("T")
#: Queues a read on the pipeline of the page.
QueueQuery = Callable[[Pipeline], Future[Any]]


def page_number() -> int:
    """Return the page number in the address, 1 if there is none; raise NoSuchPage if it is not a positive number."""
    number = request.args.get("page", "1")
    if not (number.isascii() and number.isdigit() and len(number) <= config.MAX_PAGE_DIGITS and number[0] != "0"):
        raise NoSuchPage()
    return int(number)


def render_list(
    template: str,
    ranking: Ranking,
    *,
    check: Callable[[dict[str, Any]], None] = lambda results: None,
    shown: str = "",
    queries: dict[str, QueueQuery] | None = None,
    moderator_queries: dict[str, QueueQuery] | None = None,
    finish: Callable[[dict[str, Any], tuple[Article, ...]], None] = lambda results, rows: None,
    **context: Any,
) -> str:
    """Return *template* rendered with ``page``, the page of *ranking* that the address asks for.

    The results of *queries*, which share the round trip, are passed to the template by name; *check* gets them first
    and may raise an error. Those of *moderator_queries* share the second round trip of a moderator; nobody else has
    them. Rows that the viewer hides are left out, but for what the entry *shown* hides on other pages. *finish* gets
    all results and the rows of the page, and may change the results.
    """
    number = page_number()
    pipeline = page_pipeline()
    viewer = queue_viewer(pipeline)
    futures = {name: query(pipeline) for name, query in (queries or {}).items()}
    listing = store().listings.queue_page(pipeline, ranking, number, hit=rate_limits.combination_hit())
    ids = store().listings.recent_ids(ranking, number)
    own_votes, new_counts = queue_own_votes(pipeline, ids), queue_new_counts(pipeline, ids)
    own_saves = my_site.queue_saves(pipeline, ids)
    pipeline.execute()
    results = {name: future.result for name, future in futures.items()}
    check(results)
    page = check_page_exists(listing.result)
    more = store().pipeline()
    may_moderate = permissions.may_moderate(viewer.result)
    futures = {name: query(more) for name, query in (moderator_queries or {}).items() if may_moderate}
    rows, group_names = with_viewer_votes(
        page.rows, viewer.result, own_votes.result, more, new_counts=new_counts.result, own_saves=own_saves.result
    )
    page = my_site.without_hidden(replace(page, rows=rows), shown)
    results |= {name: future.result for name, future in futures.items()}
    finish(results, page.rows)
    return render_template(template, page=page, all_groups=group_names, **results, **context)


def check_page_exists(page: Page[T]) -> Page[T]:
    """Return *page*; raise NoSuchPage when it is past the end of its list."""
    if page.number > 1 and page.first_rank > page.total:
        raise NoSuchPage()
    return page


def queue_own_votes(pipeline: Pipeline, ids: Sequence[int]) -> Future[dict[int, bool]]:
    """Queue a read of which articles *ids* the viewer has voted for, before the viewer is known to be logged in."""
    user_id = session_user_id()
    return store().votes.queue_own_votes(pipeline, ids if user_id else (), user_id)


def queue_new_counts(pipeline: Pipeline, ids: Sequence[int]) -> Future[dict[int, int]]:
    """Queue a count of the comments on articles *ids* that the viewer, who may be logged in, has not seen."""
    name = session_member_name() if ids and settings().comments else ""
    return store().threads.queue_new_counts(pipeline, ids if name else (), name)


def with_viewer_votes(
    articles: tuple[Article, ...],
    viewer: User | None,
    own_votes: Mapping[int, bool] | None = None,
    pipeline: Pipeline | None = None,
    *,
    new_counts: Mapping[int, int] | None = None,
    own_saves: Mapping[int, bool] | None = None,
) -> tuple[tuple[Article, ...], tuple[str, ...]]:
    """Return *articles* with the votes of *viewer* marked and, for a moderator, the names of all groups.

    What the viewer saved is marked too, and what the viewer hides is known afterwards (:func:`my_site.choice`).
    *own_votes*, *new_counts* and *own_saves* are those read already, all for the same articles. The articles of a list
    also have the number of comments that *viewer* has not seen; without *new_counts* that is not read. Takes one round
    trip for what is missing and what is queued on *pipeline*, none for a reader.
    """
    if viewer is None:
        return articles, ()
    known = own_votes or {}
    pipeline = pipeline or store().pipeline()
    missing = [article.id for article in articles if article.id not in known]
    more = store().votes.queue_own_votes(pipeline, missing, viewer.id)
    more_new = queue_new_counts(pipeline, missing if new_counts is not None else ())
    names = store().groups.queue_names(pipeline) if permissions.may_moderate(viewer) else None
    my_site.queue_choice(pipeline, viewer)
    unknown = [article.id for article in articles if article.id not in (own_saves or {})] if viewer.my else []
    more_saves = store().own_lists.queue_own_saves(pipeline, unknown, viewer.name)
    pipeline.execute()
    votes, new = {**known, **more.result}, {**(new_counts or {}), **more_new.result}
    saves = {**(own_saves or {}), **more_saves.result}
    return mark_saved(mark_new(mark_voted(articles, votes), new), saves), names.result if names else ()


def mark_saved(articles: tuple[Article, ...], saves: Mapping[int, bool]) -> tuple[Article, ...]:
    """Return *articles*, with ``saved`` set on those that the viewer has saved."""
    if not any(saves.values()):
        return articles
    return tuple(replace(row, saved=True) if saves.get(row.id) else row for row in articles)


def mark_new(articles: tuple[Article, ...], new_counts: Mapping[int, int]) -> tuple[Article, ...]:
    """Return *articles*, with ``new`` set on those with comments that the viewer has not seen."""
    if not new_counts:
        return articles
    return tuple(replace(row, new=new_counts[row.id]) if new_counts.get(row.id) else row for row in articles)
