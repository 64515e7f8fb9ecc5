"""Threads: the conversations of articles, read as far as this process does not know them yet."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress, count
from typing import Any

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import Thread, Visit
from voteweb.core.models import Article
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.nodes import VOTER_FACTOR, parse_thread
from voteweb.store.thread_cache import KnownThread, KnownWords, ThreadCache
from voteweb.store.visits import NotedVisit, Visits

#: Comments up to which a conversation comes with all words and the viewer's votes, in one round trip.
SHORT_THREAD = 100
#: Comments up to which a script sends a conversation that has changed: under 2 ms of Redis, three times as long as
#: HGETALL without a script, which reads all longer ones.
SCRIPTED_THREAD = 2_000
#: Comments that may have been written since the conversation was read, and of which the votes are read at once.
MORE_COMMENTS = 8
#: Seconds for which a conversation that has changed is expected to change again: it is read without a comparison.
BUSY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ThreadRead:
    """A conversation as read for a page.

    ``words`` are the texts by number and ``voted`` the numbers of the comments that the viewer has voted for; both are
    None for a conversation of more than SHORT_THREAD comments, whose page reads those that it shows; ``voted`` alone is
    None if many were written since this process has read it. ``visit`` and
    ``article`` are None unless a visit was noted; there may be no such article.
    """

    thread: Thread
    words: dict[int, str] | None
    voted: frozenset[int] | None
    visit: Visit | None = None
    article: Article | None = None


class Threads:
    """The conversations of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._cache = ThreadCache()
        self._visits = Visits(connection)
        #: Of conversations and viewers: the comments that the viewer has voted for, and the state in which that is so.
        self._voted: BoundedCache[tuple[int, int], tuple[str, frozenset[int]]] = BoundedCache(config.HINT_CACHE_SIZE)

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
        noted = self._visits.queue_note(pipeline, article_id, visitor) if visitor else None
        known = self._cache.get(article_id)
        # A conversation without a revision is none, or another program has written it.
        has_state = known is not None and (known.thread.revision > 0 or not known.fields)
        is_busy = known is None or not has_state or time.monotonic() < known.changed + BUSY_SECONDS
        read_all: Command = ("HGETALL", self._keys.thread(article_id))
        keys = [self._keys.thread(article_id), self._keys.words(article_id), self._keys.voted_comments(article_id, 0)]
        state = "*" if known is None or is_busy else known.state
        words_state = known.words.state if known and known.words else ""
        # Comments of which this reads the votes; those of a conversation that is not known are read by the script.
        asked = range(1, known.thread.last + MORE_COMMENTS) if known and viewer_id and known.words else range(0)
        limits = [SHORT_THREAD, SCRIPTED_THREAD]
        script = scripts.call("read_thread", keys, [state, words_state, 0 if asked else viewer_id, *limits])

        def read_votes() -> list[Command]:
            stored = range(asked.start * VOTER_FACTOR + viewer_id, asked.stop * VOTER_FACTOR + viewer_id, VOTER_FACTOR)
            return [("SMISMEMBER", keys[2], *stored)] if asked else []

        def commands() -> list[Command]:
            return [read_all] * is_busy + [script, *read_votes()]

        def parse(replies: Sequence[Any]) -> ThreadRead:
            whole, (found, fields, words, votes) = replies[:is_busy], replies[is_busy]
            if whole:
                thread = self._thread(article_id, dict(whole[0]))
            elif fields is not None:
                thread = self._thread(article_id, _pairs(fields))
            elif known is not None and found == state:
                thread = known.thread
            else:
                thread = self._thread(article_id, dict(pipeline.send([read_all])[0]))
            voted = None if votes is None else frozenset(compress(count(1), votes))
            if asked and votes is not None:
                is_complete = thread.last < asked.stop
                voted = frozenset(compress(asked, replies[-1])) if is_complete else None
            return with_visit(ThreadRead(thread, self._words(thread, known, found, words), voted))

        def with_visit(read: ThreadRead) -> ThreadRead:
            return replace(read, visit=noted.result.visit, article=noted.result.article) if noted else read

        def parse_known(known: KnownThread, noted: NotedVisit, replies: Sequence[Any]) -> ThreadRead:
            known_state = known.words.state if known.words else f"{known.state} 0"
            if noted.visit and noted.state != known_state:
                return parse(pipeline.send(commands()))
            state, voted = cached
            if not asked:
                voted = frozenset()
            elif state != noted.votes_state:
                voted = frozenset(compress(asked, (replies or pipeline.send(read_votes()))[0]))
                self._voted.put((article_id, viewer_id), (noted.votes_state, voted))
            return with_visit(ThreadRead(known.thread, known.words.texts if known.words else {}, voted))

        if noted and known and not is_busy and (known.words or not known.fields):
            # The note of the visit tells whether it has changed, and the votes of the viewer that this process knows:
            # to read those for a hundred comments takes a twentieth of the page.
            cached = self._voted.get((article_id, viewer_id), ("", frozenset()))
            missing = [] if cached[0] else read_votes()
            return pipeline.queue(missing, lambda replies: parse_known(known, noted.result, replies))
        return pipeline.queue(commands(), parse)

    def _words(
        self, thread: Thread, known: KnownThread | None, found: str, words: Sequence[str] | None
    ) -> dict[int, str] | None:
        """Return texts by number, those of *known* if the script did not send *words*; None for a long conversation."""
        if words is None:
            is_known = known is not None and known.words is not None and known.words.state.startswith(f"{found} ")
            return known.words.texts if known and known.words and is_known else None
        texts = {int(number): text for number, text in _pairs(words).items() if number.isdecimal()}
        kept = self._cache.get(thread.article)
        if kept is not None and kept.state == found and thread.revision:
            self._cache.put_words(thread, KnownWords(texts, f"{found} {len(words) // 2}"))
        return texts

    def _thread(self, article_id: int, fields: dict[str, str]) -> Thread:
        known = self._cache.get(article_id)
        if known is not None and known.fields == fields:
            return known.thread
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
