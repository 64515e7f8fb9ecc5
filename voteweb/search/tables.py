"""The tables of an index file, and the form in which they hold documents.

For each kind of document there is one table with a row per document and one full-text index for each SHARD_ROWS of
them. The rowid in both is the publish time in milliseconds, or the next free number: so results come newest first
without sorting. The full-text index keeps no texts (``content=''``): to take a document out, it is told the tokens that
were put in, which are made again from the packed ``body`` of the row. SQLite's own copy of the tokens would need twice
the space, and its option to do without comes only with 3.43.

Measured with a million of each, a tenth of them Chinese: 261 bytes an article, of titles of 50 characters, and 404 a
comment of 164: about 40 and 2.2 for each character, 1.2 of them for the index and 1 for the packed text.
"""

import unicodedata
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search.documents import Kind, State
from voteweb.search.errors import IndexDamaged
from voteweb.search.facets import facets
from voteweb.search.words import tokens

if TYPE_CHECKING:
    from voteweb.search.engine import sqlite3

#: The layout of the files, and the tokens in them: a change of either is another number, so other files, and two
#: versions of the program can share a folder.
SCHEMA = 1
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
#: Without a header or a checksum, since SQLite has its own.
_WINDOW_BITS = -15
_COMMENTS = 2**20
#: Numbers of documents are below it.
MAX_NUMBER = 2**62
#: Milliseconds that a rowid may stand for: other programs may have stored any number as a time.
_MAX_TIME = 2**52
#: Common words of texts, the commonest last: short texts are packed by reference to them.
_COMMON = (
    b"people would think because about something company software really google government could their should which "
    b"more like just what when there from some don't than other your will they have with this it's not are can but you "
    b"for that and is to of in the https://www.com/ show hn: how why new ask hn: \n=0123456789abcdef /io /github.io "
    b"/github.com /org /net /com en wikipedia youtube nytimes medium github blog @"
)


class Shard(NamedTuple):
    """One full-text index of a kind: of the documents from the rowid ``first`` on, up to the next shard."""

    kind: Kind
    number: int
    first: int

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
        f"CREATE TABLE {kind} (rid INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, shift INTEGER, body BLOB NOT NULL)"
        for kind in Kind
    ),
    *(Shard(kind, 0, 0).definition for kind in Kind),
)


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
    rows = connection.execute("SELECT number, first FROM shards WHERE kind = ? ORDER BY number DESC", (kind,))
    shards = [Shard(kind, number, first) for number, first in rows]
    if not shards:
        raise IndexDamaged
    return shards


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


def pack(document: Document) -> bytes:
    """Return what the index keeps of *document*, from which :func:`unpack` makes its tokens."""
    title = document.title[: config.MAX_TEXT_LENGTH].replace("\n", " ")
    body = "\n".join((title, " ".join(facets(document)), document.text[: config.MAX_TEXT_LENGTH]))
    packer = zlib.compressobj(wbits=_WINDOW_BITS, zdict=_COMMON)
    return packer.compress(body.encode(errors="replace")) + packer.flush()


def unpack(body: bytes) -> tuple[str, str, str]:
    """Return the title, the facets and the text that :func:`pack` made *body* of; raise IndexDamaged if it did not."""
    try:
        unpacker = zlib.decompressobj(wbits=_WINDOW_BITS, zdict=_COMMON)
        title, facet_tokens, text = unpacker.decompress(body).decode().split("\n", 2)
    except (zlib.error, ValueError) as error:  # also what is not UTF-8
        raise IndexDamaged from error
    if not unpacker.eof:
        raise IndexDamaged
    return title, facet_tokens, text


def columns(kind: Kind, body: bytes) -> list[str]:
    """Return the values of the columns of a document, made of tokens, from its *body*; raise IndexDamaged."""
    title, facet_tokens, text = unpack(body)
    if kind is Kind.COMMENTS:
        return [" ".join((*tokens(text), facet_tokens))]
    return [" ".join(tokens(title)), " ".join(tokens(text)), facet_tokens]


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
    milliseconds = time * 1000
    return int(max(0, min(milliseconds, _MAX_TIME))) if milliseconds == milliseconds else 0
