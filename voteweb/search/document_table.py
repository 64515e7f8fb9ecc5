"""One kind of document in an index file: its rows, and its full-text indexes of SHARD_ROWS documents each."""

from collections.abc import Iterator
from typing import Any

from voteweb.core import config
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search.engine import sqlite3
from voteweb.search.models import Difference, Kind
from voteweb.search.schema import COLUMNS, Shard, columns, digest, read_shards, to_number, to_rowid

_INSERTION = "INSERT INTO {{shard}} (rowid, {columns}) VALUES (?{values})"
#: The first gap from a rowid on, in one statement: to try one after another would take the square of their number. In
#: this form SQLite merges the two tables, both in order, and stops at the gap.
_FREE = (
    "SELECT rid + 1 FROM (SELECT ?1 - 1 AS rid UNION ALL SELECT rid FROM {kind} WHERE rid >= ?1 "
    "UNION ALL SELECT rid FROM {kind}_deleted WHERE rid >= ?1 ORDER BY rid) AS taken "
    "WHERE NOT EXISTS (SELECT 1 FROM {kind} WHERE rid = taken.rid + 1) "
    "AND NOT EXISTS (SELECT 1 FROM {kind}_deleted WHERE rid = taken.rid + 1) LIMIT 1"
)

#: Pages that a step of a merger writes: some 10 ms.
_MERGED_PAGES = 500


