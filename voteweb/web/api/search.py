"""Searches of articles and comments."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from voteweb.core.errors import N_, Invalid
from voteweb.search.models import IndexDamaged, Kind, NotReady, Order, SearchBusy, SearchError, SearchTooSlow
from voteweb.web.api import paging
from voteweb.web.api.operations import Page, operation
from voteweb.web.api.shapes import ArticleRow, Comment, article_rows, listed_comment
from voteweb.web.auth import bearer
from voteweb.web.pages.search_results import Search
from voteweb.web.views.search import read_results, require_index, typed_query


class SearchQuery(paging.AnyPage, kw_only=True):
    """The words that are searched for, and the order of the results."""

    q: Annotated[str, Meta(description="Words, as in the form for searches.")]
    order: Annotated[Order, Meta(description="The best match, the newest, or the most votes first.")] = Order.RELEVANCE


class SearchPage(Page, kw_only=True):
    """A page of the articles or comments that were found, and how many there are."""

    total: int
    articles: tuple[ArticleRow, ...] | UnsetType = UNSET
    comments: tuple[Comment, ...] | UnsetType = UNSET


@operation(
    "GET /search",
    form="search.show",
    loads_member=False,
    refuses=(SearchError, NotReady, SearchTooSlow, SearchBusy, IndexDamaged),
)
def search(query: SearchQuery) -> SearchPage:
    """Search for articles, or for comments if no article is found or `in:comments` asks for them."""
    index, typed = require_index(), typed_query()
    if typed.is_empty:
        raise Invalid(N_("Please say what to search for."))
    results = read_results(index, Search(typed, query.order, paging.parse_number(query.next)), bearer.allow_all)
    page, viewer = results["page"], results["viewer"]
    next = str(page.number + 1) if page.more else UNSET
    if results["matches"].kind is Kind.COMMENTS:
        return SearchPage(total=page.total, comments=tuple(map(listed_comment, page.rows)), next=next)
    articles = article_rows(page.rows, has_marks=viewer is not None)
    return SearchPage(total=page.total, articles=articles, next=next)
