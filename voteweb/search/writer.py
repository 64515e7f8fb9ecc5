"""The index of one machine as its indexer sees it: the only connection that writes."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search import schema
from voteweb.search.engine import connect, sqlite3, translated_errors
from voteweb.search.models import IndexDamaged, Kind, State
from voteweb.search.schema import (
    COLUMNS,
    CURRENT,
    Shard,
    columns,
    kind_of,
    read_shards,
    to_comment,
    to_number,
    to_rowid,
)
from voteweb.search.words import VERSION

#: Kilobytes of pages that the connection keeps, and pages of the write-ahead log after which it is moved to the file.
_CACHE_KILOBYTES = 32 * 1024
_CHECKPOINT_PAGES = 4_000
#: Pages that a step of a merger writes: some 10 ms.
_MERGED_PAGES = 500
_INSERTION = "INSERT INTO {{shard}} (rowid, {names}) VALUES (?{values})"
#: The first gap from a rowid on, in one statement: to try one after another would take the square of their number.
_FREE = (
    "SELECT rid + 1 FROM (SELECT ? - 1 AS rid UNION ALL SELECT rid FROM {kind} WHERE rid >= ? ORDER BY rid) AS taken "
    "WHERE NOT EXISTS (SELECT 1 FROM {kind} WHERE rid = taken.rid + 1) LIMIT 1"
)


class IndexWriter:
    """Write into one file of an index; only the process that holds the lock of the folder may have one.

    Methods raise IndexDamaged, IndexNotWritable or another SearchError, and have changed nothing then.
    """

    def __init__(self, file: Path, connection: "sqlite3.Connection") -> None:
        self.file = file
        self._connection = connection
        #: The time and the rowid of the last document of each kind: an import may have thousands of one time.
        self._ties: dict[Kind, tuple[int, int]] = {}

    @classmethod
    def create(cls, file: Path, epoch: str) -> "IndexWriter":
        """Return a writer of the empty *file*, which becomes an index of the site's *epoch*."""
        with translated_errors(), _opened(file) as connection:
            schema.create(connection, epoch)
            return cls(file, connection)

    @classmethod
    def open(cls, file: Path) -> "IndexWriter":
        """Return a writer of an existing index; raise IndexDamaged if *file* is none, or divides texts otherwise."""
        with translated_errors(is_opening=True), _opened(file) as connection:
            if connection.execute("SELECT value FROM state WHERE name = 'words'").fetchall() != [(VERSION,)]:
                raise IndexDamaged
            schema.check_tables(connection)
            return cls(file, connection)

    def apply(
        self, documents: Sequence[Document], gone: Iterable[DocumentId] = (), position: str | None = None
    ) -> None:
        """Index *documents* as they are now, and take out those that are *gone*.

        One transaction, which also stores the new *position* in the stream, if there is one. Applying the same again
        does no harm.
        """
        with self._transaction():
            for id in gone:
                self._take_out(kind_of(id), to_number(id))
            # A full-text index grows without being sorted if documents come in the order of their rowids.
            for document in sorted(documents, key=lambda document: document.time):
                self._put(document)
            if position is not None:
                self._run("UPDATE state SET value = ? WHERE name = 'position'", position)

    def has(self, id: DocumentId) -> bool:
        with translated_errors():
            return self._rowid(kind_of(id), to_number(id)) is not None

    def comments_of(self, article: int) -> list[CommentId]:
        """Return the indexed ids of all comments of an article, ascending."""
        first, end = (to_number(CommentId(id, 0)) for id in (article, article + 1))
        with translated_errors():
            found = self._run("SELECT id FROM comments WHERE id >= ? AND id < ? ORDER BY id", first, end)
        return [to_comment(number) for (number,) in found]

    def set_checked(self, time: float) -> None:
        """Say at which unix time the current index had the whole stream; this writes nothing into the index."""
        with suppress(OSError):
            os.utime(self.file.with_name(CURRENT), (time, time))

    def state(self) -> State:
        with translated_errors():
            return schema.read_state(self._connection, self.file)

    def check(self) -> bool:
        """Tell whether the index is whole: 5 s for a million articles."""
        try:
            with translated_errors():
                for kind in Kind:
                    for shard in read_shards(self._connection, kind):
                        self._run("INSERT INTO {shard} ({shard}) VALUES ('integrity-check')", of=shard)
                return all(map(self._is_counted, Kind)) and self._run("PRAGMA quick_check(1)") == [("ok",)]
        except IndexDamaged:
            return False

    def merge(self) -> Iterator[None]:
        """Merge what was written into one part of each full-text index, for faster searches, in steps of some 10 ms."""
        with translated_errors():
            for shard in [shard for kind in Kind for shard in read_shards(self._connection, kind)]:
                pages = -_MERGED_PAGES  # the first one of a merger of all parts
                before = -2
                while self._connection.total_changes - before >= 2:  # else there is nothing left to merge
                    before = self._connection.total_changes
                    self._run("INSERT INTO {shard} ({shard}, rank) VALUES ('merge', ?)", pages, of=shard)
                    pages = _MERGED_PAGES
                    yield

    def finish(self) -> None:
        """Move all that was written into the one file."""
        with translated_errors():
            self._run("PRAGMA incremental_vacuum")
            self._run("PRAGMA wal_checkpoint(TRUNCATE)")

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
                raise

    def _put(self, document: Document) -> None:
        kind, number = kind_of(document.id), to_number(document.id)
        self._take_out(kind, number)
        rowid = self._free_rowid(kind, to_rowid(document.time))
        shards = read_shards(self._connection, kind)
        is_full = shards[0].rows >= config.SHARD_ROWS
        if is_full and rowid > (self._run("SELECT max(rid) FROM {kind}", of=kind)[0][0] or 0):
            shards.insert(0, Shard(kind, shards[0].number + 1, rowid))
            self._connection.execute(shards[0].definition)
            self._run("INSERT INTO shards VALUES (?, ?, ?, 0)", kind.value, shards[0].number, rowid)
        shard = _shard_of(shards, rowid)
        self._run("INSERT INTO {kind} VALUES (?, ?, ?, ?)", rowid, *schema.row(document), of=shard)
        insertion = _INSERTION.format(names=", ".join(COLUMNS[kind]), values=", ?" * len(COLUMNS[kind]))
        self._run(insertion, rowid, *columns(document), of=shard)
        self._count(shard, 1)

    def _take_out(self, kind: Kind, number: int) -> None:
        rowid = self._rowid(kind, number)
        if rowid is not None:
            shard = _shard_of(read_shards(self._connection, kind), rowid)
            self._run("DELETE FROM {kind} WHERE rid = ?", rowid, of=shard)
            self._run("DELETE FROM {shard} WHERE rowid = ?", rowid, of=shard)
            self._count(shard, -1)

    def _count(self, shard: Shard, change: int) -> None:
        values = (change, shard.kind.value, shard.number)
        self._run("UPDATE shards SET rows = rows + ? WHERE kind = ? AND number = ?", *values)

    def _rowid(self, kind: Kind, number: int) -> int | None:
        rows = self._run("SELECT rid FROM {kind} WHERE id = ?", number, of=kind)
        return rows[0][0] if rows else None

    def _free_rowid(self, kind: Kind, time: int) -> int:
        """Return *time*, or the next rowid that is free."""
        last_time, after = self._ties.get(kind, (-1, -1))
        first = after if last_time == time else time
        free = int(self._run(_FREE, first, first, of=kind)[0][0])
        self._ties[kind] = (time, free)
        return free

    def _is_counted(self, kind: Kind) -> bool:
        """Tell whether the full-text indexes are of the documents with rows, in one state of the file."""
        with self._transaction():
            shards = read_shards(self._connection, kind)
            counts = [self._run("SELECT count(*) FROM {shard}_docsize", of=shard)[0][0] for shard in shards]
            rows = self._run("SELECT count(*) FROM {kind}", of=kind)[0][0]
        return counts == [shard.rows for shard in shards] and sum(counts) == rows

    def _run(self, statement: str, *values: object, of: Shard | Kind | None = None) -> list[Any]:
        """Run a *statement* in which ``{kind}`` and ``{shard}`` stand for the names of the tables *of* something."""
        names = {"kind": of.kind, "shard": of.table} if isinstance(of, Shard) else {"kind": of}
        return self._connection.execute(statement.format(**names), values).fetchall()


def _shard_of(shards: Sequence[Shard], rowid: int) -> Shard:
    return next(shard for shard in shards if rowid >= shard.first)


@contextmanager
def _opened(file: Path) -> Iterator["sqlite3.Connection"]:
    """Yield a connection to *file*, which is closed on an error."""
    connection = connect(file, "rw")
    try:
        for name, value in (
            ("auto_vacuum", "incremental"),
            ("journal_mode", "wal"), ("synchronous", "normal"), ("cache_size", -_CACHE_KILOBYTES),
            ("wal_autocheckpoint", _CHECKPOINT_PAGES),
        ):  # fmt: skip
            connection.execute(f"PRAGMA {name} = {value}")
        yield connection
    except BaseException:
        connection.close()
        raise
