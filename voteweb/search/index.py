"""The index of one machine as processes that search see it: read-only."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from voteweb.core import config
from voteweb.core.search_documents import DocumentId
from voteweb.search.connections import Connection, Connections
from voteweb.search.files import IndexFolder
from voteweb.search.grammar import Query
from voteweb.search.models import Found, IndexDamaged, Kind, Note, Order, SearchBusy, SearchError, SearchTooSlow, State
from voteweb.search.queries import Statement, ids, newest, ranked, within
from voteweb.search.schema import MAX_NUMBER, to_comment, to_time
from voteweb.search.suggestions import alternatives

#: Documents up to which words are compared by how many have them, and shards that are looked through for them: each
#: takes 20 µs for each of the hundreds of words that differ from another by a letter.
_MAX_COMPARED = 50
_COMPARED_SHARDS = 3


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

    def find(self, query: Query, kind: Kind, order: Order, first: int, count: int) -> Found:
        """Return *count* ids of documents of one *kind* from the *first* on, by the weight of words or newest first.

        What only filters, such as ``group:ask``, gives no order: without words the newest come first.
        """
        query = within(query, kind)
        if query.is_empty:
            return Found((), 0)
        begin, outcome = perf_counter(), "error"
        try:
            found = self._find(query, kind, order, first, count)
            outcome = found.note or "ok"
            return found
        except SearchError as error:
            outcome = error.code
            raise
        finally:
            self.on_search(outcome, perf_counter() - begin)

    def _find(self, query: Query, kind: Kind, order: Order, first: int, count: int) -> Found:
        with self.turn(), self._connections.connection() as connection:
            if order is Order.RELEVANCE and query.words:
                try:
                    with connection.snapshot(config.SEARCH_SECONDS):
                        return _ranked(connection, query, kind, first, count)
                except TimeoutError:
                    note = Note.TOO_COMMON
            else:
                note = Note.NONE
            try:
                with connection.snapshot(config.UNRANKED_SEARCH_SECONDS if note else config.SEARCH_SECONDS):
                    return _newest(connection, query, kind, first, count)._replace(note=note)
            except TimeoutError:
                raise SearchTooSlow from None

    def suggest(self, query: Query, kind: Kind) -> Query | None:
        """Return a query like *query*, which finds nothing, that finds something of this *kind*, None without one."""
        with self.turn(), self._connections.connection() as connection:

            def count(other: Query, limit: int = _MAX_COMPARED, max_shards: int | None = _COMPARED_SHARDS) -> int:
                asked = within(other, kind)
                return 0 if asked.is_empty else len(_candidates(connection, asked, kind, newest, limit, max_shards))

            try:
                with connection.snapshot(config.SEARCH_SECONDS):
                    others = (other for other in alternatives(query, count) if other.parts != query.parts)
                    return next((other for other in others if count(other, 1, None)), None)
            except TimeoutError:
                return None

    def state(self) -> State:
        """Return the state of the current index."""
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


def _newest(connection: Connection, query: Query, kind: Kind, first: int, count: int) -> Found:
    """Return the newest matches: all up to MAX_COUNTED are read, which costs less than counting them apart."""
    limit = config.MAX_COUNTED + 1
    rowids = [row[0] for row in _candidates(connection, query, kind, newest, limit)]
    return Found(_ids(connection, kind, rowids[first : first + count]), len(rowids))


def _ranked(connection: Connection, query: Query, kind: Kind, first: int, count: int) -> Found:
    """Return the newest MAX_RANKED_MATCHES matches by the weight of the words, of equal ones the newest first."""
    rows = _candidates(connection, query, kind, ranked, config.MAX_RANKED_MATCHES + 1)
    is_cut = len(rows) > config.MAX_RANKED_MATCHES
    best = min((rank for _, rank in rows if rank is not None), default=-1.0)
    ranks = {rowid: best if rank is None else rank for rowid, rank in rows[: config.MAX_RANKED_MATCHES]}
    rowids = sorted(ranks, key=ranks.__getitem__)[first : first + count]
    return Found(
        _ids(connection, kind, rowids),
        min(len(rows), config.MAX_COUNTED + 1),
        Note.NEWEST_RANKED if is_cut else Note.NONE,
        weights=tuple(-ranks[rowid] for rowid in rowids),
        times=tuple(map(to_time, rowids)),
    )


def _candidates(
    connection: Connection,
    query: Query,
    kind: Kind,
    statement: Callable[..., Statement],
    limit: int,
    max_shards: int | None = None,
) -> list[tuple[Any, ...]]:
    """Return the rows of the newest matches, at most *limit*, from the newest shard to the oldest of *max_shards*."""
    rows: list[tuple[Any, ...]] = []
    end = MAX_NUMBER
    for shard in connection.shards(kind)[:max_shards]:
        rows += connection.rows(statement(query, shard, end, limit - len(rows)))
        end = shard.first
        if len(rows) == limit:
            break
    return rows


def _ids(connection: Connection, kind: Kind, rowids: list[int]) -> tuple[DocumentId, ...]:
    """Return the ids of the documents in these rows; raise IndexDamaged if there is none."""
    numbers = {row[0]: row[1] for row in connection.rows(ids(kind, rowids))}
    if len(numbers) < len(rowids):
        raise IndexDamaged
    return tuple(numbers[rowid] if kind is Kind.ARTICLES else to_comment(numbers[rowid]) for rowid in rowids)
