"""The values that the index returns: which documents a query found, and how far the index is."""

from enum import StrEnum
from typing import NamedTuple

from voteweb.core.search_documents import DocumentId


class Kind(StrEnum):
    """The kinds of documents, each a list of results of its own."""

    ARTICLES = "articles"
    COMMENTS = "comments"


class Order(StrEnum):
    """The orders of results; the index knows no votes: for VOTES it returns the newest, for the caller to sort."""

    RELEVANCE = "relevance"
    NEW = "new"
    VOTES = "votes"


class Difference(StrEnum):
    """How an index differs from the site in one document."""

    MISSING = "missing"
    OUTDATED = "outdated"
    GONE = "indexed, but gone"


class Note(StrEnum):
    """How the results differ from what was asked for.

    NEWEST_RANKED: only the newest MAX_RANKED_MATCHES were put into order. TOO_COMMON: there was no time to rank, so
    that the newest come first.
    """

    NONE = ""
    NEWEST_RANKED = "newest-ranked"
    TOO_COMMON = "too-common"


class Found(NamedTuple):
    """A part of the results of a query; ``total`` counts all up to MAX_COUNTED, one more stands for "more".

    Results by relevance have the ``weights`` of their words, the highest first, and their publish ``times`` in unix
    seconds, unless they come newest first.
    """

    ids: tuple[DocumentId, ...]
    total: int
    note: Note = Note.NONE
    weights: tuple[float, ...] = ()
    times: tuple[float, ...] = ()


class State(NamedTuple):
    """The state of an index: its site's ``epoch``, its ``position`` in the stream of changes, its numbers of rows.

    ``percent`` is how much of it was built: 100 once it is complete. ``checked`` is the unix time at which the indexer
    last knew that it had read the whole stream.
    """

    epoch: str
    position: str
    percent: int
    checked: float
    articles: int
    comments: int
