"""Articles: lists of them, as the pages of the site have them, and one of them."""

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, NamedTuple

from msgspec import UNSET, Meta, UnsetType, structs

from voteweb.core import errors, links, models, permissions
from voteweb.core.models import Article, Order, Period, User
from voteweb.core.my_site import Hidden, HiddenKind, hidden_member
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema.rankings import Ranking
from voteweb.web.api import lane, paging, shapes
from voteweb.web.api.operations import Page, operation
from voteweb.web.api.shapes import ArticleRow, article_rows, whole_article
from voteweb.web.auth.login import named_voter
from voteweb.web.base.context import store
from voteweb.web.caching import own_marks, shared_pages
from voteweb.web.caching.own_marks import QueuedMarks, queue_marks, read_marks
from voteweb.web.pages.pagination import check_page_exists
from voteweb.web.requests.rate_limits import combination_hits
from voteweb.web.views.groups import check_known, parse_names, parse_one
from voteweb.web.views.members import check_present, parse_name, queue_member


class Sorting(StrEnum):
    """The orders of lists: ``hot`` by score, ``new`` by time, ``top`` by votes, ``good`` the newest good ones."""

    HOT = "hot"
    NEW = "new"
    TOP = "top"
    GOOD = "good"


#: The parameters with which there is a list of each order.
_PARAMETERS = {
    Sorting.HOT: {"group"},
    Sorting.NEW: {"group", "domain", "member"},
    Sorting.TOP: {"group", "period"},
    Sorting.GOOD: set[str](),
}


class NoSuchList(errors.VotewebError, status=422, code="unknown-list"):
    template = errors.N_(
        "There is no such list. Those that exist: order=hot, order=good; order=hot or order=new with group; order=new, "
        "also with domain or member; order=top with period, group or both."
    )


class ListQuery(paging.SizedPage, kw_only=True):
    """The list of articles that is asked for: of the site, a group, a domain or a member."""

    order: Annotated[
        Sorting | UnsetType, Meta(description="By score unless a domain or member is named, else the newest first.")
    ] = UNSET
    period: Annotated[
        Period | UnsetType, Meta(description="With `order=top`: `day`, of a group `week`, unless it is named.")
    ] = UNSET
    group: Annotated[
        str,
        Meta(
            description="A name, or several joined by `+`, for the articles that are in all of them. If one of the "
            "groups does not exist, the answer is `unknown-group`."
        ),
    ] = ""
    domain: Annotated[str, Meta(description="The articles with links to it, such as example.com.")] = ""
    member: Annotated[str, Meta(description="The name of the poster.")] = ""


class ArticlePage(Page, kw_only=True):
    """A page of a list of articles."""

    articles: tuple[ArticleRow, ...]


def _queue_marks(pipeline: Pipeline, id: int) -> Future[QueuedMarks]:
    marks = queue_marks(pipeline, (id,), named_voter())
    return pipeline.then(lambda: marks)


@operation("GET /articles/<int:id>", marks=_queue_marks)
def get_article(user: User | None, article: Article, marks: QueuedMarks) -> shapes.Article:
    """Get an article with its text; its poster can read it while it is held, and when it was removed, too."""
    if not permissions.may_read(user, article):
        raise errors.ArticleGone()
    (row,) = read_marks((article,), user, marks).on((article,))
    return whole_article(row, has_marks=user is not None)


class _Choice(NamedTuple):
    """A ranking that is asked for, of these ``groups``; the entry ``shown`` hides its rows on other lists only."""

    ranking: Ranking
    shown: str = ""
    groups: tuple[str, ...] = ()


class _Listing(NamedTuple):
    """A choice with what was read for it when ``asked``; the ``groups`` and the ``member`` may not exist."""

    asked: float
    choice: _Choice
    page: Future[models.Page[Article]]
    marks: QueuedMarks
    groups: Future[tuple[models.Group | None, ...]]
    member: Future[User] | None


