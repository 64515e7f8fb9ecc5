"""The index of one machine as its indexer sees it: the only connection that writes."""

from collections.abc import Sequence

from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search.documents import State


class IndexWriter:
    """Write into one file of an index; only the process that holds the lock of the folder may have one."""

    def apply(self, documents: Sequence[Document], gone: Sequence[DocumentId] = (), position: str | None = None) -> int:
        """Index *documents* as they are now, take out those that are *gone*, and return how many of them changed.

        One transaction, which also stores the new *position* in the stream, if there is one. Applying the same again
        changes nothing.
        """
        raise NotImplementedError

    def article_ids(self, after: int, count: int) -> list[int]:
        """Return up to *count* indexed ids of articles above *after*, ascending."""
        raise NotImplementedError

    def comment_ids(self, after: CommentId, count: int) -> list[CommentId]:
        """Return up to *count* indexed ids of comments above *after*, ascending."""
        raise NotImplementedError

    def comments_of(self, article: int) -> list[CommentId]:
        """Return the indexed ids of all comments of an article, ascending."""
        raise NotImplementedError

    def set_percent(self, percent: int) -> None:
        """Store how much of the index is built."""
        raise NotImplementedError

    def set_checked(self, time: float) -> None:
        """Store the unix time at which the whole stream was known to be read."""
        raise NotImplementedError

    def state(self) -> State:
        raise NotImplementedError

    def check(self) -> bool:
        """Tell whether the index is whole: 5 s for a million articles."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError
