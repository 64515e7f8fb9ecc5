"""Results of searches: the index finds ids, and one round trip reads what they stand for, as the viewer sees it.

The index may be a moment behind: more ids than a page has rows are read, so that it is full without others.

A search is counted against its rate limit in the round trip that reads its results, after the index was asked. A
process asks no index for those of whom it remembers that they were refused.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar, cast

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import NoSuchPage
from voteweb.core.models import Article, Page, User, Voter
from voteweb.core.ranking import relevance
from voteweb.core.rate_limits import SEARCH
from voteweb.core.search_documents import DocumentId
from voteweb.search.grammar import Query
from voteweb.search.health import MAX_AGE
from voteweb.search.index import SearchIndex
from voteweb.search.models import Found, Kind, Order, SearchError
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.web.auth import bearer
from voteweb.web.auth.login import named_voter
from voteweb.web.base.context import now, settings, store
from voteweb.web.caching import own_marks
from voteweb.web.caching.own_marks import QueuedMarks, queue_marks, read_marks
from voteweb.web.pages.pagination import check_page_exists
from voteweb.web.requests import rate_limits

T = TypeVar("T")
#: Ids that are read besides those of a page.
_SPARE = 27


class Search(NamedTuple):
    """A query that can be answered, the order of its results and the number of their page."""

    query: Query
    order: Order
    number: int


class Matches(NamedTuple):
    """The results of one kind that the index has for the page of a search, and how many each kind has.

    The query of ``search`` is a similar one if what was typed finds little: ``as_typed`` are the few results that it
    finds, which come first, else None. A kind whose results cannot be counted now is not in ``totals``. ``updated`` is
    the unix time of an index that is behind, else 0.
    """

    search: Search
    kind: Kind
    found: Found
    totals: dict[Kind, int]
    updated: float
    as_typed: tuple[DocumentId, ...] | None = None


def find(index: SearchIndex, search: Search) -> Matches:
    """Return what *index* knows of the page of a search, or of a similar query where this one finds little.

    Articles come first unless the query names a kind. Raises the errors of the index, and NoSuchPage.
    """
    if _first(search) >= config.MAX_COUNTED:
        raise NoSuchPage()
    matches = _find_kinds(index, search, _kind(search.query))
    if matches.totals[matches.kind] < config.FEW_MATCHES:
        with suppress(SearchError):
            as_typed = matches.found.ids
            for kind in [matches.kind] if as_typed or search.query.kind else _kinds():
                if other := index.suggest(search.query, kind, len(as_typed)):
                    return _find_kinds(index, search._replace(query=other), kind)._replace(as_typed=as_typed)
    return matches


def _find_kinds(index: SearchIndex, search: Search, kind: Kind) -> Matches:
    """Return what *index* knows of the page of a search, and how many results of each kind there are."""
    query, kinds = search.query, _kinds()
    found = _find(index, search, kind)
    checked = index.state().checked
    totals = {kind: found.total}
    for other in kinds:
        if other is not kind:
            try:
                totals[other] = index.find(query, other, Order.NEW, 0).total
            except SearchError:
                if not found.total and query.kind is None:
                    raise  # nobody knows whether there are results
    if not found.total and query.kind is None and totals.get(Kind.COMMENTS):
        kind = Kind.COMMENTS
        found = _find(index, search, kind)
    return Matches(search, kind, found, totals, checked if now() - checked > MAX_AGE else 0.0)


def find_newest(index: SearchIndex, query: Query) -> Matches:
    """Return what *index* knows of the newest results of *query*, articles unless it names a kind."""
    search, kind = Search(query, Order.NEW, 1), _kind(query)
    found = _find(index, search, kind)
    return Matches(search, kind, found, {kind: found.total}, 0.0)


def _kinds() -> tuple[Kind, ...]:
    """Return the kinds that this site has."""
    return tuple(Kind) if settings().comments else (Kind.ARTICLES,)


def _kind(query: Query) -> Kind:
    """Return the kind that *query* names, articles if it names none that this site has."""
    return query.kind if query.kind in _kinds() else Kind.ARTICLES


def _find(index: SearchIndex, search: Search, kind: Kind) -> Found:
    """Return what *index* knows of all pages up to the one of *search*; where votes count, of all."""
    return index.find(search.query, kind, search.order, _first(search) + settings().page_size + _SPARE)


def _first(search: Search) -> int:
    return (search.number - 1) * settings().page_size


def read_page(
    pipeline: Pipeline,
    matches: Matches,
    ids: Sequence[DocumentId],
    hits: Sequence[RateLimitHit],
    voter: Voter | None = None,
) -> tuple[Page[Any], QueuedMarks]:
    """Return the page made of *ids*, and what *voter*, the member of the session, did with its articles.

    *pipeline* is executed, and counts the search against the limits of *hits*. Raises TooFast and NoSuchPage.
    """
    found, listings, has_articles = cast("Sequence[Any]", ids), store().listings, matches.kind is Kind.ARTICLES
    read: Future[tuple[Any, ...]]
    if has_articles:
        read = listings.queue_articles(pipeline, found, with_text=True)
    else:
        read = listings.queue_comments(pipeline, found)
    own = queue_marks(pipeline, found, voter if has_articles else None)
    pipeline.execute()
    rate_limits.check_counted(hits)
    return _page(matches, len(ids), read.result), own


def queue_votes(pipeline: Pipeline, matches: Matches) -> Future[list[int]] | None:
    """Queue a read of the votes of all results, None if they do not count."""
    found = matches.found
    if matches.search.order is Order.VOTES or found.weights:
        return store().votes.queue_counts(pipeline, found.ids)
    return None


def page_ids(matches: Matches, votes: Future[list[int]] | None) -> Sequence[DocumentId]:
    """Return the ids, in order, of which the page is made."""
    found, as_typed, first = matches.found, matches.as_typed or (), _first(matches.search)
    ids = by_worth(found, votes.result, now()) if votes else found.ids
    before = [id for id in ids if id in as_typed]
    before += [id for id in as_typed if id not in before]  # older than the newest that were read
    return [*before, *(id for id in ids if id not in as_typed)][first : first + settings().page_size + _SPARE]


def by_worth(found: Found, votes: Sequence[int], time: float) -> tuple[DocumentId, ...]:
    """Return the ids of *found* by relevance at a unix *time*, or, if their words have no weights, by *votes*."""
    worth: Iterable[float] = votes
    if found.weights:
        worth = map(relevance, found.weights, votes, (time - published for published in found.times))
    by_id = dict(zip(found.ids, worth, strict=True))
    return tuple(sorted(by_id, key=by_id.__getitem__, reverse=True))


def as_seen(page: Page[Article], viewer: User | None, own: QueuedMarks) -> tuple[Page[Article], tuple[str, ...]]:
    """Return *page* with the marks of *viewer*, and without what they hide; for a moderator, the names of all groups.

    Takes another round trip for moderators.
    """
    marks = read_marks(page.rows, viewer, own)
    return own_marks.without_hidden(replace(page, rows=marks.on(page.rows))), marks.group_names


def _page(matches: Matches, asked: int, rows: tuple[T, ...]) -> Page[T]:
    """Return the page with the first of *rows*, all that are left of *asked* ids; those that are gone do not count."""
    size, first = settings().page_size, _first(matches.search)
    total = matches.totals[matches.kind]
    if total <= config.MAX_COUNTED:
        total -= asked - len(rows)
    stop = min(first + size, config.MAX_COUNTED)
    return check_page_exists(
        Page(rows[:size], matches.search.number, total, first + 1, more=min(total, config.MAX_COUNTED) > stop)
    )


#: Tokens of sessions that have ended: whoever sends one still must not search without a limit.
_ended: BoundedCache[str, bool] = BoundedCache(config.HINT_CACHE_SIZE)


def viewer_hits() -> list[RateLimitHit]:
    """Return the limits that count this search, with the member whom an open session names, else with the address."""
    voter = named_voter()
    if voter and _ended.get(voter.token):
        rate_limits.skip_member_hit()
        voter = None
    hit = rate_limits.member_hit(voter.name) if voter else None
    return [*([hit] if hit else rate_limits.address_hits(SEARCH)), *bearer.program_hits()]


def note_viewer(viewer: User | None, voter: Voter | None) -> None:
    """Note whether the session that names *voter* has ended, once *viewer* has been read."""
    if viewer is None and voter:
        _ended.put(voter.token, True)


def queue_count(pipeline: Pipeline, hits: Sequence[RateLimitHit]) -> None:
    """Queue a search to be counted; that of a member is counted where the viewer is read."""
    if hits and hits[0][0] is SEARCH:
        rate_limits.queue_hits(pipeline, *hits)


@contextmanager
def counting_failures(hits: Sequence[RateLimitHit]) -> Iterator[None]:
    """Count the search of this block at once if the index does not answer: it has cost as much; may raise TooFast."""
    try:
        yield
    except SearchError:
        rate_limits.skip_member_hit()  # the page about it loads the member
        if hits:
            pipeline = store().pipeline()
            rate_limits.queue_hits(pipeline, *hits)
            pipeline.execute()
            rate_limits.check_counted(hits)
        raise
