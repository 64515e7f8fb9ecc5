"""Rows: a part of a ranking together with the hashes that its members stand for, in one command."""

from collections.abc import Sequence
from typing import Any

from voteweb.core.models import Article, ArticleStatus
from voteweb.store import decoding
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.keys import Keys, article_id, is_article


def read_rows(keys: Keys, ranking: str, first: int, count: int, fields: Sequence[str]) -> Command:
    """Return the command that reads *count* rows from position *first* (from 0), the highest first.

    The reply has a list for each row: the member, then the *fields* of its hash, None for a missing one.
    """
    return scripts.call("read_rows", [ranking], [keys.prefix, first, count, *fields])


def queue_in_state(
    pipeline: Pipeline, keys: Keys, ranking: str, count: int, status: ArticleStatus
) -> Future[tuple[Article, ...]]:
    """Queue a read of the articles with this *status*, and their texts, among the highest *count* of a ranking."""

    def parse(replies: list[Any]) -> tuple[Article, ...]:
        known = [(article_id(member), values) for member, *values in replies[0] if is_article(member)]
        rows = [decoding.article_with_text(id, values) for id, values in known]
        return tuple(row for row in rows if row and row.status is status)

    return pipeline.queue([read_rows(keys, ranking, 0, count, decoding.FIELDS + decoding.TEXT_FIELDS)], parse)
