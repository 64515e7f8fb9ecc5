"""Keep the index of this machine up to date: follow the stream of changes, or index everything where that does not do.

Articles and comments are read as they are now, and not as they were at the change: reading twice, or in another order,
does no harm. The position in the stream is stored after what was read before it.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Protocol, TypeVar

from voteweb.core.comments import CommentId
from voteweb.core.errors import Unavailable
from voteweb.core.search_documents import Changes, Document
from voteweb.search.files import IndexFolder
from voteweb.search.models import IndexDamaged, IndexNotWritable
from voteweb.search.writer import IndexWriter

#: The ids of articles, or those of comments.
D = TypeVar("D", int, CommentId)

#: Articles or comments that are read and indexed at once: 30 to 90 ms, for so long a new post waits at most.
CHUNK_SIZE = 500


class Source(Protocol):
    """Everything that is searched, as it is now, and the stream of its changes: see ``Search`` in the store."""

    def end_of_changes(self) -> str:
        """Return the position after the last change."""

    def changes_since(self, position: str, *, wait: float) -> Changes:
        """Return what has changed since *position*; wait some seconds for a change."""

    def listed_count(self) -> int:
        """Return the number of listed articles."""

    def newest_ids(self, count: int) -> list[int]:
        """Return the ids of the newest articles."""

    def listed_ids(self, size: int) -> Iterator[tuple[list[int], float]]:
        """Yield the ids of all listed articles, about *size* at once, and the share that is complete with them."""

    def articles(self, ids: Iterable[int]) -> list[Document]:
        """Return those of these articles that are listed."""

    def last_comments(self, ids: Iterable[int]) -> dict[int, int]:
        """Return the highest number of a comment for those of these articles that have any."""

    def comments(self, ids: Iterable[CommentId]) -> list[Document]:
        """Return those of these comments that everybody can read."""


def _index(read: Callable[[list[D]], list[Document]], writers: Sequence[IndexWriter], ids: Iterable[D]) -> None:
    """Index the documents of these *ids* as *read* returns them; those that it does not return are taken out."""
    for chunk in _chunks(ids):
        documents = read(chunk)
        known = {document.id for document in documents}
        for writer in writers:
            writer.apply(documents, [id for id in chunk if id not in known])


def _index_everything(source: Source, writer: IndexWriter) -> Iterator[float]:
    """Index everything as it is now, in steps; yield the share of the listed articles that is done."""
    for articles, share in source.listed_ids(CHUNK_SIZE):
        _index(source.articles, [writer], articles)
        yield share
        last = source.last_comments(articles)
        for chunk in _chunks(CommentId(id, number) for id, highest in last.items() for number in range(1, highest + 1)):
            _index(source.comments, [writer], chunk)
            yield share
    for _ in writer.merge():
        yield 1.0


def _chunks(items: Iterable[D]) -> Iterator[list[D]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK_SIZE)):
        yield chunk


#: Seconds for which a step waits for a change.
WAIT_SECONDS = 1.0
#: After each step of a build the processor is left to others for as long as the step took, times this. Giving the
#: thread a lower priority would do as well, but is a system call that services are forbidden.
PAUSE_SHARE = 0.5
#: Articles that programs after the book may have posted, which write no stream, and seconds between looks for them.
NEWEST_COUNT = 200
LOOK_SECONDS = 5.0
#: Seconds from a failure to write to the next build that replaces a current index: it may have filled the disk.
BUILD_RETRY_SECONDS = 600.0
#: Seconds between two notes that the whole stream has been read.
NOTE_SECONDS = 2.0
#: Seconds between two attempts to reach a database that is unavailable.
RETRY_SECONDS = 1.0


class Indexer:
    """The indexer of the index in *folder*, one per machine."""

    def __init__(self, folder: IndexFolder, source: Source) -> None:
        self._folder = folder
        self._source = source
        self._current: IndexWriter | None = None
        #: The index that is being built, and takes the place of the current one.
        self._next: IndexWriter | None = None
        self._epoch = self._position = ""
        #: The steps in which that one is built.
        self._build: Iterator[float] = iter(())
        #: The articles whose comments have all changed before the position, and the steps that index these comments.
        self._conversations: set[int] = set()
        self._rest: Iterator[None] | None = None
        self._pause = 0.0
        #: Whether the current index lacks changes before the position, until the next one takes its place.
        self._has_gap = False
        self._next_look = self._next_note = self._next_build = 0.0

    def run(self, is_stopped: Callable[[], bool]) -> None:
        """Keep the index up to date until *is_stopped*. Raises AlreadyIndexing if another process does so."""
        with self._folder.locked():
            while not is_stopped():
                try:
                    with self._opened():
                        while not is_stopped():
                            self._step(WAIT_SECONDS)
                except Unavailable:
                    time.sleep(RETRY_SECONDS)

    def catch_up(self, *, rebuild: bool = False, on_step: Callable[[float], None] = lambda share: None) -> None:
        """Bring the index up to date once, or build it anew. Raises AlreadyIndexing, Unavailable.

        *on_step* is called with the share that is done while everything is indexed.
        """
        with self._folder.locked(), self._opened():
            if rebuild and not self._next:
                self._begin_build()
            while not self._step(0, on_step):
                pass

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """Begin at the stored position, and leave no file open."""
        try:
            self._current = self._folder.open()
            if self._current:
                state = self._current.state()
                self._epoch, self._position = state.epoch, state.position
            else:
                self._start_over()
            yield
        finally:
            self._close()

    def _close(self) -> None:
        for writer in self._writers():
            writer.close()
        self._current = self._next = None
        self._has_gap, self._rest = False, None
        self._conversations.clear()

    def _writers(self) -> list[IndexWriter]:
        return [writer for writer in (self._current, self._next) if writer]

    def _step(self, wait: float, on_step: Callable[[float], None] = lambda share: None) -> bool:
        """Do a part of the work, less than 0.1 s of it; tell whether nothing is left to do."""
        try:
            if not self._next and not (self._current and self._folder.current() == self._current.file):
                self._start_over()  # a search has found damage, or the last attempt failed
                return False
            is_idle = not self._next and not self._rest
            changes = self._source.changes_since(self._position, wait=wait if is_idle else min(wait, self._pause))
            if changes.epoch != self._epoch:
                self._start_over()
                return False
            if not changes.is_complete:
                self._has_gap = True
                self._begin_build()
                self._position = self._source.end_of_changes()
                return False
            self._follow(changes)
            if not changes.may_be_more and not self._has_gap and not self._rest:
                self._note_time()
            if self._next or self._rest:
                begin = time.monotonic()
                self._go_on(on_step)
                self._pause = PAUSE_SHARE * (time.monotonic() - begin)
                return False
            if not changes.may_be_more:
                self._look_around()
            return not changes.may_be_more and not self._next
        except IndexDamaged:
            self._start_over()
            return False
        except IndexNotWritable:
            self._next_build = time.monotonic() + BUILD_RETRY_SECONDS
            raise

    def _start_over(self) -> None:
        """Build the index, and find nothing until it is there: the current one is damaged, or of other data."""
        if file := self._folder.current():
            self._folder.discard(file)
        self._close()
        self._position = self._source.end_of_changes()
        self._begin_build()

    def _begin_build(self) -> None:
        self._epoch = self._source.changes_since(self._position, wait=0).epoch
        if self._next:
            self._next.close()
        self._next = self._folder.start_rebuild(self._epoch)
        self._build = _index_everything(self._source, self._next)

    def _follow(self, changes: Changes) -> None:
        """Index what has changed, but for whole conversations, then store the new position."""
        if changes.position == self._position:
            return
        if changes.is_purge:
            self._folder.request_rebuild()
        writers = self._writers()
        _index(self._source.articles, writers, changes.articles)
        _index(self._source.comments, writers, changes.comments)
        self._conversations |= changes.conversations
        if self._conversations and not self._rest:
            self._rest = self._index_conversations()
        self._position = changes.position
        self._store_position()

    def _store_position(self) -> None:
        """Store the position, unless something before it is not indexed yet."""
        if self._current and not self._has_gap and not self._rest:
            self._current.apply([], [], self._position)

    def _index_conversations(self) -> Iterator[None]:
        """Index all comments of the conversations as they are now, CHUNK_SIZE of them in a step.

        Those that were indexed and are gone are taken out.
        """
        while self._conversations:  # more of them may be named meanwhile
            for chunk in _chunks(self._comments()):
                _index(self._source.comments, self._writers(), chunk)
                yield

    def _comments(self) -> Iterator[CommentId]:
        while self._conversations:
            article = self._conversations.pop()
            last = self._source.last_comments([article]).get(article, 0)
            ids = {CommentId(article, number) for number in range(1, last + 1)}
            yield from sorted(ids.union(*(writer.comments_of(article) for writer in self._writers())))

    def _go_on(self, on_step: Callable[[float], None]) -> None:
        """Do the next step of conversations, else of the build; after its last one, search what was built."""
        if self._rest:
            if next(self._rest, self) is self:
                self._rest = None
                self._store_position()
        elif self._next and (share := next(self._build, None)) is not None:
            on_step(share)
            self._folder.set_percent(min(int(100 * share), 99))
        elif self._next:
            self._next.apply([], [], self._position)
            self._folder.publish(self._next)
            if self._current:
                self._current.close()
            self._current, self._next, self._has_gap = self._next, None, False

    def _note_time(self) -> None:
        """Note now and then that the whole stream has been read."""
        clock = time.monotonic()
        if clock >= self._next_note and self._current:
            self._next_note = clock + NOTE_SECONDS
            self._current.set_checked(time.time())

    def _look_around(self) -> None:
        """Look for new articles that no stream tells of, and for a request to build the index anew."""
        clock = time.monotonic()
        if clock >= self._next_look:
            self._next_look = clock + LOOK_SECONDS
            newest, writers = self._source.newest_ids(NEWEST_COUNT), self._writers()
            unknown = [id for id in newest if not all(writer.has(id) for writer in writers)]
            _index(self._source.articles, writers, unknown)
            if clock >= self._next_build and self._folder.is_rebuild_requested():
                self._begin_build()
