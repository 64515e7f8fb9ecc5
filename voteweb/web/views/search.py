"""Search: the page with the results of a query, as the viewer sees them, and the feed of its newest results."""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext as _l

from voteweb.core import config
from voteweb.core.comments import ListedComment
from voteweb.core.errors import NoSuchGroup, NoSuchMember, TooFast, VotewebError
from voteweb.core.markup import trusted
from voteweb.core.models import Article, Page, User
from voteweb.core.rate_limits import SEARCH
from voteweb.search import grammar
from voteweb.search.grammar import Query
from voteweb.search.index import SearchIndex
from voteweb.search.models import Kind, NoFullTextSearch, Order, SearchError, SearchTooSlow
from voteweb.search.suggestions import exactly
from voteweb.store.connection.pipeline import Pipeline
from voteweb.web.auth.login import named_voter, queue_viewer
from voteweb.web.base.context import now, search_index, store
from voteweb.web.base.responses import wants_json, xml
from voteweb.web.base.urls import page_number
from voteweb.web.i18n.formatting import error_message, format_number
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages import search_results
from voteweb.web.pages.feeds import Feed, article_items, comment_item, serve_feed
from voteweb.web.pages.search_results import Matches, Search
from voteweb.web.requests import rate_limits

blueprint = Blueprint("search", __name__)
ORDER_NAMES = {Order.RELEVANCE: _l("Relevance"), Order.NEW: _l("Newest"), Order.VOTES: _l("Most votes")}
KIND_NAMES = {Kind.ARTICLES: _l("Articles"), Kind.COMMENTS: _l("Comments")}
#: Groups and people that are offered at most.
_MAX_OFFERED = 5
#: Results from which on a search can be narrowed.
_MIN_NARROWED = 5
#: The fields that limit a search.
_LIMITING = ("group", "by", "domain", "after", "before")


@blueprint.get("/search")
def show() -> ResponseReturnValue:
    """Show the results of the query ``q``, or how to search; ``within`` are terms that a form adds to it."""
    index, query, order = require_index(), typed_query(), _order()
    context: dict[str, Any] = {"query": query, "order": order}
    if query.is_empty:
        return render_template("search/index.html", **context)
    try:
        results = read_results(index, Search(query, order, page_number()))
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


def require_index() -> SearchIndex:
    index = search_index()
    if index is None:
        abort(404, _(NoFullTextSearch.template))
    return index


def typed_query() -> Query:
    typed = " ".join(filter(None, (request.args.get(name, "").strip() for name in ("q", "within"))))
    # Twice the limit: what is too long is refused with a message, and not cut silently.
    return grammar.parse(typed[: 2 * config.MAX_QUERY_LENGTH])


def _order() -> Order:
    sort = request.args.get("sort", "")
    if sort == "score":  # as in links to earlier versions
        return Order.VOTES
    return Order(sort) if sort in set(Order) else Order.RELEVANCE


