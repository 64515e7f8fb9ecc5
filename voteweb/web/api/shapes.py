"""The shapes of what operations answer and take, from which the description of the API is made too."""

from collections.abc import Iterable
from typing import Annotated, Any
from urllib.parse import quote

from msgspec import UNSET, Meta, Struct, UnsetType

from voteweb.core import comments, links, models
from voteweb.core.comments import CommentStatus
from voteweb.core.models import ArticleStatus
from voteweb.web.base.responses import rfc3339
from voteweb.web.base.urls import absolute, comment_path
from voteweb.web.caching.posters import named

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Url = Annotated[str, Meta(extra_json_schema={"format": "uri"})]


def characters(most: int, least: int = 0) -> Meta:
    """Return the bounds of a text as it is sent; that it has *least* characters without blanks, forms check."""
    return Meta(max_length=most, extra_json_schema={"minLength": least} if least else {})


class Marks(Struct, omit_defaults=True):
    """The marks of the token's member on an article; ``new`` are comments that they have not seen."""

    voted: bool
    saved: bool
    new: int


class ArticleRow(Struct, omit_defaults=True):
    """An article in a list; without ``link``, which has the ``domain``, it is a text. ``url`` is its page on the site.

    Its ``revision`` and whether it was edited, or is by a program, are told where it is read alone. Of an article that
    is gone from all lists, as ``status`` says, a list of what a member saved has no more than that.
    """

    id: int
    url: Url
    title: str
    poster: str
    time: Time
    votes: int
    comments: int
    groups: tuple[str, ...]
    link: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    own: Marks | UnsetType = UNSET
    status: ArticleStatus = ArticleStatus.LISTED


class Article(ArticleRow, omit_defaults=True, kw_only=True):
    """An article with its text, as Markdown; the poster of one that was removed is told the ``reason``."""

    revision: int
    edited: Time | UnsetType = UNSET
    by_program: bool = False
    text: str = ""
    reason: str = ""


class CommentMarks(Struct):
    """The acts of the member of the token on a comment."""

    voted: bool


class Comment(Struct, omit_defaults=True):
    """A comment on an article, or on its comment ``parent``, with its text as Markdown; ``url`` is its page.

    One that nobody can read has a ``status``, and no words, author or votes, as on the page; the ``reason`` is that of
    its removal. ``title`` is that of the article, in a list outside the conversation. Pages fold one that is
    ``hidden``: the member of the token hides its author.
    """

    article: int
    number: int
    url: Url
    time: Time
    parent: int | UnsetType = UNSET
    author: str = ""
    votes: int | UnsetType = UNSET
    text: str = ""
    edited: bool = False
    by_program: bool = False
    hidden: bool = False
    status: CommentStatus = CommentStatus.VISIBLE
    reason: str = ""
    title: str = ""
    own: CommentMarks | UnsetType = UNSET


def article_rows(articles: Iterable[models.Article], *, has_marks: bool) -> tuple[ArticleRow, ...]:
    """Return *articles* as rows of a list, with what their viewer did with them if *has_marks*."""
    return tuple(ArticleRow(**_fields(article, has_marks=has_marks)) for article in named(articles))


def whole_article(article: models.Article, *, has_marks: bool) -> Article:
    """Return *article* with its text, with what its viewer did with it if *has_marks*."""
    (article,) = named((article,))
    return Article(
        **_fields(article, has_marks=has_marks),
        revision=article.revision,
        edited=rfc3339(article.edited) if article.edited else UNSET,
        by_program=article.by_program,
        text=article.text,
        reason=article.reason if article.is_removed else "",
    )


def comment_of(
    article: int,
    node: comments.Node,
    text: str | None,
    *,
    voted: bool | None = None,
    reason: str = "",
    title: str = "",
    hidden: bool = False,
) -> Comment:
    """Return a comment of an *article*; *text* is None if its viewer may not read it, *voted* if they are a reader."""
    place = {"article": article, "number": node.number, "url": absolute(comment_path(article, node.number))}
    shown: dict[str, Any] = {**place, "time": rfc3339(node.time), "parent": node.parent or UNSET, "title": title}
    if not node.is_visible or text is None:
        shown |= {"status": node.status or CommentStatus.REMOVED, "reason": reason}
    if text is not None:
        own = UNSET if voted is None else CommentMarks(voted)
        shown |= {"author": node.author, "votes": node.votes, "text": text, "edited": node.is_edited, "own": own}
        shown |= {"by_program": node.by_program, "hidden": hidden}
    return Comment(**shown)


def listed_comment(comment: comments.ListedComment, *, voted: bool | None = None) -> Comment:
    """Return a *comment* that stands outside its conversation, see :func:`comment_of`."""
    return comment_of(comment.id.article, comment.node, comment.text, voted=voted, title=comment.title)


def member_url(name: str) -> str:
    """Return the address of the page of a member."""
    return absolute(f"/u/{quote(name)}")


def _fields(article: models.Article, *, has_marks: bool) -> dict[str, Any]:
    return {
        "id": article.id,
        "url": absolute(f"/a/{article.id}"),
        "title": article.title,
        "poster": article.poster,
        "time": rfc3339(article.time),
        "votes": article.votes,
        "comments": article.comments,
        "groups": article.groups,
        "link": article.link or UNSET,
        "domain": links.domain(article.link) or UNSET,
        "own": Marks(article.voted, article.saved, article.new) if has_marks else UNSET,
        "status": article.status,
    }
