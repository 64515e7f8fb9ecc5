"""The documents that search finds: articles and comments as the store has them now."""

from typing import NamedTuple, TypeAlias

from voteweb.core.comments import CommentId

#: The id of an article, or that of a comment.
DocumentId: TypeAlias = int | CommentId


class Document(NamedTuple):
    """The searched fields of a listed article or a visible comment; ``time`` is its publish time in unix seconds.

    ``text`` is Markdown, ``link`` as it is stored. A comment has no ``title`` and no ``link``; its ``groups`` are those
    of its article. ``level`` is that of its votes.
    """

    id: DocumentId
    time: float
    title: str
    text: str
    link: str
    poster: str
    groups: tuple[str, ...]
    level: int = 0


class Changes(NamedTuple):
    """The documents that may have changed, or be new or gone, since an earlier ``position`` in the stream of changes.

    ``articles`` changed themselves; of ``conversations``, given by the articles' ids, all comments may have changed.
    ``epoch`` is that of the site. Unless ``is_complete``, there were other changes that the stream no longer has, and
    everything has to be compared. ``may_be_more``: the stream has more changes. ``is_purge``: among them are documents
    whose words may be in no file any more.
    """

    position: str
    epoch: str
    articles: frozenset[int] = frozenset()
    comments: frozenset[CommentId] = frozenset()
    conversations: frozenset[int] = frozenset()
    is_complete: bool = True
    may_be_more: bool = False
    is_purge: bool = False
