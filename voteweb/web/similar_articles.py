"""Articles of the last days with a title much like that of a new one: often the same story at another address.

Of 18,056 real stories, 103 had such a title and another link within a week; of 25 of these, 20 were the same story.
"""

from voteweb.core import config
from voteweb.core.models import Article
from voteweb.search.errors import SearchError
from voteweb.search.grammar import Query
from voteweb.search.models import Kind, Order
from voteweb.search.terms import Part, Term
from voteweb.search.words import tokens
from voteweb.web.context import now, search_index, store

_SPAN_SECONDS = 7 * 86_400
#: The share of the words of both titles that they have in common, and the number of these words.
_MIN_SHARE, _MIN_COMMON = 0.5, 3
#: Articles that are compared, and those that are shown.
_MAX_COMPARED, _MAX_SHOWN = 20, 3


def find_similar(title: str) -> tuple[Article, ...]:
    """Return listed articles with a title like *title*, the most relevant first; none if search does not answer."""
    index, words = search_index(), set(tokens(title))
    if index is None or len(words) < _MIN_COMMON:
        return ()
    terms = tuple(Term("title", (word,)) for word in sorted(words, key=len, reverse=True)[: config.MAX_TERMS])
    query = Query(parts=(Part("title", title, terms), Part("after", "", time=now() - _SPAN_SECONDS)))
    try:
        found = index.find(query, Kind.ARTICLES, Order.RELEVANCE, 0, _MAX_COMPARED)
    except SearchError:
        return ()
    pipeline = store().pipeline()
    ids = [id for id in found.ids if isinstance(id, int)]
    articles = store().listings.queue_articles(pipeline, ids, with_text=True)
    pipeline.execute()
    return tuple(row for row in articles.result if _are_similar(words, set(tokens(row.title))))[:_MAX_SHOWN]


def _are_similar(words: set[str], others: set[str]) -> bool:
    common = len(words & others)
    return common >= _MIN_COMMON and common >= _MIN_SHARE * len(words | others)
