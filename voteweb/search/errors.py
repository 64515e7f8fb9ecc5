"""The reasons for which the index does not answer, each with its HTTP status and its message."""

from typing import ClassVar

from voteweb.core.errors import N_, VotewebError


class SearchError(VotewebError):
    """Base of these errors; ``retry_after`` is the suggested wait in seconds."""

    status = 503
    code = "search"
    template = N_("Search does not answer at the moment. Please try again in a minute.")
    retry_after: ClassVar[int] = 60


class NoFullTextSearch(SearchError):
    """The SQLite of this Python was built without FTS5, so that it has no search."""

    code = "no-full-text-search"
    template = N_("This site has no search.")


class NotReady(SearchError):
    """There is no complete index yet; value ``percent`` says how much of it is built."""

    code = "search-not-ready"
    template = N_("Search is being prepared (%(percent)s %%). Please try again in a minute.")


class SearchTooSlow(SearchError):
    """The query needs more time than a query has, even without ranking."""

    code = "search-too-slow"
    template = N_("This search finds too much. Please add a word.")
    status = 200


class SearchBusy(SearchError):
    """As many searches are running in this process as it runs at a time."""

    code = "search-busy"
    template = N_("Many people are searching at this moment. Please try again in a few seconds.")
    retry_after = 5


class IndexDamaged(SearchError):
    """The index is damaged, and a new one is going to be built."""

    code = "search-damaged"
    template = N_("Search is being repaired. Please try again in a few minutes.")


class IndexNotWritable(SearchError):
    """The disk is full or cannot be written; value ``reason``. What is indexed can be searched."""

    code = "search-not-writable"
    template = N_("The index of search cannot be written: %(reason)s")


class AlreadyIndexing(SearchError):
    """Another process of this machine keeps the index up to date."""

    status = 409
    code = "already-indexing"
    template = N_("Another process keeps the index up to date: it is probably the background process of the site.")
