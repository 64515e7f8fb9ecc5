"""Keep the conversations that a process has read, with the fields that they were read from."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock

from voteweb.core import config
from voteweb.core.comments import Thread


@dataclass(frozen=True, slots=True)
class KnownWords:
    """The texts of a short conversation by number, and ``state``: that of the conversation, and how many are stored."""

    texts: dict[int, str]
    state: str


@dataclass(frozen=True, slots=True)
class KnownThread:
    """A conversation and the stored fields that it was read from.

    ``changed`` is the time on the monotonic clock at which this process last found that it had changed, or first read
    it from a process that knew nothing of it: minus infinity.
    """

    thread: Thread
    fields: Mapping[str, str]
    changed: float
    words: KnownWords | None = None

    @property
    def state(self) -> str:
        """The state by which the script that reads conversations tells whether this one has changed."""
        return f"{self.thread.revision} {len(self.fields)}"


class ThreadCache:
    """A thread-safe cache of the conversations used last: THREAD_CACHE_SIZE, and THREAD_CACHE_COMMENTS in all."""

    def __init__(self) -> None:
        self._threads: dict[int, KnownThread] = {}
        self._comments = 0
        self._lock = Lock()

    def get(self, article_id: int) -> KnownThread | None:
        """Return what is known of the conversation of an article."""
        with self._lock:
            known = self._threads.pop(article_id, None)
            if known is not None:
                self._threads[article_id] = known
            return known

    def put_words(self, thread: Thread, words: KnownWords) -> None:
        """Keep the words of a conversation that is kept, unless they are too long."""
        if sum(map(len, words.texts.values())) > config.MAX_KEPT_WORDS:
            return
        with self._lock:
            known = self._threads.get(thread.article)
            if known is not None and known.thread is thread:
                self._threads[thread.article] = replace(known, words=words)

    def put(self, thread: Thread, fields: Mapping[str, str]) -> None:
        """Keep a conversation in place of an earlier state of it, and drop those not used for longest."""
        with self._lock:
            before = self._threads.pop(thread.article, None)
            if before is None:
                changed = float("-inf")
            else:
                self._comments -= len(before.thread.nodes)
                changed = before.changed if before.thread.revision == thread.revision else time.monotonic()
            self._threads[thread.article] = KnownThread(thread, fields, changed)
            self._comments += len(thread.nodes)
            while len(self._threads) > 1 and (
                len(self._threads) > config.THREAD_CACHE_SIZE or self._comments > config.THREAD_CACHE_COMMENTS
            ):
                dropped = self._threads.pop(next(iter(self._threads)))
                self._comments -= len(dropped.thread.nodes)
