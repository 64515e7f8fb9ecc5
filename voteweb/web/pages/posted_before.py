"""Other articles with the same link: the index of search knows which, and the database what became of them."""

from contextlib import suppress

from voteweb.core import config
from voteweb.core.models import Article
from voteweb.search.models import SearchError
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.base.context import search_index, store


def queue(pipeline: Pipeline, id: int = 0, link: str = "") -> Future[tuple[Article, ...]]:
    """Queue a read of listed articles with *link*, or else that of the article *id*, but for this one, newest first.

    There are none without search.
    """
    index, ids = search_index(), list[int]()
    with suppress(SearchError):
        ids = index.same_link(id, link, count=config.POSTED_BEFORE) if index else ids
    return store().listings.queue_articles(pipeline, ids)
