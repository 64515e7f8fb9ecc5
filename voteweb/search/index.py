"""The index of one machine as processes that search see it: read-only, one connection for each thread."""

from pathlib import Path

from voteweb.search.documents import Found, Kind, Order, State
from voteweb.search.grammar import Query


def has_full_text_search() -> bool:
    """Tell whether the SQLite of this Python was built with FTS5."""
    raise NotImplementedError


class SearchIndex:
    """Find documents in the index in *folder*, whichever of its files is the current one.

    Nothing is opened before the first search, so that an object can be made before a process forks. Methods raise the
    errors of :mod:`voteweb.search.errors`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, query: Query, kind: Kind, order: Order, first: int, count: int) -> Found:
        """Return *count* ids of documents of one *kind* from the *first* on, best or newest first."""
        raise NotImplementedError

    def state(self) -> State:
        """Return the state of the current index, or of the first one while it is being built."""
        raise NotImplementedError
