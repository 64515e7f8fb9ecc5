"""The index of one machine as processes that search see it: read-only."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from typing import TypeAlias

from voteweb.core import config
from voteweb.core.ranking import VOTE_LEVELS
from voteweb.core.search_documents import DocumentId
from voteweb.search import queries
from voteweb.search.connections import Connection, Connections
from voteweb.search.files import IndexFolder
from voteweb.search.grammar import Query
from voteweb.search.models import Found, IndexDamaged, Kind, Note, Order, SearchBusy, SearchError, SearchTooSlow, State
from voteweb.search.queries import within
from voteweb.search.schema import MAX_NUMBER, ROWIDS_PER_YEAR, to_comment, to_time
from voteweb.search.suggestions import alternatives
from voteweb.search.weights import weigher

#: Documents up to which words are compared by how many have them, and shards that are looked through for them: each
#: takes 20 µs for each of the hundreds of words that differ from another by a letter.
_MAX_COMPARED = 50
_COMPARED_SHARDS = 3


#: The rowid, number and level of votes of a document.
_Row: TypeAlias = tuple[int, int, int]
#: How many of the newest matches, and of the most voted of the others, may be the best of an order.
LIMITS = {
    Order.RELEVANCE: (config.MAX_RANKED_MATCHES, config.MAX_VOTED_MATCHES),
    Order.VOTES: (config.MAX_COUNTED, config.MAX_COUNTED),
}


class SearchIndex:
    """Find documents in the index in *folder*, whichever of its files is the current one.

    Nothing is opened before the first search, so that an object can be made before a process forks. Methods raise the
    errors of :mod:`voteweb.search.models`. After each search ``on_search`` is called with its outcome, "ok", a Note or
    the code of an error, and the seconds that it took.
    """

    def __init__(self, folder: Path) -> None:
        self.on_search: Callable[[str, float], None] = lambda outcome, seconds: None
        self._connections = Connections(IndexFolder(folder))
        self._turns = threading.BoundedSemaphore(config.MAX_SEARCHES)

    def find(self, query: Query, kind: Kind, order: Order, count: int) -> Found:
        """Return the ids of the *count* newest documents of one *kind*, the newest first.

        Where votes count, these are all that may be among the best, by the weight of their words, if that counts: the
        caller puts them into order. What only filters, such as ``group:ask``, gives no order: without words the newest
        come first.
        """
        query = within(query, kind)
        if query.is_empty:
            return Found((), 0)
        begin, outcome = perf_counter(), "error"
        try:
            found = self._find(query, kind, order, count)
            outcome = found.note or "ok"
            return found
        except SearchError as error:
            outcome = error.code
            raise
        finally:
            self.on_search(outcome, perf_counter() - begin)

    def _find(self, query: Query, kind: Kind, order: Order, count: int) -> Found:
        with self.turn(), self._connections.connection() as connection:
            if order is Order.VOTES or (order is Order.RELEVANCE and query.words):
                try:
                    with connection.snapshot(config.SEARCH_SECONDS):
                        return _best(connection, query, kind, order)
                except TimeoutError:
                    note = Note.TOO_COMMON
            else:
                note = Note.NONE
            try:
                with connection.snapshot(config.UNRANKED_SEARCH_SECONDS if note else config.SEARCH_SECONDS):
                    return _newest(connection, query, kind, count)._replace(note=note)
            except TimeoutError:
                raise SearchTooSlow from None

    def same_link(self, id: int = 0, link: str = "", *, count: int) -> list[int]:
        """Return the ids of the newest articles with *link*, or else that of the article *id*, but for this one."""
        with self._connections.connection() as connection:
            return [other for (other,) in connection.rows(queries.same_link(id, link, count))]

    def suggest(self, query: Query, kind: Kind, found: int = 0) -> Query | None:
        """Return a query like *query*, by which more than *found* of this *kind* are found, None without one.

        Words are corrected only where nothing is found.
        """
        with self.turn(), self._connections.connection() as connection:

            def count(other: Query, limit: int = _MAX_COMPARED, max_shards: int | None = _COMPARED_SHARDS) -> int:
                asked = within(other, kind)
                return 0 if asked.is_empty else len(_candidates(connection, asked, kind, limit, max_shards))

            try:
                with connection.snapshot(config.SEARCH_SECONDS):
                    others = (other for other in alternatives(query, count) if other.parts != query.parts)
                    tried = islice(others, 1 if found else None)
                    return next((other for other in tried if count(other, found + 1, None) > found), None)
            except TimeoutError:
                return None

    def state(self) -> State:
        with self._connections.connection() as connection:
            return connection.state()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Be one of the MAX_SEARCHES that are made at a time; raise SearchBusy after a wait."""
        if not self._turns.acquire(timeout=config.SEARCH_WAIT_SECONDS):
            raise SearchBusy
        try:
            yield
        finally:
            self._turns.release()


