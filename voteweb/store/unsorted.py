"""Articles without a group, for moderators who sort them.

They are found by looking through the newest articles, so that nothing is kept for them: a ranking would have to be
written with every article and every change of groups, and would miss what a program written after the book posts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voteweb.core import config
from voteweb.core.models import Article
from voteweb.store import decoding
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline

#: The fields of a row, that which the script looks at first.
_FIELDS = ("groups", *(name for name in decoding.FIELDS if name != "groups"), *decoding.TEXT_FIELDS)
_ORDER = [_FIELDS.index(name) for name in (*decoding.FIELDS, *decoding.TEXT_FIELDS)]


@dataclass(frozen=True, slots=True)
class UnsortedArticles:
    """Some articles without a group, newest first; ``next`` is the time from which to look further, "" at the end."""

    rows: tuple[Article, ...]
    next: str


class Unsorted:
    """The articles of one site that are in no group."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def queue_first(self, pipeline: Pipeline, before: str, count: int) -> Future[UnsortedArticles]:
        """Queue a look at the SORT_STEP newest articles published *before* a unix time, "" for now."""

        def parse(replies: list[Any]) -> UnsortedArticles:
            last, *found = replies[0]
            rows = decoding.rows([(member, *[values[i] for i in _ORDER]) for member, *values in found], with_text=True)
            return UnsortedArticles(tuple(row for row in rows if row), last)

        highest = f"({before}" if before else "+inf"
        arguments: Sequence[str | int] = [self._keys.prefix, highest, config.SORT_STEP, count, *_FIELDS]
        return pipeline.queue([scripts.call("read_unsorted", [self._keys.by_time()], arguments)], parse)

    def complete(self, first: UnsortedArticles, count: int) -> UnsortedArticles:
        """Return *first* with up to *count* rows, after up to SORT_STEPS looks in all, each a round trip."""
        rows, next = first.rows, first.next
        for _ in range(config.SORT_STEPS - 1):
            if not next or len(rows) >= count:
                break
            pipeline = self._connection.pipeline()
            more = self.queue_first(pipeline, next, count - len(rows))
            pipeline.execute()
            rows, next = rows + more.result.rows, more.result.next
        return UnsortedArticles(rows, next)
