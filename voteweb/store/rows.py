"""What Redis answers about an article, turned into an Article."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from voteweb import config, fields
from voteweb.errors import Invalid
from voteweb.models import Article, Gone
from voteweb.store import keys

#: The fields of ``article:<id>`` that a row needs, in the order in which :func:`article` takes them.
FIELDS = ("title", "link", "poster", "time", "votes", "groups", "gone")
#: The fields that only an article's own page needs besides, in the order in which :func:`whole` takes them.
MORE_FIELDS = ("text", "edited", "reason")
#: Unix seconds of the year 3000: a larger publish time is in milliseconds, or in nothing at all.
LATEST = datetime(3000, 1, 1, tzinfo=UTC).timestamp()
#: No article has more votes, and every sum of a score stays exact below it.
VOTES_MOST = 10**12


def article(id: int, values: Sequence[str | None]) -> Article | None:
    """Return the article with these values of FIELDS, or None where the hash is missing or is no article.

    Other programs write here too, so nothing is taken for granted: one bad article must not take a list down.
    """
    title, link, poster, time, votes, groups, gone = values
    try:
        posted, count, state = float(time or ""), int(votes or 0), Gone(gone or Gone.NOT)
    except ValueError:
        return None
    if title is None or not (0 <= posted < LATEST and abs(count) < VOTES_MOST):
        return None
    return Article(
        id=id,
        title=title,
        link=_link(link or ""),
        text="",
        poster=poster or "",
        time=posted,
        votes=count,
        groups=tuple((groups or "").split()),
        gone=state,
    )


def is_count(stored: str | None) -> bool:
    """Tell whether a *stored* number of votes can be one; what is missing is none."""
    try:
        return abs(int(stored or 0)) < VOTES_MOST
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _link(stored: str) -> str:
    """Return a *stored* link, or "" where it is none that could be posted here, such as ``javascript:``."""
    try:
        return fields.link(stored)
    except Invalid:
        return ""


def whole(id: int, values: Sequence[str | None]) -> Article | None:
    """Return the article with these values of FIELDS and MORE_FIELDS, gone or not, or None where there is none."""
    found = article(id, values[: len(FIELDS)])
    text, edited, reason = values[len(FIELDS) :]
    if found is None:
        return None
    return replace(found, text=text or "", edited=float(edited or 0), reason=reason or "")


def as_stored(id: int, values: Sequence[str | None]) -> Article | None:
    """Return what :func:`whole` does, with the link just as it is stored: for scripts that must name it."""
    found = whole(id, values)
    return replace(found, link=values[FIELDS.index("link")] or "") if found else None


def articles(flat: Sequence[str | None], *, texts: bool = False) -> list[Article | None]:
    """Return what a SORT with :func:`gets` answered, row by row; None for one that is missing or gone.

    A combined ranking still holds what has gone since it was made.
    """
    if texts:
        width = 1 + len(FIELDS) + len(MORE_FIELDS)
        return [_row(*flat[at : at + width]) for at in range(0, len(flat), width)]
    width = 1 + len(FIELDS)
    return [_kept_row(*flat[at : at + width]) for at in range(0, len(flat), width)]


def _row(member: str | None, *values: str | None) -> Article | None:
    try:
        id = keys.article_id(member or "")
    except ValueError:  # the mark of a combined ranking, or another program's member
        return None
    found = whole(id, values) if len(values) > len(FIELDS) else article(id, values)
    return found if found and not found.gone else None


#: The rows of busy lists are the same for every reader until a vote changes one.
_kept_row = lru_cache(maxsize=config.ROWS_KEPT)(_row)


def gets(*, texts: bool = False) -> tuple[str, ...]:
    """Return the words of a SORT that return FIELDS of every row, after its id; with *texts* MORE_FIELDS too."""
    return ("GET", "#", *(word for name in FIELDS + (MORE_FIELDS if texts else ()) for word in ("GET", f"*->{name}")))
