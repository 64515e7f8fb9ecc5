"""Search: the page with the results of a query, as the viewer sees them, and the feed of its newest results."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config
from voteweb.core.comments import ListedComment
from voteweb.core.errors import NoSuchGroup, NoSuchMember, TooFast, VotewebError
from voteweb.core.models import Article, Page
from voteweb.core.rate_limits import SEARCH
from voteweb.search import grammar
from voteweb.search.errors import NoFullTextSearch, SearchError, SearchTooSlow
from voteweb.search.grammar import Query
from voteweb.search.index import SearchIndex
from voteweb.search.models import Kind, Order
from voteweb.store.connection.pipeline import Pipeline
from voteweb.web import rate_limits, search_limits, search_links, search_results
from voteweb.web.auth.login import named_voter, queue_viewer
from voteweb.web.comment_feeds import comment_item
from voteweb.web.context import search_index, store
from voteweb.web.feeds import Feed, article_item, feed_language, feed_response
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import page_number
from voteweb.web.responses import wants_json
from voteweb.web.search_results import Search

blueprint = Blueprint("search", __name__)


@blueprint.get("/search")
def show() -> ResponseReturnValue:
    """Show the results of the query ``q``, or how to search; ``within`` are terms that a form adds to it."""
    index, query, order = _index(), _query(), _order()
    context: dict[str, Any] = {"query": query, "order": order}
    if query.is_empty:
        return render_template("search/index.html", **context)
    try:
        results = _results(index, Search(query, order, page_number()))
    except (SearchError, TooFast) as error:
        if wants_json():
            raise
        return _refuse(error, context)
    return render_template("search/index.html", **context, **results)


def _refuse(error: SearchError | TooFast, context: dict[str, Any]) -> ResponseReturnValue:
    """Return the page that says why a search was not made, with the form that keeps what was typed."""
    headers = {}
    if isinstance(error, TooFast):
        rate_limits.record_exceeded(error)
    elif error.status == SearchError.status:
        headers["Retry-After"] = str(error.retry_after)
    return render_template("search/index.html", **context, refusal=error), error.status, headers


def _index() -> SearchIndex:
    index = search_index()
    if index is None:
        abort(404, _(NoFullTextSearch.template))
    return index


def _query() -> Query:
    typed = " ".join(filter(None, (request.args.get(name, "").strip() for name in ("q", "within"))))
    # Twice the limit: what is too long is refused with a message, and not cut silently.
    return grammar.parse(typed[: 2 * config.MAX_QUERY_LENGTH])


def _order() -> Order:
    sort = request.args.get("sort", "")
    if sort == "score":  # as in links to earlier versions
        return Order.VOTES
    return Order(sort) if sort in set(Order) else Order.RELEVANCE


def _results(index: SearchIndex, search: Search) -> dict[str, Any]:
    """Return what the page of results is rendered with; raises TooFast, NoSuchPage and the errors of the index."""
    hit = search_limits.viewer_hit()
    search_limits.check_not_refused(hit)
    with search_limits.counting_failures(hit):
        matches = search_results.find(index, search)
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    search_limits.queue_count(pipeline, hit)
    votes, names = search_results.queue_votes(pipeline, matches), search.query.group_names
    resolved = store().groups.queue_resolve_each(pipeline, names)
    if votes or names:
        pipeline.execute()
        search_limits.check_counted(hit)
    if names and (query := search.query.with_groups(resolved.result)) != search.query:
        # A second name of a group, which the index does not know.
        search = search._replace(query=query)
        matches = search_results.find(index, search)
        votes = search_results.queue_votes(pipeline, matches)
        pipeline.execute()
    ids, unknown = search_results.page_ids(matches, votes), _queue_unknown(pipeline, search.query)
    page: Page[Article] | Page[ListedComment]
    if matches.kind is Kind.ARTICLES:
        articles, own = search_results.queue_articles(pipeline, matches, ids, named_voter())
        pipeline.execute()
        search_limits.check_counted(hit)
        page, group_names = search_results.as_seen(articles(), viewer.result, own)
    else:
        comments = search_results.queue_comments(pipeline, matches, ids)
        pipeline.execute()
        search_limits.check_counted(hit)
        page, group_names = comments(), ()
    return {
        "page": page,
        "all_groups": group_names,
        "matches": matches,
        "unknown": () if page.total else unknown(),
        "links": search_links.make(search.query, matches, page),
    }


def _queue_unknown(pipeline: Pipeline, query: Query) -> Callable[[], list[VotewebError]]:
    """Queue a read of the groups and members that *query* names; the result says which there are not.

    Imported articles are in no account's name: what has results is not asked about.
    """
    groups, members = (
        [term.tokens[0][1:] for part in query.parts for term in part.terms if term.field == field]
        for field in ("group", "by")
    )
    read_groups = store().groups.queue_get(pipeline, groups)
    read_members = [store().users.queue_get(pipeline, name) for name in members]

    def errors() -> list[VotewebError]:
        no_groups = [name for name, group in zip(groups, read_groups.result, strict=True) if group is None]
        no_members = [name for name, member in zip(members, read_members, strict=True) if member.result is None]
        return [*(NoSuchGroup(names=name) for name in no_groups), *(NoSuchMember(name=name) for name in no_members)]

    return errors


@blueprint.get("/search.<any(atom, json):format>")
@feed_language
def feed(format: str) -> Response:
    """Return the newest results of the query ``q``."""
    index, query, hit = _index(), _query(), rate_limits.address_hit(SEARCH)
    if query.is_empty:
        abort(404, _("The address of this feed has no words to search for."))
    search_limits.check_not_refused(hit)
    if names := query.group_names:
        resolved = store().read(store().groups.queue_resolve_each, names)
        query = query.with_groups(resolved)
    try:
        with search_limits.counting_failures(hit):
            matches = search_results.find_newest(index, query)
    except SearchTooSlow as error:
        abort(422, error_message(error))
    pipeline = store().pipeline()
    search_limits.queue_count(pipeline, hit)
    if matches.kind is Kind.ARTICLES:
        articles, _own = search_results.queue_articles(pipeline, matches, matches.found.ids, None)
        pipeline.execute()
        items = tuple(map(article_item, articles().rows))
    else:
        comments = search_results.queue_comments(pipeline, matches, matches.found.ids)
        pipeline.execute()
        items = tuple(map(comment_item, comments().rows))
    search_limits.check_counted(hit)
    title = _("Search for “%(query)s”", query=query.text)
    return feed_response(
        Feed(title, "/search", items, query=f"?{search_links.parameters(query.text)}", is_dated=False), format
    )
