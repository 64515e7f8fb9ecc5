"""The folder of an index: its files, which of them is the current one, and the lock of the indexer.

A file is never renamed over another, since a write-ahead log belongs to a name: a rebuild writes another file, and then
``current-<schema>``, which names one, is replaced. Readers that have an older file open go on with it until their next
search.
"""

import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from voteweb.search.models import AlreadyIndexing, IndexNotWritable, SearchError
from voteweb.search.schema import CURRENT, SCHEMA
from voteweb.search.writer import IndexWriter

#: The folder and all in it are for the user of the site only.
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_NAME = re.compile(rf"{SCHEMA}-\d+\.db")


class IndexFolder:
    """The files of the index in the folder *path*."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._current = path / CURRENT
        self._percent = path / f"percent-{SCHEMA}"
        self._rebuild_request = path / f"rebuild-{SCHEMA}"

    def current(self) -> Path | None:
        """Return the file that is searched, None if there is none."""
        try:
            name = self._current.read_text()
        except (OSError, UnicodeDecodeError):
            return None
        file = self.path / name
        return file if _NAME.fullmatch(name) and file.exists() else None

    def percent(self) -> int:
        """Return how much is built of the file that is to become the current one."""
        try:
            return int(self._percent.read_text())
        except (OSError, ValueError):
            return 0

    def set_percent(self, percent: int) -> None:
        """Note how much is built of the file that is to become the current one."""
        with suppress(OSError):
            self._percent.write_text(str(percent))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the indexer; raise AlreadyIndexing at once if another process holds it.

        Raises IndexNotWritable if the folder cannot be made or written.
        """
        try:
            for folder in (self.path.parent, self.path):
                folder.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
            lock = (self.path / f"lock-{SCHEMA}").open("w")
        except OSError as error:
            raise IndexNotWritable(reason=str(error)) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyIndexing from None
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # a child forked meanwhile has the file open too

    def open(self) -> IndexWriter | None:
        """Return a writer of the current file, None if there is none that can be used. The caller holds the lock."""
        file = self.current()
        with suppress(OSError):
            self._delete_all_but(file)  # a build that has filled the disk, for one
        try:
            return IndexWriter.open(file) if file else None
        except SearchError:
            return None

    def request_rebuild(self) -> None:
        """Ask the process that holds the lock to build the index anew.

        The request stands until an index is published that was begun after it. Raises IndexNotWritable.
        """
        try:
            self._rebuild_request.touch()
            os.utime(self._rebuild_request, ns=(time.time_ns(),) * 2)  # the system's clock of files is behind
        except OSError as error:
            raise IndexNotWritable(reason=str(error)) from error

    def is_rebuild_requested(self) -> bool:
        return self._rebuild_request.exists()

    def start_rebuild(self, epoch: str) -> IndexWriter:
        """Return a writer of a new file of the site's *epoch*; readers go on with the current one until it is ready.

        The caller holds the lock. Files of rebuilds that were not finished are deleted. Raises IndexNotWritable.
        """
        file = self.path / f"{SCHEMA}-{time.time_ns()}.db"
        try:
            self._delete_all_but(self.current())
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _FILE_MODE))
        except OSError as error:
            raise IndexNotWritable(reason=str(error)) from error
        self.set_percent(0)
        return IndexWriter.create(file, epoch)

    def publish(self, writer: IndexWriter) -> None:
        """Make the file of *writer* the current one and delete all others of this schema; raise IndexNotWritable."""
        writer.finish()
        try:
            self._point_to(writer.file.name)
            self.set_percent(0)
            self._delete_all_but(writer.file)
            begun = int(writer.file.stem.partition("-")[2])  # unix time in nanoseconds
            if self.is_rebuild_requested() and self._rebuild_request.stat().st_mtime_ns <= begun:
                self._rebuild_request.unlink()
        except OSError as error:
            raise IndexNotWritable(reason=str(error)) from error

    def discard(self, file: Path) -> None:
        """Delete *file*, which is damaged: nothing is searched until another one is published.

        What names the current file is left alone, since that may be another one by now.
        """
        with suppress(OSError):
            file.unlink()

    def _point_to(self, name: str) -> None:
        new = self._current.with_name(f"{self._current.name}.{os.getpid()}")
        new.write_text(name)
        new.replace(self._current)

    def _delete_all_but(self, kept: Path | None) -> None:
        # The database first: a reader that opened it without its write-ahead log would miss the rows of that.
        for file in sorted(self.path.glob(f"{SCHEMA}-*.db*")):
            if not (kept and file.name.startswith(kept.name)):
                file.unlink(missing_ok=True)
