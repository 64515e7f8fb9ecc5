"""What Redis answers about an article, turned into an Article."""

from collections.abc import Sequence

from voteweb.models import Article
from voteweb.store import keys

#: The fields of ``article:<id>`` that a row needs, in the order in which :func:`article` takes them.
FIELDS = ("title", "link", "poster", "time", "votes", "groups")


def article(id: int, values: Sequence[str | None], text: str = "") -> Article | None:
    """Return the article with these values of FIELDS, or None where the hash is missing or is no article."""
    title, link, poster, time, votes, groups = values
    if title is None or time is None:
        return None
    return Article(
        id=id,
        title=title,
        link=link or "",
        text=text,
        poster=poster or "",
        time=float(time),
        votes=int(votes or 0),
        groups=tuple((groups or "").split()),
    )


def articles(flat: Sequence[str | None]) -> list[Article | None]:
    """Return what a SORT with GETS answered, row by row; None for a row whose hash is missing."""
    width = 1 + len(FIELDS)
    return [_row(flat[at], flat[at + 1 : at + width]) for at in range(0, len(flat), width)]


def _row(member: str | None, values: Sequence[str | None]) -> Article | None:
    try:
        return article(keys.article_id(member or ""), values)
    except ValueError:  # the mark of a combined ranking, or another program's member
        return None


#: The words of a SORT that return FIELDS of every row of a ranking, after its id.
GETS: tuple[str, ...] = ("GET", "#", *(word for name in FIELDS for word in ("GET", f"*->{name}")))
