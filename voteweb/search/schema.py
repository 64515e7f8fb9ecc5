"""The tables of an index file, and the form in which they hold documents.

For each kind of document there is one table with a row per document and one full-text index for each SHARD_ROWS of
them. The rowid in both is the publish time in tenths of a second, or the next free number: so results come newest
first without sorting. The full-text index keeps the tokens, without which SQLite takes no document out before 3.43.

One full-text index of a million comments, a tenth of them Chinese, would rank ``the*`` in 82 ms and ``the* pro* con*``
in 156 of the 150 that a search may take, since SQLite reads all of a beginning before the first match. With shards it
does so in the newest ones only. Plain words would take 3 to 13 ms there.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search.models import IndexDamaged, Kind, State
from voteweb.search.words import VERSION, facets, link_token, tokens, with_stems

if TYPE_CHECKING:
    from voteweb.search.engine import sqlite3

#: The layout of the files, and the tokens in them: a change of either is another number, so other files, and two
#: versions of the program can share a folder.
SCHEMA = 6
#: The file beside the indexes that names the current one. Its time is when the indexer last had read the whole stream.
CURRENT = f"current-{SCHEMA}"
#: The columns of the full-text index of a kind. Stems stand after the words of a text. A token in another column
#: than the first takes two bytes more, so comments have one: a quarter less.
COLUMNS = {Kind.ARTICLES: ("title", "text", "facets"), Kind.COMMENTS: ("text",)}
#: Every sign in a token belongs to it, since tokens are made here and not by SQLite.
_TOKENIZER = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
_COMMENTS = 2**20
#: Numbers of documents are below it.
MAX_NUMBER = 2**62
#: Rowids of a second: with a thousand each of the tokens of a usual site, which are stored as distances, takes a byte
#: more, 35 for a comment; with one an edited document would pass those of the next seconds.
_ROWIDS_PER_SECOND = 10
ROWIDS_PER_YEAR = 365 * 86_400 * _ROWIDS_PER_SECOND
#: The highest rowid that a time may give: other programs may have stored any number as one.
_MAX_TIME = 2**52


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
        return f'CREATE VIRTUAL TABLE {self.table} USING fts5({columns}, tokenize="{_TOKENIZER}")'


_TABLES = (
    "CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE shards (kind TEXT, number INTEGER, first INTEGER, rows INTEGER, PRIMARY KEY (kind, number)) "
    "WITHOUT ROWID",
    *(
        f"CREATE TABLE {kind} (rid INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, level INTEGER, link TEXT)"
        for kind in Kind
    ),
    "CREATE INDEX links ON articles (link) WHERE link IS NOT NULL",
    *(Shard(kind, 0, 0).definition for kind in Kind),
)
_PROBE = "SELECT 1 FROM {table} LIMIT 0"


def create(connection: "sqlite3.Connection", epoch: str) -> None:
    """Make the tables of an index of the site's *epoch* in an empty file."""
    connection.execute("BEGIN")
    for table in _TABLES:
        connection.execute(table)
    connection.executemany("INSERT INTO shards VALUES (?, 0, 0, 0)", [(kind.value,) for kind in Kind])
    state = {"epoch": epoch, "position": "", "words": VERSION}
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
        checked = file.with_name(CURRENT).stat().st_mtime
    except OSError:
        checked = 0.0
    try:
        return State(values["epoch"], values["position"], checked, rows[Kind.ARTICLES], rows[Kind.COMMENTS])
    except KeyError as error:
        raise IndexDamaged from error


def columns(document: Document) -> list[str]:
    """Return the values of the columns of *document*, made of tokens."""
    text, others = with_stems(tokens(document.text)), facets(document)
    if kind_of(document.id) is Kind.COMMENTS:
        return [" ".join(text + others)]
    return [" ".join(with_stems(tokens(document.title))), " ".join(text), " ".join(others)]


def row(document: Document) -> tuple[int, int, str | None]:
    """Return the number, level and token of the link of *document*, as the table of its kind has them."""
    return to_number(document.id), document.level, link_token(document.link) if document.link else None


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
