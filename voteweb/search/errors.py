"""The reasons for which the index does not answer, each with its HTTP status and its message."""

from typing import ClassVar

from voteweb.core.errors import N_, VotewebError


class SearchError(VotewebError, status=503, code="search"):
    """Base of these errors; ``retry_after`` is the suggested wait in seconds."""

    template = N_("Search does not answer at the moment. Please try again in a minute.")
    retry_after: ClassVar[int] = 60


class NoFullTextSearch(SearchError, code="no-full-text-search"):
    """The SQLite of this Python was built without FTS5, so that it has no search."""

    template = N_("This site has no search.")


class NotReady(SearchError, code="search-not-ready"):
    """There is no complete index yet; value ``percent`` says how much of it is built."""

    template = N_("Search is being prepared (%(percent)s %%). Please try again in a minute.")


class SearchTooSlow(SearchError, status=200, code="search-too-slow"):
    """The query needs more time than a query has, even without ranking."""

    template = N_("This search finds too much. Please add a word.")


class SearchBusy(SearchError, code="search-busy"):
    """As many searches are running in this process as it runs at a time."""

    template = N_("Many people are searching at this moment. Please try again in a few seconds.")
    retry_after = 5


class IndexDamaged(SearchError, code="search-damaged"):
    """The index is damaged, and a new one is going to be built."""

    template = N_("Search is being repaired. Please try again in a few minutes.")


class IndexNotWritable(SearchError, code="search-not-writable"):
    """The disk is full or cannot be written; value ``reason``. What is indexed can be searched."""

    template = N_("The index of search cannot be written: %(reason)s")


class AlreadyIndexing(SearchError, status=409, code="already-indexing"):
    """Another process of this machine keeps the index up to date."""

    template = N_("Another process keeps the index up to date: it is probably the background process of the site.")
