"""Lists of articles: any ranking, page by page, in one round trip."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Article, Order, Page
from voteweb.core.ranking import newest_first, ranking_value
from voteweb.store import decoding
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.hints import HintCache
from voteweb.store.keys import article_id
from voteweb.store.rankings import Ranking

#: Articles by their position in a ranking, from 0; None for a row that is missing or not listed.
Rows = dict[int, Article | None]


class Listings:
    """The lists of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._id_hints: HintCache[tuple[str, int], tuple[int, ...]] = HintCache(config.HINT_CACHE_SIZE)

    def queue_page(
        self, pipeline: Pipeline, ranking: Ranking, number: int, *, with_text: bool = False
    ) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of a ranking; a page past the end has no rows.

        *with_text*: the rows are whole articles.
        """

        def parse(replies: list[Any]) -> Page[Article]:
            page = self._page(pipeline, ranking, number, replies, with_text)
            self._id_hints.put((ranking.key, number), tuple(article.id for article in page.rows))
            return page

        return pipeline.queue(self._page_commands(ranking, number, with_text), parse, writes=bool(ranking.combines))

    def _page_commands(self, ranking: Ranking, number: int, with_text: bool) -> list[Command]:
        """Return the commands that read a page, with one row before and after it: a tie may cross its edges."""
        start, stop = self._bounds(number)
        first = max(start - 1, 0)
        commands: list[Command] = [("ZCARD", ranking.key), self._sort(ranking.key, first, stop + 1 - first, with_text)]
        if not ranking.combines:
            return commands
        keep = self._settings.group_cache_seconds
        combine = scripts.call("combine_groups", [ranking.key, *ranking.combines], [keep, config.MAX_COMBINED_ARTICLES])
        return [combine, *commands, ("ZRANGE", ranking.key, 0, 0, "WITHSCORES")]

    def _page(
        self, pipeline: Pipeline, ranking: Ranking, number: int, replies: list[Any], with_text: bool
    ) -> Page[Article]:
        # A combined ranking comes with the reply of its script in front, and with its marker behind (see
        # combine_groups.lua): one more member, scored minus the unix time at which the ranking was built.
        total, values, *markers = replies[bool(ranking.combines) :]
        marker, built = markers[0][0] if markers else (None, 0.0)
        start, stop = self._bounds(number)
        rows = dict(enumerate(decoding.rows(values, with_text=with_text), max(start - 1, 0)))
        self._order_ties(pipeline, ranking, rows, start, stop, with_text)
        total -= len(markers)
        return Page(
            rows=tuple(row for at, row in sorted(rows.items()) if row and start <= at < stop),
            number=number,
            total=total,
            first_rank=start + 1,
            more=total > stop,
            as_of=-built if markers else None,
            bounded=marker == "bounded",
        )

    def _bounds(self, number: int) -> tuple[int, int]:
        """Return the positions in the ranking, from 0, of the first row of page *number* and of the row after it."""
        size = self._settings.page_size
        return (number - 1) * size, number * size

    def recent_ids(self, ranking: Ranking, number: int) -> tuple[int, ...]:
        """Return the ids that were on page *number* of a ranking when this process last read it: a hint only."""
        return self._id_hints.get((ranking.key, number), ())

    def queue_good(self, pipeline: Pipeline, count: int, *, with_text: bool = False) -> Future[tuple[Article, ...]]:
        """Queue a read of the newest *count* good articles; *with_text*: whole ones."""
        return pipeline.queue(
            [self._sort(self._keys.good(), 0, count, with_text)],
            lambda replies: tuple(row for row in decoding.rows(replies[0], with_text=with_text) if row),
        )

    def queue_rows(self, pipeline: Pipeline, ids: Sequence[int]) -> Future[tuple[Article, ...]]:
        """Queue a read of the articles *ids*, as lists show them, without those missing or not listed."""

        def parse(replies: list[Any]) -> tuple[Article, ...]:
            rows = (decoding.article(id, values) for id, values in zip(ids, replies, strict=True))
            return tuple(row for row in rows if row and row.is_listed)

        return pipeline.queue([("HMGET", self._keys.article(id), *decoding.FIELDS) for id in ids], parse)

    def queue_total(self, pipeline: Pipeline, ranking: Ranking) -> Future[int]:
        """Queue a read of how many articles a ranking has."""
        return pipeline.queue([("ZCARD", ranking.key)], lambda replies: int(replies[0]))

    def queue_ids(self, pipeline: Pipeline, ranking: Ranking, first: int, count: int) -> Future[tuple[int, ...]]:
        """Queue a read of the ids of *count* articles of a ranking from position *first* (from 0), lowest first.

        Costs the same at any position of a ranking of any size.
        """
        return pipeline.queue([("ZRANGE", ranking.key, first, first + count - 1)], lambda replies: _ids(replies[0]))

    def since(self, time: float) -> Iterator[tuple[int, ...]]:
        """Yield the ids of the articles published since unix *time*, newest first, in batches of READ_BATCH_SIZE."""
        count = self._connection.command("ZCOUNT", self._keys.by_time(), repr(time), "+inf")
        for at in range(0, count, config.READ_BATCH_SIZE):
            last = min(at + config.READ_BATCH_SIZE, count) - 1
            yield _ids(self._connection.command("ZREVRANGE", self._keys.by_time(), at, last))

    def ids(self, ranking: Ranking) -> Iterator[int]:
        """Yield the ids of all articles of a ranking, highest first, read in batches of READ_BATCH_SIZE."""
        at = 0
        while batch := self._connection.command("ZREVRANGE", ranking.key, at, at + config.READ_BATCH_SIZE - 1):
            yield from (article_id(member) for member in batch)
            at += config.READ_BATCH_SIZE

    def _order_ties(
        self, pipeline: Pipeline, ranking: Ranking, rows: Rows, start: int, stop: int, with_text: bool
    ) -> None:
        """Order rows of equal score newest first: Redis orders them by the spelling of their ids.

        A tie that crosses an edge of the page is read whole, which costs two more round trips.
        """
        if ranking.order is Order.REPORTS:  # the number of reports does not come with the rows
            return

        def value(article: Article) -> float:
            return ranking_value(article, ranking.order, self._settings.vote_score)

        values = [value(article) for article in rows.values() if article]
        if len(set(values)) == len(values):
            return

        for edge in (start, stop):
            before, after = rows.get(edge - 1), rows.get(edge)
            if before and after and value(before) == value(after):
                rows.update(self._read_tie(pipeline, ranking.key, value(after), with_text))
        present = [(at, row) for at, row in sorted(rows.items()) if row]
        for _, tied in groupby(present, key=lambda pair: value(pair[1])):
            positions, articles = zip(*tied, strict=True)
            if len(articles) > 1:
                rows.update(zip(positions, newest_first(articles), strict=True))

    def _read_tie(self, pipeline: Pipeline, key: str, value: float, with_text: bool) -> Rows:
        """Return all rows of a ranking with one *value*, by position."""
        above, count = pipeline.send(
            [("ZCOUNT", key, f"({value!r}", "+inf"), ("ZCOUNT", key, repr(value), repr(value))]
        )
        if not count:
            return {}
        (values,) = pipeline.send([self._sort(key, above, count, with_text)])
        return dict(enumerate(decoding.rows(values, with_text=with_text), above))

    def _sort(self, key: str, first: int, count: int, with_text: bool = False) -> Command:
        patterns = decoding.sort_patterns(self._keys.prefix, with_text=with_text)
        return ("SORT_RO", key, "BY", "nosort", "LIMIT", first, count, *patterns, "DESC")


def _ids(members: Sequence[str]) -> tuple[int, ...]:
    ids: list[int] = []
    for member in members:
        with suppress(ValueError):  # another program's member
            ids.append(article_id(member))
    return tuple(ids)
