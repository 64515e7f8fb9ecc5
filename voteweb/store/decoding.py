"""Decode what Redis replies about an article into an Article."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from voteweb.core import config, validation
from voteweb.core.errors import Invalid
from voteweb.core.models import Article, ArticleStatus
from voteweb.store.keys import article_id

#: The fields of ``article:<id>`` that a row needs, in the order in which :func:`article` takes them.
FIELDS = ("title", "link", "poster", "time", "votes", "groups", "gone")
#: The further fields of an article's own page, in the order in which :func:`article_with_text` takes them.
TEXT_FIELDS = ("text", "edited", "reason")


def article(id: int, values: Sequence[str | None]) -> Article | None:
    """Return the article with these values of FIELDS, or None if the hash is missing or is no article.

    Other programs write here too, so every value is checked: one bad article must not break a whole list.
    """
    title, link, poster, time, votes, groups, gone = values
    try:
        posted, count, status = float(time or ""), int(votes or 0), ArticleStatus(gone or ArticleStatus.LISTED)
    except ValueError:
        return None
    if title is None or not (0 <= posted < config.MAX_TIME and abs(count) < config.MAX_VOTES):
        return None
    return Article(
        id=id,
        title=title,
        link=_valid_link(link or ""),
        text="",
        poster=poster or "",
        time=posted,
        votes=count,
        groups=tuple((groups or "").split()),
        status=status,
    )


def is_count(stored: str | None) -> bool:
    """Tell whether *stored* is a valid number of votes; a missing one is 0."""
    try:
        return abs(int(stored or 0)) < config.MAX_VOTES
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _valid_link(stored: str) -> str:
    """Return a *stored* link, or "" if it could not be posted here, such as ``javascript:``."""
    try:
        return validation.link(stored)
    except Invalid:
        return ""


def article_with_text(id: int, values: Sequence[str | None]) -> Article | None:
    """Return the article with these values of FIELDS and TEXT_FIELDS, listed or not, or None if there is none."""
    row = article(id, values[: len(FIELDS)])
    text, edited, reason = values[len(FIELDS) :]
    if row is None:
        return None
    return replace(row, text=text or "", edited=float(edited or 0), reason=reason or "")


def stored_article(id: int, values: Sequence[str | None]) -> Article | None:
    """Return what :func:`article_with_text` does, with the link exactly as stored: its key is made from it."""
    row = article_with_text(id, values)
    return replace(row, link=values[FIELDS.index("link")] or "") if row else None


def rows(values: Sequence[str | None], *, with_text: bool = False) -> list[Article | None]:
    """Return the reply to a SORT with :func:`sort_patterns`, row by row; None for a row missing or not listed.

    A combined ranking still holds articles that were removed since it was built.
    """
    if with_text:
        width = 1 + len(FIELDS) + len(TEXT_FIELDS)
        return [_row(*values[at : at + width]) for at in range(0, len(values), width)]
    width = 1 + len(FIELDS)
    return [_cached_row(*values[at : at + width]) for at in range(0, len(values), width)]


def _row(member: str | None, *values: str | None) -> Article | None:
    try:
        id = article_id(member or "")
    except ValueError:  # the marker of a combined ranking, or another program's member
        return None
    row = article_with_text(id, values) if len(values) > len(FIELDS) else article(id, values)
    return row if row and row.is_listed else None


#: The rows of busy lists are the same for every reader until a vote changes one.
_cached_row = lru_cache(maxsize=config.ROW_CACHE_SIZE)(_row)


def sort_patterns(prefix: str, *, with_text: bool = False) -> tuple[str, ...]:
    """Return the arguments of a SORT that return the member and FIELDS of every row; *with_text*: also TEXT_FIELDS."""
    names = FIELDS + (TEXT_FIELDS if with_text else ())
    return ("GET", "#", *(item for name in names for item in ("GET", f"{prefix}*->{name}")))