class DocumentTable:
    """Write the documents of one *kind*; the caller begins and ends transactions."""

    def __init__(self, connection: "sqlite3.Connection", kind: Kind) -> None:
        self._connection = connection
        self._kind = kind
        self._insertion = _INSERTION.format(columns=", ".join(COLUMNS[kind]), values=", ?" * len(COLUMNS[kind]))
        self.reload()

    def reload(self) -> None:
        """Read the shards again, after a transaction was taken back; raises IndexDamaged."""
        self._shards = read_shards(self._connection, self._kind)
        self._rows = {shard.number: shard.rows for shard in self._shards}
        #: The time and the rowid from which on the next document of this time looks for a free one.
        self._last_tie = (-1, -1)

    def put(self, document: Document) -> bool:
        """Index *document* as it is; return whether that changed anything."""
        number, time, content = to_number(document.id), to_rowid(document.time), digest(document)
        row = self._row(number)
        if row and _is_same(row, time, content):
            return False
        if row:
            self._take_out(row)
        rowid = self._free_rowid(time)
        if self._rows[self._shards[0].number] >= config.SHARD_ROWS and rowid > self._last_rowid():
            self._add_shard(rowid)
        self._run("INSERT INTO {kind} VALUES (?, ?, ?, ?)", rowid, number, rowid - time or None, content)
        shard = self._shard_of(rowid)
        self._run(self._insertion, rowid, *columns(document), of=shard)
        self._rows[shard.number] += 1
        return True

    def remove(self, id: DocumentId) -> bool:
        """Take out a document; return whether it was in the index."""
        row = self._row(to_number(id))
        if row:
            self._take_out(row)
        return bool(row)

    def difference(self, document: Document) -> Difference | None:
        """Return how the index differs from *document*, None if it has it as it is."""
        row = self._row(to_number(document.id))
        if not row:
            return Difference.MISSING
        return None if _is_same(row, to_rowid(document.time), digest(document)) else Difference.OUTDATED

    def has(self, id: DocumentId) -> bool:
        return bool(self._row(to_number(id)))

    def write_counts(self) -> None:
        """Store the numbers of rows, once for many changes."""
        for number, rows in self._rows.items():
            self._run("UPDATE shards SET rows = ? WHERE kind = ? AND number = ?", rows, self._kind.value, number)

    def numbers(self, first: int, end: int, count: int) -> list[int]:
        """Return up to *count* numbers of indexed documents from *first* on and below *end*, ascending."""
        found = self._run("SELECT id FROM {kind} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", first, end, count)
        return [number for (number,) in found]

    def tell(self, command: str) -> None:
        """Run a *command* of the full-text indexes, such as "integrity-check"."""
        for shard in self._shards:
            self._run("INSERT INTO {shard} ({shard}) VALUES (?)", command, of=shard)

    def is_whole(self) -> bool:
        """Tell whether the full-text indexes are whole, and are of the documents with rows and the deleted ones."""
        self.tell("integrity-check")
        # Another connection may write meanwhile: all is counted in one state of the file.
        self._connection.execute("BEGIN")
        try:
            self.reload()
            sizes = [self._run("SELECT count(*) FROM {shard}_docsize", of=shard)[0][0] for shard in self._shards]
            rows = self._run("SELECT count(*) FROM {kind}")[0][0]
            return bool(sum(sizes) - self.deleted() == self.rows() == rows)
        finally:
            if self._connection.in_transaction:  # SQLite may have ended it
                self._connection.execute("ROLLBACK")

    def rows(self) -> int:
        """Return the number of documents."""
        return sum(self._rows.values())

    def deleted(self) -> int:
        """Return the number of documents that are changed or gone, and whose words the full-text indexes still have."""
        return int(self._run("SELECT count(*) FROM {kind}_deleted")[0][0])

    def merge(self) -> Iterator[None]:
        """Merge what was written into one part of each full-text index, in steps of some 10 ms."""
        for shard in tuple(self._shards):
            pages = -_MERGED_PAGES  # the first one of a merger of all parts
            before = -2
            while self._connection.total_changes - before >= 2:  # else there is nothing left to merge
                before = self._connection.total_changes
                self._run("INSERT INTO {shard} ({shard}, rank) VALUES ('merge', ?)", pages, of=shard)
                pages = _MERGED_PAGES
                yield

    def _row(self, number: int) -> tuple[int, int | None, int] | None:
        rows = self._run("SELECT rid, shift, digest FROM {kind} WHERE id = ?", number)
        return rows[0] if rows else None

    def _take_out(self, row: tuple[int, int | None, int]) -> None:
        rowid, shift, _ = row
        self._run("DELETE FROM {kind} WHERE rid = ?", rowid)
        self._run("INSERT INTO {kind}_deleted VALUES (?)", rowid)
        self._rows[self._shard_of(rowid).number] -= 1
        self._last_tie = (rowid - (shift or 0), rowid)  # an edited document keeps its place

    def _shard_of(self, rowid: int) -> Shard:
        return next(shard for shard in self._shards if rowid >= shard.first)

    def _add_shard(self, first: int) -> None:
        shard = Shard(self._kind, self._shards[0].number + 1, first)
        self._connection.execute(shard.definition)
        self._run("INSERT INTO shards VALUES (?, ?, ?, 0)", shard.kind.value, shard.number, shard.first)
        self._shards.insert(0, shard)
        self._rows[shard.number] = 0

    def _last_rowid(self) -> int:
        return int(self._run("SELECT max(rid) FROM {kind}")[0][0] or 0)

    def _free_rowid(self, time: int) -> int:
        """Return *time*, or the next rowid that is free."""
        # An import may have thousands of the same time: go on where the last one of these was put.
        start = self._last_tie[1] if self._last_tie[0] == time else time
        free = int(self._run(_FREE, start)[0][0])
        if free > time:
            self._last_tie = (time, free)
        return free

    def _run(self, statement: str, *values: object, of: Shard | None = None) -> list[Any]:
        """Run a *statement* in which ``{kind}`` and ``{shard}`` stand for the names of the tables."""
        text = statement.format(kind=self._kind, shard=of.table if of else "")
        return self._connection.execute(text, values).fetchall()


def _is_same(row: tuple[int, int | None, int], time: int, content: int) -> bool:
    rowid, shift, stored = row
    return rowid - (shift or 0) == time and stored == content
