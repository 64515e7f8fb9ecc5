"""The index of one machine as its indexer sees it: the only connection that writes."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search import schema
from voteweb.search.engine import connect, sqlite3, translated_errors
from voteweb.search.models import Difference, IndexDamaged, Kind, State
from voteweb.search.schema import CHECKED, PERCENT, UNICODE, DocumentTable, beside, kind_of, to_comment, to_number

#: Kilobytes of pages that the connection keeps, and pages of the write-ahead log after which it is moved to the file.
_CACHE_KILOBYTES = 32 * 1024
_CHECKPOINT_PAGES = 4_000


class IndexWriter:
    """Write into one file of an index; only the process that holds the lock of the folder may have one.

    Methods raise IndexDamaged, IndexNotWritable or another SearchError, and have changed nothing then.
    """

    def __init__(self, file: Path, connection: "sqlite3.Connection") -> None:
        self.file = file
        self._connection = connection
        self._tables = {kind: DocumentTable(connection, kind) for kind in Kind}

    @classmethod
    def create(cls, file: Path, epoch: str) -> "IndexWriter":
        """Return a writer of the empty *file*, which becomes an index of the site's *epoch*."""
        with translated_errors():
            connection = _connect(file)
            schema.create(connection, epoch)
            writer = cls(file, connection)
        writer.set_percent(0)
        return writer

    @classmethod
    def open(cls, file: Path) -> "IndexWriter":
        """Return a writer of an existing index; raise IndexDamaged if *file* is none, or divides texts otherwise."""
        with translated_errors(is_opening=True):
            connection = _connect(file)
            try:
                if connection.execute("SELECT value FROM state WHERE name = 'unicode'").fetchall() != [(UNICODE,)]:
                    raise IndexDamaged
                schema.check_tables(connection)
                return cls(file, connection)
            except BaseException:
                connection.close()
                raise

    def apply(self, documents: Sequence[Document], gone: Sequence[DocumentId] = (), position: str | None = None) -> int:
        """Index *documents* as they are now, take out those that are *gone*, and return how many of them changed.

        One transaction, which also stores the new *position* in the stream, if there is one. Applying the same again
        changes nothing.
        """
        with self._transaction():
            changed = sum(self._tables[kind_of(id)].remove(id) for id in gone)
            # A full-text index grows without being sorted if documents come in the order of their rowids.
            for document in sorted(documents, key=lambda document: document.time):
                changed += self._tables[kind_of(document.id)].put(document)
            if changed:
                for table in self._tables.values():
                    table.write_counts()
            if position is not None:
                self._connection.execute("UPDATE state SET value = ? WHERE name = 'position'", (position,))
        return changed

    def differences(
        self, documents: Sequence[Document], gone: Sequence[DocumentId] = ()
    ) -> dict[DocumentId, Difference]:
        """Return what :meth:`apply` would change, and change nothing."""
        with translated_errors():
            found = {document.id: self._tables[kind_of(document.id)].difference(document) for document in documents}
            surplus = {id: Difference.GONE for id in gone if self._tables[kind_of(id)].has(id)}
        return {id: difference for id, difference in found.items() if difference} | surplus

    def article_ids(self, after: int, count: int) -> list[int]:
        """Return up to *count* indexed ids of articles above *after*, ascending."""
        with translated_errors():
            return self._tables[Kind.ARTICLES].numbers(after + 1, schema.MAX_NUMBER, count)

    def comment_ids(self, after: CommentId, count: int) -> list[CommentId]:
        """Return up to *count* indexed ids of comments above *after*, ascending."""
        with translated_errors():
            return [
                *map(to_comment, self._tables[Kind.COMMENTS].numbers(to_number(after) + 1, schema.MAX_NUMBER, count))
            ]

    def comments_of(self, article: int) -> list[CommentId]:
        """Return the indexed ids of all comments of an article, ascending."""
        first, end = (to_number(CommentId(id, 0)) for id in (article, article + 1))
        with translated_errors():
            return [*map(to_comment, self._tables[Kind.COMMENTS].numbers(first, end, end - first))]

    def is_worn(self) -> bool:
        """Tell whether so many documents were changed or taken out that the index should be built anew."""
        with translated_errors():
            return any(
                table.deleted() > max(config.MIN_DELETED_ROWS, config.MAX_DELETED_SHARE * table.rows())
                for table in self._tables.values()
            )

    def set_percent(self, percent: int) -> None:
        """Say how much of the index is built, for those who ask before it is published."""
        with suppress(OSError):
            beside(self.file, PERCENT).write_text(str(percent))

    def set_checked(self, time: float) -> None:
        """Say at which unix time the whole stream was known to be read; this writes nothing into the index."""
        with suppress(OSError):
            beside(self.file, CHECKED).touch()
            os.utime(beside(self.file, CHECKED), (time, time))

    def state(self) -> State:
        with translated_errors():
            return schema.read_state(self._connection, self.file)

    def check(self) -> bool:
        """Tell whether the index is whole: 5 s for a million articles."""
        try:
            with translated_errors():
                is_whole = all(table.is_whole() for table in self._tables.values())
                return is_whole and self._connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
        except IndexDamaged:
            return False

    def merge(self) -> Iterator[None]:
        """Merge what was written, for faster searches, in steps of some 10 ms."""
        with translated_errors():
            for table in self._tables.values():
                yield from table.merge()

    def finish(self) -> None:
        """Move all that was written into the one file."""
        with translated_errors():
            self._connection.execute("PRAGMA incremental_vacuum").fetchall()
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        beside(self.file, PERCENT).unlink(missing_ok=True)

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translated_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite may have ended it
                    self._connection.execute("ROLLBACK")
                for table in self._tables.values():
                    table.reload()
                raise


def _connect(file: Path) -> "sqlite3.Connection":
    connection = connect(file, "rw")
    for name, value in (
        ("auto_vacuum", "incremental"),
        ("journal_mode", "wal"), ("synchronous", "normal"), ("cache_size", -_CACHE_KILOBYTES),
        ("wal_autocheckpoint", _CHECKPOINT_PAGES),
    ):  # fmt: skip
        connection.execute(f"PRAGMA {name} = {value}")
    return connection
