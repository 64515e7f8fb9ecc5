"""The values that the index returns: which documents a query found, and how far the index is."""

from enum import StrEnum
from typing import ClassVar, NamedTuple

from voteweb.core.errors import N_, VotewebError
from voteweb.core.search_documents import DocumentId


class SearchError(VotewebError, status=503, code="search"):
    """Base of these errors; ``retry_after`` is the suggested wait in seconds."""

    template = N_("Search does not answer at the moment. Please try again in a minute.")
    retry_after: ClassVar[int] = 60


class NoFullTextSearch(SearchError):
    """The SQLite of this Python was built without FTS5, so that it has no search."""

    template = N_("This site has no search.")


class NotReady(SearchError, code="search-not-ready"):
    """There is no complete index yet; value ``percent`` says how much of it is built."""

    template = N_("Search is being prepared (%(percent)s %%). Please try again in a minute.")


class SearchTooSlow(SearchError, status=200):
    """The query needs more time than a query has, even without ranking."""

    template = N_("This search finds too much. Please add a word.")


class SearchBusy(SearchError):
    """As many searches are running in this process as it runs at a time."""

    template = N_("Many people are searching at this moment. Please try again in a few seconds.")
    retry_after = 5


class IndexDamaged(SearchError, code="search-damaged"):
    """The index is damaged, and a new one is going to be built."""

    template = N_("Search is being repaired. Please try again in a few minutes.")


class IndexNotWritable(SearchError, code="search-not-writable"):
    """The disk is full or cannot be written; value ``reason``. All that is indexed can be searched."""

    template = N_("The index of search cannot be written: %(reason)s")


class AlreadyIndexing(SearchError, status=409):
    """Another process of this machine keeps the index up to date."""

    template = N_("Another process keeps the index up to date: it is probably the background process of the site.")


class Kind(StrEnum):
    """The kinds of documents, each a list of results of its own."""

    ARTICLES = "articles"
    COMMENTS = "comments"


class Order(StrEnum):
    """The orders of results."""

    RELEVANCE = "relevance"
    NEW = "new"
    VOTES = "votes"  # the index knows votes only about: the caller sorts


class Note(StrEnum):
    """How the results differ from what was asked for.

    BEST_RANKED: only the newest MAX_RANKED_MATCHES and the most voted MAX_VOTED_MATCHES others were put into order.
    TOO_COMMON: there was no time to rank, so that the newest come first.
    """

    NONE = ""
    BEST_RANKED = "best-ranked"
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

    ``checked`` is the unix time at which the indexer last knew that it had read the whole stream.
    """

    epoch: str
    position: str
    checked: float
    articles: int
    comments: int