def _newest(connection: Connection, query: Query, kind: Kind, count: int) -> Found:
    """Return the newest matches: all up to MAX_COUNTED are read, which costs less than counting them apart."""
    rowids = _candidates(connection, query, kind, config.MAX_COUNTED + 1)
    shown = _rows(connection, kind, rowids[:count])
    return Found(tuple(_id(kind, number) for _, number, _ in shown), len(rowids))


def _best(connection: Connection, query: Query, kind: Kind, order: Order) -> Found:
    """Return the newest matches and the most voted of the older ones; by relevance with the weights of their words."""
    newest_count, voted_count = LIMITS[order]
    rowids = _candidates(connection, query, kind, newest_count + 1)
    total, note = min(len(rowids), config.MAX_COUNTED + 1), Note.NONE
    if len(rowids) > newest_count:
        note, end = Note.BEST_RANKED, rowids.pop() + 1
        for level in reversed(VOTE_LEVELS):
            rest = newest_count + voted_count - len(rowids)
            rowids += _candidates(connection, query, kind, rest, end=end, level=level)
    rows = _rows(connection, kind, rowids)
    if order is Order.RELEVANCE:
        return _weighed(connection, query, kind, rows, Found((), total, note))
    return Found(tuple(_id(kind, number) for _, number, _ in rows), total, note)


def _weighed(connection: Connection, query: Query, kind: Kind, rows: Sequence[_Row], found: Found) -> Found:
    """Return *found* with the best MAX_COUNTED of *rows* by votes and age, and the weights of their words."""
    if len(rows) > config.MAX_COUNTED:  # what is not shown need not be read
        rows = sorted(rows, key=lambda row: row[2] + row[0] / ROWIDS_PER_YEAR, reverse=True)[: config.MAX_COUNTED]
    words: dict[int, str] = {}
    for shard in connection.shards(kind):
        missing = [row[0] for row in rows if row[0] >= shard.first and row[0] not in words]
        words.update(connection.rows(queries.words(shard, missing)) if missing else ())
    if len(words) < len(rows):
        raise IndexDamaged
    weigh = weigher(query, kind)
    weighed = sorted(
        ((weigh(words[row[0]]), *row) for row in sorted(rows, reverse=True)), key=itemgetter(0), reverse=True
    )
    return found._replace(
        ids=tuple(_id(kind, number) for _, _, number, _ in weighed),
        weights=tuple(weight for weight, *_ in weighed),
        times=tuple(to_time(rowid) for _, rowid, *_ in weighed),
    )


def _candidates(
    connection: Connection,
    query: Query,
    kind: Kind,
    limit: int,
    max_shards: int | None = None,
    *,
    end: int = MAX_NUMBER,
    level: int = 0,
) -> list[int]:
    """Return the rowids of at most *limit* newest matches before the rowid *end*, of the *max_shards* newest shards."""
    rowids: list[int] = []
    for shard in connection.shards(kind)[:max_shards]:
        if shard.first < end and len(rowids) < limit:
            statement = queries.newest(query, shard, end, limit - len(rowids), level)
            rowids += [rowid for (rowid,) in connection.rows(statement)]
            end = shard.first
    return rowids


def _rows(connection: Connection, kind: Kind, rowids: Sequence[int]) -> list[_Row]:
    """Return the rows of the documents with these *rowids*; raise IndexDamaged if there is none."""
    rows = {row[0]: row for row in connection.rows(queries.rows(kind, rowids))}
    if len(rows) < len(rowids):
        raise IndexDamaged
    return [rows[rowid] for rowid in rowids]


def _id(kind: Kind, number: int) -> DocumentId:
    return number if kind is Kind.ARTICLES else to_comment(number)