def read_results(
    index: SearchIndex, search: Search, check: Callable[[User | None], User | None] = lambda viewer: viewer
) -> dict[str, Any]:
    """Return what the page of results is rendered with, for the viewer whom *check* returns.

    Raises TooFast, NoSuchPage and the errors of the index.
    """
    hits, voter = search_results.viewer_hits(), named_voter()
    rate_limits.check_not_refused(hits)
    with search_results.counting_failures(hits):
        matches = search_results.find(index, search)
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    pipeline.then(lambda: search_results.note_viewer(viewer.result, voter))
    search_results.queue_count(pipeline, hits)
    votes, names = search_results.queue_votes(pipeline, matches), search.query.group_names
    resolved = store().groups.queue_resolve_each(pipeline, names)
    if votes or names:
        pipeline.execute()
        rate_limits.check_counted(hits)
    if names and (query := search.query.with_groups(resolved.result)) != search.query:
        # A second name of a group, which the index does not know.
        search = search._replace(query=query)
        matches = search_results.find(index, search)
        votes = search_results.queue_votes(pipeline, matches)
        pipeline.execute()
    ids, unknown = search_results.page_ids(matches, votes), _queue_unknown(pipeline, search.query)
    page, own = search_results.read_page(pipeline, matches, ids, hits, voter)
    reader = check(viewer.result)
    group_names: tuple[str, ...] = ()
    if matches.kind is Kind.ARTICLES:
        page, group_names = search_results.as_seen(page, reader, own)
    return {
        "page": page,
        "viewer": reader,
        "all_groups": group_names,
        "matches": matches,
        "unknown": () if page.total else unknown(),
        "links": _make_links(search.query, matches, page),
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


@serve_feed(blueprint, "/search")
def feed() -> Feed:
    """Return the newest results of the query ``q``."""
    index, query, hits = require_index(), typed_query(), rate_limits.address_hits(SEARCH)
    if query.is_empty:
        abort(404, _("The address of this feed has no words to search for."))
    rate_limits.check_not_refused(hits)
    if names := query.group_names:
        resolved = store().read(store().groups.queue_resolve_each, names)
        query = query.with_groups(resolved)
    try:
        with search_results.counting_failures(hits):
            matches = search_results.find_newest(index, query)
    except SearchTooSlow as error:
        abort(422, error_message(error))
    pipeline = store().pipeline()
    search_results.queue_count(pipeline, hits)
    page, _own = search_results.read_page(pipeline, matches, matches.found.ids, hits)
    items = article_items(page.rows) if matches.kind is Kind.ARTICLES else tuple(map(comment_item, page.rows))
    title = _("Search for “%(query)s”", query=query.text)
    return Feed(title, "/search", items, query=f"?{_parameters(query.text)}", is_dated=False)


@blueprint.get("/opensearch.xml")
def describe() -> Response:
    """Return the description by which browsers offer the search of the site."""
    require_index()
    return xml("search/opensearch.xml", "application/opensearchdescription+xml", config.ICON_SECONDS)


class _Link(NamedTuple):
    """A link to another search, or to this one."""

    address: str
    label: str


def _make_links(typed: Query, matches: Matches, page: Page[Article] | Page[ListedComment]) -> dict[str, Any]:
    """Return the links of *page* by name, to searches for what was *typed*, or for the corrected words.

    ``typed`` finds only the words that were typed, all of them. ``kind`` and ``order`` are the addresses of those of
    ``kinds`` and ``orders`` that lead to this search. ``limits`` are limits of the query, each with the address of the
    search without it. ``parameters`` are those of this search, encoded; ``feed`` is the query of its feed.
    """
    search, order = matches.search, matches.search.order
    query = typed if search.query.prefixes > typed.prefixes else search.query
    can_narrow = page.total >= _MIN_NARROWED
    used = {part.field for part in query.parts}
    groups, people = _names(page.rows)
    # A feed without a kind has articles.
    feed = query.text if matches.kind is (query.kind or Kind.ARTICLES) else query.with_term(f"in:{matches.kind}")
    return {
        "typed": _Link(_address(exactly(typed).text, order), typed.text),
        "kind": _kind_address(query, order, matches.kind),
        "kinds": tuple(_kind_link(query, order, kind, matches) for kind in Kind if matches.totals.get(kind)),
        "order": _address(query.text, order),
        "orders": tuple(_Link(_address(query.text, one), str(ORDER_NAMES[one])) for one in Order),
        "limits": tuple(
            _Link(_address(query.without_field(part.field), order), part.text)
            for part in query.parts
            if part.field in _LIMITING and not part.is_excluded
        ),
        "groups": _offer(query, order, "group", groups, page.total) if can_narrow and "group" not in used else (),
        "people": _offer(query, order, "by", people, page.total) if can_narrow and "by" not in used else (),
        "times": _times(query, order) if can_narrow and not used & {"after", "before"} else (),
        "parameters": _parameters(query.text, order),
        "feed": f"?{_parameters(feed)}",
    }


def _address(typed: str, order: Order) -> str:
    return f"/search?{_parameters(typed, order)}"


def _parameters(typed: str, order: Order = Order.RELEVANCE) -> str:
    """Return the parameters of the address of a search, encoded."""
    return urlencode({"q": typed} | ({} if order is Order.RELEVANCE else {"sort": order.value}), errors="replace")


def _kind_link(query: Query, order: Order, kind: Kind, matches: Matches) -> _Link:
    total = matches.totals[kind]
    count = format_number(total) if total <= config.MAX_COUNTED else f"{format_number(config.MAX_COUNTED)}+"
    label = trusted('%s&nbsp;<span class="count">%s</span>') % (KIND_NAMES[kind], count)
    return _Link(_kind_address(query, order, kind), label)


def _kind_address(query: Query, order: Order, kind: Kind) -> str:
    return _address(query.with_term(f"in:{kind}"), order)


def _names(rows: Iterable[Article | ListedComment]) -> tuple[Counter[str], Counter[str]]:
    """Return how many of *rows* are in each group, and by each poster or author."""
    groups: Counter[str] = Counter()
    people: Counter[str] = Counter()
    for row in rows:
        if isinstance(row, Article):
            groups.update(row.groups)
        people[row.poster if isinstance(row, Article) else row.node.author] += 1
    return groups, people


def _offer(query: Query, order: Order, field: str, names: Counter[str], total: int) -> tuple[_Link, ...]:
    """Return links to the most frequent *names* that more than one result has, and not all of them."""
    wanted = [name for name, count in names.most_common() if 1 < count < total and name]
    return tuple(_Link(_address(query.with_term(f"{field}:{name}"), order), name) for name in wanted[:_MAX_OFFERED])


def _times(query: Query, order: Order) -> tuple[_Link, ...]:
    today = datetime.fromtimestamp(now(), UTC).date()
    spans = ((_("this week"), 7), (_("this month"), 30), (_("this year"), 365))
    return tuple(
        _Link(_address(query.with_term(f"after:{today - timedelta(days)}"), order), label) for label, days in spans
    )
