"""Threads: the conversations of articles, read as far as this process does not know them yet."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from voteweb.core.comments import Thread, Visit
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.nodes import parse_thread
from voteweb.store.thread_cache import ThreadCache
from voteweb.store.visits import Visits

#: Comments up to which a conversation comes with all words and the viewer's votes, in one round trip.
SHORT_THREAD = 100
#: Comments up to which a script sends a conversation that has changed: under 2 ms of Redis, three times as long as
#: HGETALL without a script, which reads all longer ones.
SCRIPTED_THREAD = 2_000
#: Seconds for which a conversation that has changed is expected to change again: it is read without a comparison.
BUSY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ThreadRead:
    """A conversation as read for a page.

    ``words`` are the texts by number and ``voted`` the numbers of the comments that the viewer has voted for; both are
    None for a conversation of more than SHORT_THREAD comments, whose page reads those that it shows. ``visit`` is None
    for a reader.
    """

    thread: Thread
    words: dict[int, str] | None
    voted: frozenset[int] | None
    visit: Visit | None = None


class Threads:
    """The conversations of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._cache = ThreadCache()
        self._visits = Visits(connection)

    def get(self, article_id: int) -> Thread:
        """Return the conversation of an article; an empty one if nobody has commented."""
        pipeline = self._connection.pipeline()
        read = self.queue_read(pipeline, article_id)
        pipeline.execute()
        return read.result.thread

    def queue_read(
        self, pipeline: Pipeline, article_id: int, *, viewer_id: int = 0, visitor: str = ""
    ) -> Future[ThreadRead]:
        """Queue a read of a conversation, with the votes of the member *viewer_id*; note the visit of *visitor*.

        The comments come over the wire only if this process does not know the revision. A long conversation that has
        changed after a while without changes takes one round trip more.
        """
        visit = self._visits.queue_note(pipeline, article_id, visitor) if visitor else None
        known = self._cache.get(article_id)
        # A conversation without a revision is none, or another program has written it.
        is_busy = known is None or not known.thread.revision or time.monotonic() < known.changed + BUSY_SECONDS
        read_all: Command = ("HGETALL", self._keys.thread(article_id))
        keys = [self._keys.thread(article_id), self._keys.words(article_id), self._keys.voted_comments(article_id, 0)]
        state = "*" if known is None or is_busy else f"{known.thread.revision} {len(known.fields)}"
        script = scripts.call("read_thread", keys, [state, viewer_id, SHORT_THREAD, SCRIPTED_THREAD])

        def parse(replies: Sequence[Any]) -> ThreadRead:
            *whole, (found, fields, words, votes) = replies
            if whole:
                thread = self._thread(article_id, dict(whole[0]))
            elif fields is not None:
                thread = self._thread(article_id, _pairs(fields))
            elif known is not None and found == state:
                thread = known.thread
            else:
                thread = self._thread(article_id, dict(pipeline.send([read_all])[0]))
            return ThreadRead(thread, _words(words), _voted(votes), visit.result if visit else None)

        return pipeline.queue([read_all, script] if is_busy else [script], parse)

    def _thread(self, article_id: int, fields: dict[str, str]) -> Thread:
        known = self._cache.get(article_id)
        thread = parse_thread(article_id, fields, known)
        self._cache.put(thread, fields)
        return thread

    def queue_new_counts(self, pipeline: Pipeline, article_ids: Sequence[int], name: str) -> Future[dict[int, int]]:
        """Queue a count of the comments that a member has not seen, for those articles where the member was before."""
        return self._visits.queue_new_counts(pipeline, article_ids, name)

    def visits_of(self, name: str) -> dict[int, Visit]:
        """Return what a member has seen of conversations, by article id."""
        return self._visits.of_member(name)

    def queue_words(self, pipeline: Pipeline, article_id: int, numbers: Iterable[int]) -> Future[dict[int, str]]:
        """Queue a read of the texts of these comments; one that was deleted has none."""
        wanted = list(numbers)
        if not wanted:
            return pipeline.queue([], lambda _: {})
        return pipeline.queue(
            [("HMGET", self._keys.words(article_id), *wanted)],
            lambda replies: {number: text for number, text in zip(wanted, replies[0], strict=True) if text is not None},
        )


def _pairs(flat: Sequence[str]) -> dict[str, str]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _words(flat: Sequence[str] | None) -> dict[int, str] | None:
    """Return texts by number from a hash, None for those of a long conversation."""
    return None if flat is None else {int(number): text for number, text in _pairs(flat).items() if number.isdecimal()}


def _voted(votes: Sequence[int] | None) -> frozenset[int] | None:
    return None if votes is None else frozenset(number for number, is_voted in enumerate(votes, 1) if is_voted)
