"""The shapes of what operations answer and take, from which the description of the API is made too."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from voteweb.core import models
from voteweb.web.base.responses import rfc3339
from voteweb.web.base.urls import absolute

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Url = Annotated[str, Meta(extra_json_schema={"format": "uri"})]


class Marks(Struct, omit_defaults=True):
    """What the member of the token did with an article; ``new`` are comments that they have not seen."""

    voted: bool
    saved: bool
    new: int


class ArticleRow(Struct, omit_defaults=True):
    """An article in a list; without ``link`` it is a text. ``url`` is its page on the site."""

    id: int
    url: Url
    title: str
    poster: str
    time: Time
    votes: int
    comments: int
    groups: tuple[str, ...]
    revision: int
    link: str | UnsetType = UNSET
    edited: Time | UnsetType = UNSET
    by_program: bool = False
    own: Marks | UnsetType = UNSET


class Article(ArticleRow, omit_defaults=True):
    """An article with its text, as Markdown; ``status`` says why it is in no list, if so."""

    text: str = ""
    status: str = ""


def article_row(article: models.Article, *, has_marks: bool) -> ArticleRow:
    """Return *article* as a row of a list, with what its viewer did with it if *has_marks*."""
    return ArticleRow(**_fields(article, has_marks=has_marks))


def whole_article(article: models.Article, *, has_marks: bool) -> Article:
    """Return *article* with its text, with what its viewer did with it if *has_marks*."""
    return Article(**_fields(article, has_marks=has_marks), text=article.text, status=article.status.value)


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
        "revision": article.revision,
        "link": article.link or UNSET,
        "edited": rfc3339(article.edited) if article.edited else UNSET,
        "own": Marks(article.voted, article.saved, article.new) if has_marks else UNSET,
    }
