"""The statements of SQLite that look for a query.

Typed text never becomes part of one: a MATCH expression is made of tokens, in which there is neither a quote nor a
blank, and everything else is bound.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from voteweb.search.grammar import Query
from voteweb.search.models import Kind
from voteweb.search.schema import Shard, to_rowid
from voteweb.search.words import Term, level_token, link_token, stem_token

_MATCHING = (
    "SELECT rowid FROM {shard} WHERE {shard} MATCH :match AND rowid >= :after AND rowid < :before "
    "ORDER BY rowid DESC LIMIT :count"
)
_OF_A_TIME = "SELECT rid FROM {kind} WHERE rid >= :after AND rid < :before{but} ORDER BY rid DESC LIMIT :count"
#: All that match at once: to look each document up would take ten times as long.
_BUT = (
    " AND rid NOT IN (SELECT rowid FROM {shard} WHERE {shard} MATCH :excluded AND rowid >= :after AND rowid < :before)"
)
_ROWS = "SELECT rid, id, level FROM {kind} WHERE rid IN ({rowids})"
_SAME_LINK = (
    "SELECT id FROM articles WHERE link = coalesce(:link, (SELECT link FROM articles WHERE id = :id)) AND id <> :id "
    "ORDER BY rid DESC LIMIT :count"
)
#: The first column of what SQLite keeps of the documents of a full-text index.
_WORDS = "SELECT id, c0 FROM {shard}_content WHERE id IN ({rowids})"


#: A statement with the values that are bound to it.
Statement: TypeAlias = tuple[str, dict[str, Any]]


def within(query: Query, kind: Kind) -> Query:
    """Return what a *query* is for one *kind*: comments have no titles, so what must be in one is not found there."""
    if kind is Kind.ARTICLES:
        return query
    parts = [part._replace(terms=tuple(t for t in part.terms if t.field != "title")) for part in query.parts]
    is_possible = all(
        new.terms or not old.terms or old.is_excluded for new, old in zip(parts, query.parts, strict=True)
    )
    return replace(query, parts=tuple(parts)) if is_possible else Query()


def newest(query: Query, shard: Shard, end: int, count: int, level: int = 0) -> Statement:
    """Return the statement for the *count* newest matches in a *shard*, which ends before the rowid *end*.

    With a *level*, it is for those of this level of votes.
    """
    values = _bounds(query, shard, end, count)
    if query.required or level:
        return _MATCHING.format(shard=shard.table), values | {"match": _match(query, level)}
    but = _BUT.format(shard=shard.table) if query.excluded else ""
    return _OF_A_TIME.format(kind=shard.kind, but=but), values | {"excluded": _any(query.excluded)}


def rows(kind: Kind, rowids: Iterable[int]) -> Statement:
    """Return the statement for the numbers and levels of documents by their *rowids*."""
    return _ROWS.format(kind=kind, rowids=_listed(rowids)), {}


def same_link(id: int, link: str, count: int) -> Statement:
    """Return the statement for the newest articles with *link*, or else that of the article *id*, but for this one."""
    return _SAME_LINK, {"id": id, "link": link_token(link) if link else None, "count": count}


def words(shard: Shard, rowids: Iterable[int]) -> Statement:
    """Return the statement for the tokens by which documents of a *shard* are weighed, by their *rowids*."""
    return _WORDS.format(shard=shard.table, rowids=_listed(rowids)), {}


def _listed(rowids: Iterable[int]) -> str:
    return ", ".join(map(str, rowids))


def _bounds(query: Query, shard: Shard, end: int, count: int) -> dict[str, object]:
    after = shard.first if query.after is None else max(shard.first, to_rowid(query.after))
    before = end if query.before is None else min(end, to_rowid(query.before))
    return {"after": after, "before": before, "count": count}


def _match(query: Query, level: int) -> str:
    """Return the MATCH expression of a query that requires something, or a *level* of votes."""
    levels = [f'"{level_token(level)}"'] if level else []
    required = " AND ".join([*levels, *(f"({_any(terms)})" for terms in query.required)])
    return f"({required}) NOT ({_any(query.excluded)})" if query.excluded else required


def _any(terms: Iterable[Term]) -> str:
    return " OR ".join(map(_expression, terms))


def _expression(term: Term) -> str:
    column = "title : " if term.field == "title" else ""
    forms = (
        [f'"{term.stem}"', f'"{stem_token(term.stem)}"'] if term.stem else []
    )  # a word has its stem beside it, or is it
    if term.is_prefix or not term.stem:
        forms.append(f'"{" ".join(term.tokens)}"{" *" if term.is_prefix else ""}')
    return f"{column}({' OR '.join(forms)})"
