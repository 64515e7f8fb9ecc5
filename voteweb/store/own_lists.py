"""Lists that members keep for themselves, page by page: what they hide, and articles that they saved for later."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from voteweb.core import config
from voteweb.core.models import Article, Page
from voteweb.core.my_site import Hidden, parse_hidden
from voteweb.store import decoding
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import article_id, article_member, is_article
from voteweb.store.rows import read_rows

T = TypeVar("T")


class OwnLists:
    """The lists of one site's members; :class:`voteweb.store.my_site.MySites` changes them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def queue_hidden(self, pipeline: Pipeline, name: str, number: int, size: int) -> Future[Page[Hidden]]:
        """Queue a read of page *number* (from 1) of what a member hides, the last first."""
        key, start = self._keys.hides(name), (number - 1) * size

        def parse(replies: list[Any]) -> Page[Hidden]:
            total, entries = replies
            hidden = (parse_hidden(entry, float(time)) for entry, time in entries)
            return Page(tuple(filter(None, hidden)), number, total, first_rank=start + 1, more=total > start + size)

        return pipeline.queue([("ZCARD", key), ("ZREVRANGE", key, start, start + size - 1, "WITHSCORES")], parse)

    def queue_saved(
        self, pipeline: Pipeline, name: str, number: int, size: int, *, with_text: bool = False
    ) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of the articles that a member saved, the last first.

        Those that were removed or deleted since are among them. *with_text*: whole articles.
        """
        key, start = self._keys.saved(name), (number - 1) * size
        fields = decoding.FIELDS + (decoding.TEXT_FIELDS if with_text else ())

        def parse(replies: list[Any]) -> Page[Article]:
            total, rows = replies
            return Page(tuple(_articles(rows)), number, total, first_rank=start + 1, more=total > start + size)

        return pipeline.queue([("ZCARD", key), read_rows(self._keys, key, start, size, fields)], parse)

    def queue_own_saves(self, pipeline: Pipeline, ids: Sequence[int], name: str) -> Future[dict[int, bool]]:
        """Queue a read of which of the articles *ids* a member has saved."""
        if not ids:
            return pipeline.queue([], lambda _: {})
        return pipeline.queue(
            [("ZMSCORE", self._keys.saved(name), *map(article_member, ids))],
            lambda replies: {id: time is not None for id, time in zip(ids, replies[0], strict=True)},
        )

    def all_hidden(self, name: str) -> tuple[Hidden, ...]:
        """Return all that a member hides, the last first."""
        return self._read(lambda pipeline: self.queue_hidden(pipeline, name, 1, config.MAX_HIDDEN)).rows

    def all_saved(self, name: str) -> Iterator[Article]:
        """Yield all articles that a member saved, the last first, read in batches of READ_BATCH_SIZE."""
        number, is_complete = 1, False
        while not is_complete:
            page = self._read(partial(self.queue_saved, name=name, number=number, size=config.READ_BATCH_SIZE))
            yield from page.rows
            number, is_complete = number + 1, not page.more

    def _read(self, queue: Callable[[Pipeline], Future[T]]) -> T:
        pipeline = self._connection.pipeline()
        read = queue(pipeline)
        pipeline.execute()
        return read.result


def _articles(rows: Sequence[Sequence[str | None]]) -> Iterator[Article]:
    """Yield the articles that these rows stand for, in any state."""
    for member, *values in rows:
        if member and is_article(member):
            id = article_id(member)
            is_whole = len(values) > len(decoding.FIELDS)
            article = decoding.article_with_text(id, values) if is_whole else decoding.article(id, values)
            if article:
                yield article
