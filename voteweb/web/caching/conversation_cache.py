"""The trees of conversations that a worker keeps."""

from collections import OrderedDict
from threading import Lock

from voteweb.core import config
from voteweb.core.comments import CommentOrder, Thread
from voteweb.core.conversation import Conversation


class ConversationCache:
    """Keeps up to *size* conversations, each in one order, the least recently used of which it forgets first.

    One that is kept is used for an equal thread only: a restored database may give a revision to other comments.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._cached: OrderedDict[tuple[int, CommentOrder, float], tuple[Thread, Conversation]] = OrderedDict()

    def get(self, thread: Thread, order: CommentOrder, comment_vote_score: float) -> Conversation:
        """Return the conversation of *thread*; its tree is built only once."""
        conversation = self.find(thread, order, comment_vote_score)
        if conversation:
            return conversation
        key = (thread.article, order, comment_vote_score)
        conversation = Conversation(thread, order, comment_vote_score)
        with self._lock:
            self._cached[key] = (thread, conversation)
            self._cached.move_to_end(key)
            while len(self._cached) > self._size:
                self._cached.popitem(last=False)
        return conversation

    def find(self, thread: Thread, order: CommentOrder, comment_vote_score: float) -> Conversation | None:
        """Return the conversation of *thread* if it is kept."""
        key = (thread.article, order, comment_vote_score)
        with self._lock:
            cached = self._cached.get(key)
            if cached and cached[0].revision == thread.revision and cached[0] == thread:
                self._cached.move_to_end(key)
                return cached[1]
        return None


conversations = ConversationCache(config.THREAD_CACHE_SIZE)
