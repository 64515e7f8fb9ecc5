"""Read-only connections to the current file of an index, one for each thread: to open one takes 0.8 ms."""

import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from voteweb.search.engine import connect, sqlite3, translated_errors
from voteweb.search.files import IndexFolder
from voteweb.search.models import IndexDamaged, Kind, NotReady, SearchError, State
from voteweb.search.queries import Statement
from voteweb.search.schema import Shard, check_tables, read_shards, read_state

#: Kilobytes of pages that each connection keeps. The file is not mapped into memory: searches would take a tenth less,
#: but a disk that fails to read a page of it would end the process.
_CACHE_KILOBYTES = 8 * 1024
#: Steps of SQLite's machine between two looks at the clock. One may read much of a full-text index: phrases that are
#: nowhere end 17 ms after their time with 1,000 steps and 1 ms after it with 100, for 1.4 % more of a ranked search.
_STEPS = 100
#: Times its seconds that a statement may wait for a processor or a disk.
_MAX_WAITS = 3


class _Deadline:
    """When a statement has to end; apart from its connection, which a cycle would keep after its thread has ended."""

    def __init__(self) -> None:
        self.set(float("inf"))

    def set(self, seconds: float) -> None:
        self._time, self._work = time.monotonic() + seconds, time.thread_time() + seconds
        self._latest = self._time + _MAX_WAITS * seconds

    def is_past(self) -> bool:
        """Return whether the thread has worked so long; on a busy machine it may wait besides, within bounds."""
        now = time.monotonic()
        return now > self._time and (now > self._latest or time.thread_time() > self._work)


class Connection:
    """A connection to one file; a statement that runs longer than its snapshot may last raises TimeoutError."""

    def __init__(self, file: Path) -> None:
        """Open *file*; raise IndexDamaged or SQLite's error if it is no index."""
        self.file = file
        self._deadline = _Deadline()
        self._connection = connect(file, "ro")
        # At the latest with its thread; Python warns of a connection that nobody closes.
        self._closing = weakref.finalize(self, self._connection.close)
        for name, value in (("query_only", 1), ("cache_size", -_CACHE_KILOBYTES)):
            self._connection.execute(f"PRAGMA {name} = {value}")
        self._connection.set_progress_handler(self._deadline.is_past, _STEPS)
        check_tables(self._connection)

    @contextmanager
    def snapshot(self, seconds: float) -> Iterator[None]:
        """Read from one state of the index, for *seconds* of work at most."""
        self._connection.execute("BEGIN")
        self._deadline.set(seconds)
        try:
            with translated_errors():
                yield
        finally:
            self._deadline.set(float("inf"))
            if self._connection.in_transaction:  # SQLite may have ended it
                self._connection.execute("ROLLBACK")

    def rows(self, statement: Statement) -> list[tuple[Any, ...]]:
        return self._connection.execute(*statement).fetchall()

    def shards(self, kind: Kind) -> list[Shard]:
        return read_shards(self._connection, kind)

    def state(self) -> State:
        return read_state(self._connection, self.file)

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._closing()


class _OfThread(threading.local):
    connection: Connection | None = None


class Connections:
    """The connections of one process, which forks none that search, to the current file of a folder.

    Nothing is opened before it is used.
    """

    def __init__(self, folder: IndexFolder) -> None:
        self._folder = folder
        self._of_thread = _OfThread()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend this thread its connection to the current file, and raise errors of search instead of SQLite's.

        Raises NotReady if there is no file. A damaged one is discarded, so that the indexer makes another.
        """
        file, connection = self._open_current()
        try:
            with translated_errors():
                yield connection
        except IndexDamaged:
            self._discard(file)
            raise

    def _open_current(self) -> tuple[Path, Connection]:
        """Return the current file and a connection to it."""
        while True:
            file = self._folder.current()
            try:
                if not file:
                    self._close()
                    raise NotReady(percent=self._folder.percent())
                with translated_errors(is_opening=True):
                    return file, self._open(file)
            except SearchError as error:
                if self._folder.current() != file:
                    continue  # it was deleted for the next one before it was opened
                if file and isinstance(error, IndexDamaged):
                    self._discard(file)
                raise

    def _open(self, file: Path) -> Connection:
        known = self._of_thread.connection
        if known and known.file == file:
            return known
        self._close()
        self._of_thread.connection = Connection(file)
        return self._of_thread.connection

    def _discard(self, file: Path) -> None:
        self._close()
        self._folder.discard(file)

    def _close(self) -> None:
        if self._of_thread.connection:
            self._of_thread.connection.close()
        self._of_thread.connection = None
