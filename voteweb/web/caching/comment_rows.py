"""The comments of a page of a conversation as HTML: each is rendered once for all who see it alike.

A page is cached as it is for somebody who has written none of them, voted for none and misses none: it depends on
nothing but the conversation, the time and what :class:`RowContext` says. Another viewer's page differs in a few
comments.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.conversation import ConversationPage, Row
from voteweb.core.markup import RenderedText
from voteweb.core.models import VotingState
from voteweb.web.caching.fragment_cache import render

#: Bytes that a comment takes besides its HTML: its text is in it too.
_ENTRY_BYTES = 1_500


@dataclass(frozen=True, slots=True)
class ShownComment:
    """A comment as the viewer sees it: ``text`` is None where one line stands for it.

    ``age`` is in seconds, rounded. A comment ``is_folded`` if the viewer hides its author. One that ``is_new`` is
    marked; ``next_new`` and ``previous_new`` are the numbers of those around it on the page, 0 for none.
    """

    row: Row
    text: RenderedText | None
    voting_state: VotingState
    age: int
    is_voted: bool = False
    is_folded: bool = False
    is_own: bool = False
    may_edit: bool = False
    is_new: bool = False
    next_new: int = 0
    previous_new: int = 0


class RowContext(NamedTuple):
    """The part that all comments of a page share: the article's ``id`` and ``poster``, and who looks at them.

    ``order`` is the query that keeps the order of the page, "" for that by score.
    """

    code: str
    id: int
    poster: str
    order: str
    is_open: bool
    is_member: bool
    is_held: bool
    can_write: bool
    may_moderate: bool


@dataclass(frozen=True, slots=True)
class CachedComments:
    """The comments of ``page`` for somebody who has no part in them, right from the time ``since`` to ``until``.

    ``html`` are all of them, and ``starts`` where each begins there, with its end. ``places`` are their indexes by
    number, and ``by_author`` their numbers by the keys of their authors' names.
    """

    page: ConversationPage
    since: float
    until: float
    comments: tuple[ShownComment, ...]
    html: bytes
    starts: tuple[int, ...]
    places: dict[int, int]
    by_author: dict[str, list[int]]

    @property
    def size(self) -> int:
        return len(self.html) + len(self.comments) * _ENTRY_BYTES

    def pieces(self, own: Mapping[int, bytes]) -> list[bytes | memoryview]:
        """Return the HTML in pieces, with *own* in place of the comments at these places.

        To join a hundred comments, and to copy them into their page then, takes 7 % of its time.
        """
        if not own:
            return [self.html]
        html, pieces, end = memoryview(self.html), list[bytes | memoryview](), 0
        for place in sorted(own):
            pieces += [html[end : self.starts[place]], own[place]]
            end = self.starts[place + 1]
        return [*pieces, html[end:]]


def render_row(comment: ShownComment, reason: str, context: RowContext) -> bytes:
    """Return a comment with the tags of the lists that begin or end with it; *reason* is that of its removal."""
    key = (comment, reason, context)
    cached = _rows.get(key)
    if cached is not None:
        return cached
    html = render(
        "comments/_parts.html#comment_row", context.code, comment=comment, reason=reason, context=context
    ).encode()
    return _rows.put(key, html, len(html) + _ENTRY_BYTES)


#: Comments by all that they show, until others take their room: a page with a new comment renders only that.
_rows: BoundedCache[tuple[ShownComment, str, RowContext], bytes] = BoundedCache(config.RENDERED_COMMENT_CACHE_BYTES)
#: Pages of comments, until the conversation or an age changes: only those comments are made that differ for the viewer.
pages: BoundedCache[tuple[int, int, int, RowContext], CachedComments] = BoundedCache(
    config.RENDERED_COMMENT_CACHE_BYTES
)
