"""Decode what Redis replies about an article into an Article."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from voteweb.core import config, validation
from voteweb.core.errors import Invalid
from voteweb.core.models import Article, ArticleStatus, EarlierVersion
from voteweb.store.schema.fields import ARTICLE_WORDS
from voteweb.store.schema.values import article_of, finite_number, whole_number

#: The fields of ``article:<id>`` that a row needs, in the order in which :func:`article` takes them.
FIELDS = ("title", "link", "poster", "time", "votes", "groups", "gone", "closes", "comments")
_MORE_FIELDS = ("edited", "reason", "revision", "answer", "answered", "released", "no-group", "hidden-title", "program")
#: The words that rows leave out.
_MORE_WORDS = tuple(name for name in ARTICLE_WORDS if name not in FIELDS)
#: Those of an article's own page.
WHOLE = FIELDS + _MORE_FIELDS + _MORE_WORDS
_NO_MORE, _NO_WORDS = [None] * len(_MORE_FIELDS), dict[str, Any].fromkeys(_MORE_WORDS, "")
#: The same as in group_names() of rankings.lua.
_GROUP_NAME = re.compile(rb"[\w\x80-\xff-]+")


def article(id: int, values: Sequence[str | None]) -> Article | None:
    """Return the article with these values of FIELDS, or of WHOLE, or None if the hash is missing or is no article.

    Of FIELDS, a hidden title is "".

    Other programs write here too, so every value is checked: one bad article must not break a whole list.
    """
    title, link, poster, time, votes, groups, gone, closes, comments, *more = values
    edited, reason, revision, answer, answered, released, no_group, hidden_title, program, *texts = more or _NO_MORE
    words: dict[str, Any] = _NO_WORDS
    if more:
        words = {name: text or "" for name, text in zip(_MORE_WORDS, texts, strict=True)}
    try:
        posted, count, status = float(time or ""), int(votes or 0), ArticleStatus(gone or ArticleStatus.LISTED)
    except ValueError:
        return None
    if title is None or not (0 <= posted < config.MAX_TIME and abs(count) < config.MAX_VOTES):
        return None
    return Article(
        id=id,
        title=title or hidden_title or "",
        link=_valid_link(link or ""),
        poster=poster or "",
        time=posted,
        votes=count,
        groups=group_names(groups or ""),
        status=status,
        closes=unix_time(closes),
        comments=whole_number(comments, 9) or 0,
        edited=finite_number(edited) or 0.0,
        reason=reason or "",
        answer=answer or "",
        answered=finite_number(answered) or 0.0,
        released=released == "1",
        no_group=no_group == "1",
        hides_title=bool(hidden_title and not title),
        by_program=program == "1",
        revision=whole_number(revision, 15) or 0,
        **words,
    )


def unix_time(stored: str | None) -> int | None:
    """Return *stored* whole seconds; None if they are missing or no time, as for voting_end() in rankings.lua."""
    return whole_number(stored, 12)


def group_names(field: str) -> tuple[str, ...]:
    """Return the names in a field of groups, separated by the characters that separate them for scripts.

    Leaves out those that scripts do: a key with one would be that of something else, as ``time:a+b``.
    """
    return tuple(name.decode() for name in field.encode().split() if _GROUP_NAME.fullmatch(name))


def is_count(stored: str | None) -> bool:
    """Tell whether *stored* is a valid number of votes; a missing one is 0."""
    try:
        return abs(int(stored or 0)) < config.MAX_VOTES
    except ValueError:
        return False


def _valid_link(stored: str) -> str:
    """Return a *stored* link, or "" if it could not be posted here, such as ``javascript:``."""
    try:
        return validation.link(stored)
    except Invalid:
        return ""


def earlier_versions(stored: Iterable[str], posted: str | None) -> tuple[EarlierVersion, ...]:
    """Return the earlier versions of an article, the latest first; *posted* is the one that its poster had last."""
    texts = dict.fromkeys([*stored, *([posted] if posted else [])])
    versions = (replace(earlier_version(text), as_posted=text == posted) for text in texts)
    return tuple(sorted(versions, key=attrgetter("until"), reverse=True))


def earlier_version(stored: str) -> EarlierVersion:
    """Return the earlier version of an article that is *stored* as JSON."""
    fields: dict[str, Any] = json.loads(stored)
    return EarlierVersion(
        **{name: fields.get(name, "") for name in ARTICLE_WORDS},
        groups=group_names(fields["groups"]),
        until=float(fields["time"]),
        by=fields["by"],
    )


def stored_article(id: int, values: Sequence[str | None]) -> Article | None:
    """Return what :func:`article` does, with the link exactly as stored: its key is made from it."""
    row = article(id, values)
    return replace(row, link=values[FIELDS.index("link")] or "") if row else None


def rows(replies: Iterable[Sequence[str | None]]) -> list[Article | None]:
    """Return what :func:`voteweb.store.site.rows.read_rows` read of FIELDS or WHOLE; None for a row not listed.

    A combined ranking still holds articles that were removed since it was built.
    """
    return [row if row and row.is_listed else None for row in rows_in_any_state(replies)]


def rows_in_any_state(replies: Iterable[Sequence[str | None]]) -> Iterator[Article | None]:
    """Yield what :func:`rows` returns, articles that are not listed included."""
    return (_row(*reply) if len(reply) > len(WHOLE) else _cached_row(*reply) for reply in replies)


def _row(member: str | None, *values: str | None) -> Article | None:
    # Else it is the marker of a combined ranking, or another program's member.
    id = article_of(member or "")
    return article(id, values) if id is not None else None


@lru_cache(maxsize=config.ARTICLE_FRAGMENT_CACHE_SIZE)
def cached_article(id: int, *values: str | None) -> Article | None:
    """Return what :func:`article` does, once for equal values: that takes 7 % of an article's page."""
    return article(id, values)


#: The rows of busy lists are the same for everybody until a vote changes one. Without this, a list that is read afresh
#: takes 1.7 times as long.
_cached_row = lru_cache(maxsize=config.ROW_CACHE_SIZE)(_row)
