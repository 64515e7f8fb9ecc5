"""SQLite, if this Python has it: some are built without it, others without its full-text search."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from voteweb.search.models import IndexDamaged, IndexNotWritable, SearchError

try:
    import sqlite3
except ImportError:  # the site works without search
    sqlite3 = None  # type: ignore[assignment]

__all__ = ["connect", "has_full_text_search", "sqlite3", "translated_errors"]

#: Seconds for which a statement waits for another connection. Readers wait for none; the indexer waits while
#: ``voteweb doctor`` checks a full-text index, 5 s for a million articles that are in memory.
_BUSY_SECONDS = {"ro": 5.0, "rw": 60.0}


def has_full_text_search() -> bool:
    """Tell whether this Python can make and search an index."""
    if sqlite3 is None:
        return False
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(word)")
    except sqlite3.Error:
        return False
    return True


def connect(file: Path, mode: str) -> "sqlite3.Connection":
    """Open an existing *file*; *mode* is "ro" or "rw". Transactions begin only with BEGIN."""
    address = f"{file.absolute().as_uri()}?mode={mode}"
    # One for reading belongs to a thread, and another may free both.
    return sqlite3.connect(
        address, timeout=_BUSY_SECONDS[mode], isolation_level=None, uri=True, check_same_thread=mode == "rw"
    )


@contextmanager
def translated_errors(*, is_opening: bool = False) -> Iterator[None]:
    """Raise an error of search instead of SQLite's, and TimeoutError for what was interrupted.

    A file that *is_opening* is damaged, too, if it has other tables.
    """
    try:
        yield
    except sqlite3.Error as error:
        extended = getattr(error, "sqlite_errorcode", 0)
        code = extended & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            raise TimeoutError from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or (is_opening and code == sqlite3.SQLITE_ERROR):
            raise IndexDamaged from error
        if extended in (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ):
            raise SearchError from error
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY):
            raise IndexNotWritable(reason=str(error)) from error
        raise SearchError from error
