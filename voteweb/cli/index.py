"""The index of search of this machine: build it, bring it up to date, and the thread that keeps it so."""

import threading

import click

from voteweb.cli.progress import track_share
from voteweb.cli.site import Site, pluralize
from voteweb.core.errors import Unavailable, VotewebError
from voteweb.search.errors import AlreadyIndexing
from voteweb.search.files import IndexFolder
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Indexer
from voteweb.search.models import State

#: Seconds until the index is tried again after another process had it, or after a failure.
RETRY_SECONDS = 10.0


def new_folder(site: Site) -> IndexFolder:
    """Return the folder of the index of this machine."""
    return IndexFolder(site.settings.search_folder)


def new_indexer(site: Site) -> Indexer:
    """Return an indexer of the index of this machine."""
    return Indexer(new_folder(site), site.store.search)


def catch_up(site: Site, *, rebuild: bool) -> str:
    """Bring the index of this machine up to date, or build it anew; return what was done, in words.

    Raises AlreadyIndexing if another process keeps it up to date, which is asked to build it anew if that is wanted.
    """
    indexer = new_indexer(site)
    try:
        with track_share("Indexing") as on_step:
            indexer.catch_up(rebuild=rebuild, on_step=on_step)
    except AlreadyIndexing:
        if not rebuild:
            raise
        new_folder(site).request_rebuild()
        return "The background process of the site builds the index anew now."
    return f"The index has {index_size(SearchIndex(site.settings.search_folder).state())}."


def index_size(state: State) -> str:
    """Return how many articles and comments an index has."""
    return f"{pluralize(state.articles, 'article')} and {pluralize(state.comments, 'comment')}"


def keep_index(indexer: Indexer, stop: threading.Event) -> None:
    """Keep the index up to date until *stop* is set; a failure is reported once, and tried again."""
    reported = ""
    while not stop.is_set():
        try:
            indexer.run(stop.is_set)
        except (AlreadyIndexing, Unavailable):
            pass  # another process does it; /healthz and the web server's log say so already
        except Exception as error:
            cause = error.__cause__ or error  # the message of an error of search is for those who search
            message = str(cause) if isinstance(cause, VotewebError | OSError) else f"{type(cause).__name__}: {cause}"
            if message != reported:
                click.echo(f"Warning: the index of search is not up to date: {message}", err=True)
            reported = message
        stop.wait(RETRY_SECONDS)
