"""Caches of a worker for conversations: trees of comments, texts rendered from Markdown, and comments as HTML."""

from collections import OrderedDict
from hashlib import sha256
from threading import Lock

from markupsafe import Markup

from voteweb.core import config, markup
from voteweb.core.comments import CommentOrder, Thread
from voteweb.core.conversation import Conversation
from voteweb.web.caching.sized_cache import SizedCache

#: Bytes that an entry takes besides its text.
_ENTRY_BYTES = 200


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
        key = (thread.article, order, comment_vote_score)
        with self._lock:
            cached = self._cached.get(key)
            if cached and cached[0].revision == thread.revision and cached[0] == thread:
                self._cached.move_to_end(key)
                return cached[1]
        conversation = Conversation(thread, order, comment_vote_score)
        with self._lock:
            self._cached[key] = (thread, conversation)
            self._cached.move_to_end(key)
            while len(self._cached) > self._size:
                self._cached.popitem(last=False)
        return conversation


def render_text(text: str) -> Markup:
    """Return *text* as HTML: the same as the filter ``markdown`` makes, with paragraphs in place of headings."""
    key = sha256(text.encode("utf-8", "surrogatepass")).digest()
    cached = _texts.get(key)
    if cached is not None:
        return cached
    rendered = markup.render_comment(text)
    return _texts.put(key, rendered, _size(rendered))


def _size(html: str) -> int:
    """Return the bytes that a cache with *html* takes."""
    # A str takes up to four bytes for each character: as many as the widest of them.
    return _ENTRY_BYTES + len(html) * (1 if html.isascii() else 4)


conversations = ConversationCache(config.THREAD_CACHE_SIZE)
_texts: SizedCache[Markup] = SizedCache(config.RENDERED_COMMENT_CACHE_BYTES)
