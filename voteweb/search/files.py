"""The folder of an index: numbered files, which of them is the current one, and the lock of the indexer.

A file is never renamed over another, since a write-ahead log belongs to a name: a rebuild writes the next number, and
then the file ``current-<schema>``, which names one, is replaced.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voteweb.search.writer import IndexWriter

#: The layout of the files; another one means other files, so that two versions of the program can share a folder.
SCHEMA = 1


class IndexFolder:
    """The files of the index in the folder *path*."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def current(self) -> Path | None:
        """Return the file that is searched, None if there is none yet."""
        raise NotImplementedError

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the indexer; raise AlreadyIndexing at once if another process holds it."""
        raise NotImplementedError
        yield

    def open(self) -> IndexWriter | None:
        """Return a writer of the current file, None if there is none or it is damaged. The caller holds the lock."""
        raise NotImplementedError

    def start_rebuild(self, epoch: str) -> IndexWriter:
        """Return a writer of a new file of the site's *epoch*; readers go on with the current one until it is ready."""
        raise NotImplementedError

    def publish(self, writer: IndexWriter) -> None:
        """Make the file of *writer* the current one and delete all others of this schema."""
        raise NotImplementedError

    def discard(self) -> None:
        """Say that the current file is damaged: nothing is searched until another one is published."""
        raise NotImplementedError
