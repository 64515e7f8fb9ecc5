"""Caches of a worker for conversations: trees of comments, and texts rendered from Markdown."""

from collections import OrderedDict
from hashlib import sha256
from threading import Lock

from markupsafe import Markup

from voteweb.core import config, markup
from voteweb.core.comments import CommentOrder, Thread
from voteweb.core.conversation import Conversation

#: Bytes that an entry takes besides its text.
_ENTRY_BYTES = 200


class ConversationCache:
    """Keeps up to *size* conversations, each in one order, the least recently used of which it forgets first.

    One that is kept is used for an equal thread only: a restored database may give a revision to other comments.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._kept: OrderedDict[tuple[int, CommentOrder, float], tuple[Thread, Conversation]] = OrderedDict()

    def get(self, thread: Thread, order: CommentOrder, comment_vote_score: float) -> Conversation:
        """Return the conversation of *thread*; its tree is built only once."""
        key = (thread.article, order, comment_vote_score)
        with self._lock:
            kept = self._kept.get(key)
            if kept and kept[0].revision == thread.revision and kept[0] == thread:
                self._kept.move_to_end(key)
                return kept[1]
        conversation = Conversation(thread, order, comment_vote_score)
        with self._lock:
            self._kept[key] = (thread, conversation)
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return conversation


class CommentTexts:
    """Keeps rendered comments of up to *max_bytes* in all, by the digest of their text."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = Lock()
        self._kept: OrderedDict[bytes, Markup] = OrderedDict()

    def render(self, text: str) -> Markup:
        """Return *text* as HTML: the same as the filter ``markdown`` makes, with paragraphs in place of headings."""
        key = sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                return kept
        rendered = markup.render_comment(text)
        with self._lock:
            if key not in self._kept:
                self._bytes += _size(rendered)
            self._kept[key] = rendered
            while self._bytes > self._max_bytes and self._kept:
                self._bytes -= _size(self._kept.popitem(last=False)[1])
        return rendered


def _size(rendered: Markup) -> int:
    # A str takes up to four bytes for each character: as many as the widest of them.
    return _ENTRY_BYTES + len(rendered) * (1 if rendered.isascii() else 4)


conversations = ConversationCache(config.THREAD_CACHE_SIZE)
comment_texts = CommentTexts(config.RENDERED_COMMENT_CACHE_BYTES)
