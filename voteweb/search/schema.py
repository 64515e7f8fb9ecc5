"""The tables of an index file, and the form in which they hold documents.

For each kind of document there is one table with a row per document and one full-text index for each SHARD_ROWS of
them. The rowid in both is the publish time in tenths of a second, or the next free number: so results come newest
first without sorting. The full-text index keeps no texts (``content=''``), without which SQLite takes no document out
before 3.43. So a document that is changed or gone only loses its row, and its rowid is added to a table of deleted
ones, which searches leave out; a changed one is added once more. The words of deleted ones are in the file until it is
built anew.

Measured with a million of each, a tenth of them Chinese: 180 bytes an article, of titles of 50 characters, and 246 a
comment of 174. With rowids that are lower the later, SQLite searches newest first in half the time, but its tables grow
at their beginning, and take 33 bytes more.
"""

import unicodedata
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search.engine import sqlite3
from voteweb.search.models import Difference, IndexDamaged, Kind, State
from voteweb.search.words import facets, tokens

if TYPE_CHECKING:
    from voteweb.search.engine import sqlite3

#: The layout of the files, and the tokens in them: a change of either is another number, so other files, and two
#: versions of the program can share a folder.
SCHEMA = 2
#: The version of the tables by which Python knows letters: with another one, texts may be divided otherwise.
UNICODE = unicodedata.unidata_version
#: Ends of the names of two files beside an index: how much of it is built, and, as its time, when it was current.
PERCENT, CHECKED = "-percent", "-checked"
#: The columns of the full-text index of a kind, with their weights in the order by relevance. A token in another column
#: than the first takes two bytes more, so comments have one: a quarter less. Facets only filter: all articles of a
#: domain or a group are as good.
COLUMNS = {Kind.ARTICLES: {"title": 10, "text": 1, "facets": 0}, Kind.COMMENTS: {"text": 1}}
#: Every sign in a token belongs to it, since tokens are made here and not by SQLite.
_TOKENIZER = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
_COMMENTS = 2**20
#: Numbers of documents are below it.
MAX_NUMBER = 2**62
#: Rowids of a second: with a thousand each of the tokens of a usual site, which are stored as distances, takes a byte
#: more, 35 for a comment; with one an edited document would pass those of the next seconds.
_ROWIDS_PER_SECOND = 10
#: The highest rowid that a time may give: other programs may have stored any number as one.
_MAX_TIME = 2**52
#: As many bytes as SQLite stores as an integer of its own length.
_DIGEST_SIZE = 6


class Shard(NamedTuple):
    """One full-text index of a kind: of the ``rows`` documents from the rowid ``first`` on, up to the next shard."""

    kind: Kind
    number: int
    first: int
    rows: int = 0

    @property
    def table(self) -> str:
        return f"{self.kind}_{self.number}"

    @property
    def definition(self) -> str:
        """The statement that makes its table."""
        columns = ", ".join(COLUMNS[self.kind])
        return f"CREATE VIRTUAL TABLE {self.table} USING fts5({columns}, content='', tokenize=\"{_TOKENIZER}\")"


_TABLES = (
    "CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE shards (kind TEXT, number INTEGER, first INTEGER, rows INTEGER, PRIMARY KEY (kind, number)) "
    "WITHOUT ROWID",
    *(
        # The shift is how far the rowid is from the time, none (without a byte of its own) for nearly all.
        f"CREATE TABLE {kind} "
        "(rid INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, shift INTEGER, digest INTEGER NOT NULL)"
        for kind in Kind
    ),
    *(f"CREATE TABLE {kind}_deleted (rid INTEGER PRIMARY KEY)" for kind in Kind),
    *(Shard(kind, 0, 0).definition for kind in Kind),
)
_PROBE = "SELECT 1 FROM {table} LIMIT 0"


def create(connection: "sqlite3.Connection", epoch: str) -> None:
    """Make the tables of an index of the site's *epoch* in an empty file."""
    connection.execute("BEGIN")
    for table in _TABLES:
        connection.execute(table)
    connection.executemany("INSERT INTO shards VALUES (?, 0, 0, 0)", [(kind.value,) for kind in Kind])
    state = {"epoch": epoch, "position": "", "unicode": UNICODE}
    connection.executemany("INSERT INTO state VALUES (?, ?)", state.items())
    connection.execute("COMMIT")


def read_shards(connection: "sqlite3.Connection", kind: Kind) -> list[Shard]:
    """Return the full-text indexes of a *kind*, the newest first; raise IndexDamaged if there is none."""
    rows = connection.execute("SELECT number, first, rows FROM shards WHERE kind = ? ORDER BY number DESC", (kind,))
    shards = [Shard(kind, *row) for row in rows]
    if not shards:
        raise IndexDamaged
    return shards


def check_tables(connection: "sqlite3.Connection") -> None:
    """Raise IndexDamaged or SQLite's error if the file is no index, or lacks a full-text index."""
    for kind in Kind:
        for shard in read_shards(connection, kind):
            connection.execute(_PROBE.format(table=shard.table))


def read_state(connection: "sqlite3.Connection", file: Path) -> State:
    """Return the state of the index in *file*; raise IndexDamaged if a part of it is missing."""
    values = dict(connection.execute("SELECT name, value FROM state"))
    rows = dict(connection.execute("SELECT kind, sum(rows) FROM shards GROUP BY kind"))
    try:
        checked = beside(file, CHECKED).stat().st_mtime
    except OSError:
        checked = 0.0
    percent = read_percent(file)
    try:
        return State(values["epoch"], values["position"], percent, checked, rows[Kind.ARTICLES], rows[Kind.COMMENTS])
    except KeyError as error:
        raise IndexDamaged from error


def read_percent(file: Path) -> int:
    """Return how much of the index in *file* is built: 100 unless it says something else."""
    try:
        return int(beside(file, PERCENT).read_text())
    except (OSError, ValueError):
        return 100


def beside(file: Path, suffix: str) -> Path:
    """Return the file of the same name and *suffix*."""
    return file.with_name(file.name + suffix)


def digest(document: Document) -> int:
    """Return a number that tells what the index has of *document*, but for its time."""
    limit = config.MAX_TEXT_LENGTH
    content = repr((document.title[:limit], document.text[:limit], facets(document)))
    hashed = blake2b(content.encode(errors="replace"), digest_size=_DIGEST_SIZE)
    return int.from_bytes(hashed.digest(), signed=True)


def columns(document: Document) -> list[str]:
    """Return the values of the columns of *document*, made of tokens."""
    text, others = tokens(document.text), facets(document)
    if kind_of(document.id) is Kind.COMMENTS:
        return [" ".join(text + others)]
    return [" ".join(tokens(document.title)), " ".join(text), " ".join(others)]


def kind_of(id: DocumentId) -> Kind:
    return Kind.ARTICLES if isinstance(id, int) else Kind.COMMENTS


def to_number(id: DocumentId) -> int:
    """Return the number that stands for *id* in the table of its kind."""
    return id if isinstance(id, int) else id.article * _COMMENTS + id.number


def to_comment(number: int) -> CommentId:
    """Return the comment for which *number* stands."""
    return CommentId(*divmod(number, _COMMENTS))


def to_rowid(time: float) -> int:
    """Return the rowid for a publish *time* in unix seconds."""
    moment = time * _ROWIDS_PER_SECOND
    return int(max(0, min(moment, _MAX_TIME))) if moment == moment else 0


def to_time(rowid: int) -> float:
    """Return the publish time in unix seconds for which a *rowid* stands."""
    return rowid / _ROWIDS_PER_SECOND


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
