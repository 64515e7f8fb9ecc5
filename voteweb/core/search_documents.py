"""The documents that search finds: articles and comments as the store has them now."""

from typing import NamedTuple, TypeAlias

from voteweb.core.comments import CommentId

#: The id of an article, or that of a comment.
DocumentId: TypeAlias = int | CommentId


class Document(NamedTuple):
    """The searched fields of a listed article or a visible comment; ``time`` is its publish time in unix seconds.

    ``text`` is Markdown, ``link`` as it is stored. A comment has no ``title`` and no ``link``; its ``groups`` are those
    of its article.
    """

    id: DocumentId
    time: float
    title: str
    text: str
    link: str
    poster: str
    groups: tuple[str, ...]
