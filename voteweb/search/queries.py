"""The statements of SQLite that look for a query.

Typed text never becomes part of one: a MATCH expression is made of tokens, in which there is neither a quote nor a
blank, and everything else is bound.
"""

from collections.abc import Iterable
from dataclasses import replace
from math import log
from typing import NamedTuple

from voteweb.search.grammar import Query
from voteweb.search.models import Kind
from voteweb.search.schema import COLUMNS, Shard, to_rowid
from voteweb.search.words import Term

_MATCHING = (
    "SELECT {columns} FROM {shard} WHERE {shard} MATCH :match AND rowid >= :after AND rowid < :before "
    "ORDER BY rowid DESC LIMIT :count"
)
_OF_A_TIME = "SELECT rid FROM {kind} WHERE rid >= :after AND rid < :before{but} ORDER BY rid DESC LIMIT :count"
#: All that match at once: to look each document up would take ten times as long.
_BUT = (
    " AND rid NOT IN (SELECT rowid FROM {shard} WHERE {shard} MATCH :excluded AND rowid >= :after AND rowid < :before)"
)
_IDS = "SELECT rid, id FROM {kind} WHERE rid IN ({rowids})"

#: Documents of a further shard from which on it tells which words are rare; the newest few before them come first.
_MIN_RANKED_ROWS = 1_000


class Statement(NamedTuple):
    """A statement with the values that are bound to it."""

    text: str
    values: dict[str, object]


def within(query: Query, kind: Kind) -> Query:
    """Return what a *query* is for one *kind*: comments have no titles, so what must be in one is not found there."""
    if kind is Kind.ARTICLES:
        return query
    parts = [replace(part, terms=tuple(t for t in part.terms if t.field != "title")) for part in query.parts]
    is_possible = all(
        new.terms or not old.terms or old.is_excluded for new, old in zip(parts, query.parts, strict=True)
    )
    return replace(query, parts=tuple(parts)) if is_possible else Query()


def newest(query: Query, shard: Shard, end: int, count: int) -> Statement:
    """Return the statement for the *count* newest matches in a *shard*, which ends before the rowid *end*."""
    values = _bounds(query, shard, end, count)
    if query.required:
        text = _MATCHING.format(columns="rowid", shard=shard.table)
        return Statement(text, values | {"match": match(query)})
    but = _BUT.format(shard=shard.table) if query.excluded else ""
    return Statement(_OF_A_TIME.format(kind=shard.kind, but=but), values | {"excluded": _any(query.excluded)})


def ranked(query: Query, shard: Shard, end: int, count: int) -> Statement:
    """Return the statement for the *count* newest matches and their ranks: the lower, the better, NULL for the best.

    The fewer documents a shard has, the less a rare word counts there: ranks are divided by the most that one counts.
    """
    weights = ", ".join(map(str, COLUMNS[shard.kind].values()))
    is_ranked = shard.number == 0 or shard.rows >= _MIN_RANKED_ROWS
    rank = f"bm25({shard.table}, {weights}) / :most" if is_ranked else "NULL"
    text = _MATCHING.format(columns=f"rowid, {rank}", shard=shard.table)
    return Statement(text, _bounds(query, shard, end, count) | {"match": match(query), "most": log(shard.rows + 2)})


def ids(kind: Kind, rowids: Iterable[int]) -> Statement:
    """Return the statement for the numbers of documents by their *rowids*."""
    return Statement(_IDS.format(kind=kind, rowids=", ".join(map(str, rowids))), {})


def _bounds(query: Query, shard: Shard, end: int, count: int) -> dict[str, object]:
    after = shard.first if query.after is None else max(shard.first, to_rowid(query.after))
    before = end if query.before is None else min(end, to_rowid(query.before))
    return {"after": after, "before": before, "count": count}


def match(query: Query) -> str:
    """Return the MATCH expression of a query that requires something."""
    required = " AND ".join(f"({_any(terms)})" for terms in query.required)
    return f"({required}) NOT ({_any(query.excluded)})" if query.excluded else required


def _any(terms: Iterable[Term]) -> str:
    return " OR ".join(map(_expression, terms))


def _expression(term: Term) -> str:
    column = "title : " if term.field == "title" else ""
    return f'{column}"{" ".join(term.tokens)}"{" *" if term.is_prefix else ""}'
