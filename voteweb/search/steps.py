"""The site as its indexer reads it, and the steps in which it does."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Changes, Document, DocumentId
from voteweb.search.writer import IndexWriter

T = TypeVar("T")

#: Articles or comments that are read and indexed at once: 30 to 90 ms, for so long a new post waits at most.
CHUNK_SIZE = 500


class Source(Protocol):
    """Everything that is searched, as it is now, and the stream of its changes: see ``Search`` in the store."""

    def end_of_changes(self) -> str:
        """Return the position after the last change."""

    def changes_since(self, position: str, *, wait: float) -> Changes:
        """Return what has changed since *position*; wait some seconds for a change."""

    def newest_ids(self, count: int) -> list[int]:
        """Return the ids of the newest articles."""

    def listed_ids(self, size: int) -> Iterator[tuple[list[int], float]]:
        """Yield the ids of all listed articles, about *size* at once, and the share that is complete with them."""

    def articles(self, ids: Iterable[int]) -> list[Document]:
        """Return those of these articles that are listed."""

    def last_comments(self, ids: Iterable[int]) -> dict[int, int]:
        """Return the highest number of a comment for those of these articles that have any."""

    def comments(self, ids: Iterable[CommentId]) -> list[Document]:
        """Return those of these comments that everybody can read."""


class Target(Protocol):
    """A receiver of everything that is read: an index, or its comparison with the site."""

    def apply(self, documents: Sequence[Document], gone: Sequence[DocumentId] = ()) -> int:
        """Take *documents* as they are now; others are *gone*."""

    def article_ids(self, after: int, count: int) -> list[int]:
        """Return up to *count* indexed ids of articles above *after*, ascending."""

    def comment_ids(self, after: CommentId, count: int) -> list[CommentId]:
        """Return up to *count* indexed ids of comments above *after*, ascending."""


def index_articles(source: Source, writers: Sequence[Target], ids: Iterable[int]) -> None:
    """Index these articles as they are now; those that are not listed are taken out."""
    wanted = set(ids)
    if wanted:
        _apply(source.articles(wanted), writers, wanted)


def index_comments(source: Source, writers: Sequence[Target], ids: Iterable[CommentId]) -> None:
    """Index these comments as they are now; those that nobody can read are taken out."""
    for chunk in _chunks(ids):
        _apply(source.comments(chunk), writers, set(chunk))


class Conversations:
    """The conversations of which all comments are to be indexed as they are now, CHUNK_SIZE of them in a step."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._articles: dict[int, None] = {}
        #: The comments of articles that are not among ``_articles`` any more.
        self._comments: list[CommentId] = []

    def __bool__(self) -> bool:
        return bool(self._articles or self._comments)

    def add(self, articles: Iterable[int]) -> None:
        self._articles |= dict.fromkeys(articles)

    def clear(self) -> None:
        self._articles.clear()
        self._comments.clear()

    def index_some(self, writers: Sequence[IndexWriter]) -> None:
        """Do a step; comments that were indexed and are gone are taken out. After an error the step can be repeated."""
        while self._articles and len(self._comments) < CHUNK_SIZE:
            article = next(iter(self._articles))
            last = self._source.last_comments([article]).get(article, 0)
            ids = {CommentId(article, number) for number in range(1, last + 1)}
            self._comments += sorted(ids.union(*(writer.comments_of(article) for writer in writers)))
            del self._articles[article]
        index_comments(self._source, writers, self._comments[:CHUNK_SIZE])
        del self._comments[:CHUNK_SIZE]


def index_everything(source: Source, writer: IndexWriter, *, is_new: bool) -> Iterator[float]:
    """Index everything as it is now, in steps; yield the share of what is listed that is done.

    Unless the index *is_new*, what it has and nobody can read any more is taken out.
    """
    if not is_new:
        yield from read_everything(source, writer)
        return
    yield from _read_listed(source, writer)
    for _ in writer.merge():
        yield 1.0


def read_everything(source: Source, writer: Target) -> Iterator[float]:
    """Give *writer* all that is listed, and say of all that it has what is gone, in steps; yield the share done."""
    yield from _read_listed(source, writer)
    article, comment = 0, CommentId(0, 0)
    while articles := writer.article_ids(article, CHUNK_SIZE):
        index_articles(source, [writer], articles)
        article = articles[-1]
        yield 1.0
    while indexed := writer.comment_ids(comment, CHUNK_SIZE):
        index_comments(source, [writer], indexed)
        comment = indexed[-1]
        yield 1.0


def _read_listed(source: Source, writer: Target) -> Iterator[float]:
    for articles, share in source.listed_ids(CHUNK_SIZE):
        index_articles(source, [writer], articles)
        yield share
        last = source.last_comments(articles)
        comments = (CommentId(id, number) for id, highest in last.items() for number in range(1, highest + 1))
        for chunk in _chunks(comments):
            index_comments(source, [writer], chunk)
            yield share


def _apply(documents: Sequence[Document], writers: Sequence[Target], wanted: Iterable[DocumentId]) -> None:
    gone = list(set(wanted) - {document.id for document in documents})
    for writer in writers:
        writer.apply(documents, gone)


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK_SIZE)):
        yield chunk