def _choose(query: ListQuery) -> _Choice:
    """Return the ranking that *query* asks for; raises NoSuchList, NoSuchGroup and NoSuchMember."""
    given = {name for name in ("period", "group", "domain", "member") if getattr(query, name)}
    order = query.order or (Sorting.NEW if given & {"domain", "member"} else Sorting.HOT)
    if not given <= _PARAMETERS[order] or len(given & {"group", "domain", "member"}) > 1:
        raise NoSuchList()
    rankings, by = store().rankings, Order.TIME if order is Sorting.NEW else Order.SCORE
    if query.domain:
        host = links.domain_of_address(query.domain)
        return _Choice(rankings.domain(host), Hidden(HiddenKind.DOMAIN, host).entry)
    if query.member:
        name = parse_name(query.member)
        return _Choice(rankings.member(name), hidden_member(name).entry)
    parse = parse_one if order is Sorting.TOP else parse_names
    groups = parse(query.group.replace(" ", "+")) if query.group else ()  # a plus in a query is a blank
    if order is Sorting.TOP:
        ranking = rankings.best(query.period or (Period.WEEK if groups else Period.DAY), *groups)
    elif order is Sorting.GOOD:
        ranking = rankings.good()
    else:
        ranking = rankings.groups(groups, by) if groups else rankings.site(by)
    return _Choice(ranking, f"g{groups[0]}" if len(groups) == 1 else "", groups)


def _queue_list(pipeline: Pipeline, query: ListQuery) -> Future[_Listing]:
    """Queue a read of the page that *query* asks for, and of its viewer's marks."""
    choice, listings = _choose(query), store().listings
    ranking, number, size = choice.ranking, 1, query.limit
    if not _is_by_time(ranking):
        number = paging.parse_number(query.next)
    elif place := paging.parse_place(query.next):
        ranking = replace(ranking, newest=repr(place.time if ranking.order is Order.TIME else place.time // 1))
        size += 1  # the row of the place comes again
    hits = combination_hits() if ranking.combines else ()
    listing = _Listing(
        shared_pages.clock(),
        choice._replace(ranking=ranking),
        listings.queue_page(pipeline, ranking, number, size=size, hits=hits),
        queue_marks(pipeline, listings.recent_ids(ranking, number, size), named_voter()),
        store().groups.queue_get(pipeline, choice.groups),
        queue_member(pipeline, query.member) if query.member else None,
    )
    return pipeline.then(lambda: listing)


@operation("GET /articles", refuses=(NoSuchList, errors.NoSuchDomain), listing=_queue_list)
def list_articles(query: ListQuery, user: User | None, listing: _Listing) -> ArticlePage:
    """List articles, for a token with the right `read` without what its member hides, as on the pages."""
    groups = listing.choice.groups
    if None in listing.groups.result and (named := store().groups.resolve(groups)) != groups:
        pipeline = store().pipeline()
        other = _queue_list(pipeline, structs.replace(query, group="+".join(named)))
        pipeline.execute()
        groups, listing = named, other.result
    check_known(groups, listing.groups.result)
    if listing.member:
        check_present(listing.member.result, listing.member.result.name, user)
    page = check_page_exists(listing.page.result)
    if query.domain and not query.next and not page.total:
        raise errors.NoSuchDomain(domain=query.domain)
    rows, next = _rows(listing, query)
    marked = read_marks(rows, user, listing.marks).on(rows)
    lane.keep(listing.asked, ArticlePage(articles=(), next=next), rows, user, listing.choice.shown)
    page = own_marks.without_hidden(replace(page, rows=marked), listing.choice.shown)
    return ArticlePage(articles=article_rows(page.rows, has_marks=user is not None), next=next)


def _rows(listing: _Listing, query: ListQuery) -> tuple[tuple[Article, ...], str | UnsetType]:
    """Return the rows of the page, and what the next one begins after.

    A page by time has those that are older than its place, whatever has been posted or removed since. It may need more
    than one look: where others have the time of that row, and where rows cannot be read.
    """
    page, ranking = listing.page.result, listing.choice.ranking
    if not _is_by_time(ranking):
        return page.rows, str(page.number + 1) if page.more else UNSET
    place, size = paging.parse_place(query.next), query.limit + 1
    while True:
        rows = tuple(row for row in page.rows if place is None or (row.time, row.id) < place)
        if len(rows) >= query.limit or not page.more:
            break
        size *= 2
        page = store().read(store().listings.queue_page, ranking, 1, size=size)
    has_more, rows = page.more or len(rows) > query.limit, rows[: query.limit]
    return rows, str(paging.Place(rows[-1].time, rows[-1].id)) if rows and has_more else UNSET


def _is_by_time(ranking: Ranking) -> bool:
    return ranking.order in (Order.TIME, Order.SECOND)
