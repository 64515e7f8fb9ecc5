"""Keep the conversations that a process has read, with the fields that they were read from."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from voteweb.core import config
from voteweb.core.caches import BoundedCache
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
    """The conversations used last, until others take their room; one that has not changed is not read again.

    It keeps THREAD_CACHE_SIZE, and THREAD_CACHE_COMMENTS in all.
    """

    def __init__(self) -> None:
        self._threads: BoundedCache[int, KnownThread] = BoundedCache(config.THREAD_CACHE_COMMENTS)

    def get(self, article_id: int) -> KnownThread | None:
        """Return what is known of the conversation of an article."""
        return self._threads.get(article_id)

    def put_words(self, thread: Thread, words: KnownWords) -> None:
        """Keep the words of a conversation that is kept, unless they are too long."""
        known = self._threads.get(thread.article)
        is_short = sum(map(len, words.texts.values())) <= config.MAX_KEPT_WORDS
        if is_short and known is not None and known.thread is thread:
            self._keep(replace(known, words=words))

    def put(self, thread: Thread, fields: Mapping[str, str]) -> None:
        """Keep a conversation in place of an earlier state of it."""
        before = self._threads.get(thread.article)
        if before is None:
            changed = float("-inf")
        else:
            changed = before.changed if before.thread.revision == thread.revision else time.monotonic()
        self._keep(KnownThread(thread, fields, changed))

    def _keep(self, known: KnownThread) -> None:
        # A short conversation counts as a longer one, so that there are no more than THREAD_CACHE_SIZE.
        least = config.THREAD_CACHE_COMMENTS // config.THREAD_CACHE_SIZE
        self._threads.put(known.thread.article, known, max(len(known.thread.nodes), least))
