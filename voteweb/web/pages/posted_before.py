"""Other articles with the same link: the index of search knows which, and the database what became of them."""

from voteweb.core import config
from voteweb.core.models import Article
from voteweb.search.grammar import Query
from voteweb.search.models import Kind, Order, SearchError
from voteweb.search.words import Part, Term, link_token
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.base.context import search_index, store


def queue(pipeline: Pipeline, link: str, but: int = 0) -> Future[tuple[Article, ...]]:
    """Queue a read of the newest listed articles with *link*, but for the article *but*; of none without search."""
    ids = [id for id in _ids(link) if id != but][: config.POSTED_BEFORE] if link else []
    return store().listings.queue_articles(pipeline, ids)


def _ids(link: str) -> list[int]:
    index = search_index()
    if index is None:
        return []
    query = Query(link, (Part("link", link, (Term("link", (link_token(link),)),)),))
    try:
        found = index.find(query, Kind.ARTICLES, Order.NEW, config.POSTED_BEFORE + 1)
    except SearchError:
        return []
    return [id for id in found.ids if isinstance(id, int)]
