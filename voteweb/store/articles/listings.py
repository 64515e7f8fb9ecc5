"""Lists that anybody may read: articles by any ranking, and comments, page by page, in one round trip."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import Any

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import CommentId, ListedComment
from voteweb.core.models import Article, Order, Page, Period
from voteweb.core.ranking import newest_first, ranking_key
from voteweb.store.articles.made_rankings import MadeRankings
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import LEFT_OUT, article_id, article_member, is_article
from voteweb.store.schema.rankings import Ranking
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.store.site.rows import listed_comment, queue_page, read_all, read_rows

#: The fields of a row, that which the script looks at first.
_UNSORTED_FIELDS = ("groups", *(name for name in decoding.FIELDS if name != "groups"), *decoding.TEXT_FIELDS)
_FIELD_ORDER = [_UNSORTED_FIELDS.index(name) for name in (*decoding.FIELDS, *decoding.TEXT_FIELDS)]

#: Articles by their position in a ranking, from 0; None for a row that is missing or not listed.
Rows = dict[int, Article | None]


@dataclass(frozen=True, slots=True)
class UnsortedArticles:
    """Some articles without a group, newest first; ``next`` is the time from which to look further, "" at the end."""

    rows: tuple[Article, ...]
    next: str


class Listings(StorePart):
    """The lists of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._made = MadeRankings(context)
        self._id_hints: BoundedCache[tuple[str, int], tuple[int, ...]] = BoundedCache(config.HINT_CACHE_SIZE)

    def queue_page(
        self,
        pipeline: Pipeline,
        ranking: Ranking,
        number: int,
        *,
        with_text: bool = False,
        hit: RateLimitHit | None = None,
    ) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of a ranking; a page past the end has no rows.

        *with_text*: the rows are whole articles. Building a combined ranking counts against the limit of *hit*: the
        execution of the pipeline raises TooFast when it is exceeded.
        """

        def parse(replies: list[Any]) -> Page[Article]:
            if ranking.is_made:
                replies = self._made.finish(pipeline, ranking, commands, replies, hit)
            page = self._page(pipeline, ranking, number, replies, with_text)
            self._id_hints.put((ranking.key, number), tuple(article.id for article in page.rows))
            return page

        commands = self._page_commands(ranking, number, with_text, hit)
        return pipeline.queue(commands, parse)

    def _page_commands(self, ranking: Ranking, number: int, with_text: bool, hit: RateLimitHit | None) -> list[Command]:
        """Return the commands that read a page, with one row before and after it: a tie may cross its edges."""
        start, stop = self._bounds(number)
        first = max(start - 1, 0)
        commands: list[Command] = [("ZCARD", ranking.key), self._rows(ranking.key, first, stop + 1 - first, with_text)]
        if ranking.period is Period.ALL:
            return [*commands, ("ZSCORE", ranking.key, LEFT_OUT)]
        if not ranking.is_made:
            return commands
        marker = ("ZRANGE", ranking.key, 0, 0, "WITHSCORES")
        return [self._made.command(ranking, first, stop, hit), *commands, marker]

    def _page(
        self, pipeline: Pipeline, ranking: Ranking, number: int, replies: list[Any], with_text: bool
    ) -> Page[Article]:
        start, stop = self._bounds(number)
        marker, built = None, None
        if ranking.period is Period.ALL:
            total, values, left_out = replies
            total -= left_out is not None
        elif not ranking.is_made:
            total, values = replies
        elif replies[0][0] in ("kept", "made"):
            # Behind comes its marker (see combine_groups.lua and merge_days.lua): one more member, scored minus the
            # time of its building.
            _, total, values, [(marker, built)] = replies
            total -= 1
        else:
            total, marker, values = self._unkept(pipeline, replies[0], with_text)
        rows = dict(enumerate(decoding.rows(values, with_text=with_text), max(start - 1, 0)))
        # Votes and times tell articles in a ranking by votes apart, and one that is kept is older than its rows.
        if ranking.order is not Order.VOTES:
            self._order_ties(pipeline, ranking, rows, start, stop, with_text)
        return Page(
            rows=tuple(row for at, row in sorted(rows.items()) if row and start <= at < stop),
            number=number,
            total=total,
            first_rank=start + 1,
            more=total > stop,
            as_of=None if built is None else -built,
            bounded=marker == "bounded" or (ranking.order is Order.VOTES and total >= config.MAX_RANKED),
        )

    def _unkept(
        self, pipeline: Pipeline, reply: Sequence[str], with_text: bool
    ) -> tuple[int, str | None, list[Sequence[str | None]]]:
        """Return total, marker and rows of a ranking that is not kept, from the reply of its script."""
        if reply[0] in ("no-group", "none", "more"):
            return 0, None, []
        _, total, marker, *members = reply
        names = _fields(with_text=with_text)
        ids = [article_id(member) for member in members if is_article(member)]
        replies = pipeline.send([("HMGET", self._keys.article(id), *names) for id in ids]) if ids else []
        return int(total), marker, [(article_member(id), *values) for id, values in zip(ids, replies, strict=True)]

    def _bounds(self, number: int) -> tuple[int, int]:
        """Return the positions in the ranking, from 0, of the first row of page *number* and of the row after it."""
        size = self._settings.page_size
        return (number - 1) * size, number * size

    def queue_articles(
        self, pipeline: Pipeline, ids: Sequence[int], *, with_text: bool = False
    ) -> Future[tuple[Article, ...]]:
        """Queue a read of the listed ones of the articles *ids*, in this order; *with_text*: whole articles."""

        def parse(replies: list[Any]) -> tuple[Article, ...]:
            stored = [(article_member(id), *values) for id, values in zip(ids, replies, strict=True)]
            return tuple(row for row in decoding.rows(stored, with_text=with_text) if row)

        fields = _fields(with_text=with_text)
        return pipeline.queue([("HMGET", self._keys.article(id), *fields) for id in ids], parse)

    def recent_ids(self, ranking: Ranking, number: int) -> tuple[int, ...]:
        """Return the ids that were on page *number* of a ranking when this process last read it: a hint only."""
        return self._id_hints.get((ranking.key, number), ())

    def queue_good(self, pipeline: Pipeline, count: int, *, with_text: bool = False) -> Future[tuple[Article, ...]]:
        """Queue a read of the newest *count* good articles; *with_text*: whole ones."""
        return pipeline.queue(
            [self._rows(self._keys.good(), 0, count, with_text)],
            lambda replies: tuple(row for row in decoding.rows(replies[0], with_text=with_text) if row),
        )

    def queue_total(self, pipeline: Pipeline, ranking: Ranking) -> Future[int]:
        """Queue a read of how many articles a ranking has."""
        return pipeline.queue([("ZCARD", ranking.key)], lambda replies: int(replies[0]))

    def queue_ids(self, pipeline: Pipeline, ranking: Ranking, first: int, count: int) -> Future[tuple[int, ...]]:
        """Queue a read of the ids of *count* articles of a ranking from position *first* (from 0), lowest first.

        Costs the same at any position of a ranking of any size. They are read in batches: one command would take a
        millisecond for 10,000.
        """
        starts = range(first, first + count, config.READ_BATCH_SIZE)
        commands = [("ZRANGE", ranking.key, at, min(at + config.READ_BATCH_SIZE, starts.stop) - 1) for at in starts]
        return pipeline.queue(commands, lambda replies: _ids(list(chain.from_iterable(replies))))

    def ids(self, ranking: Ranking) -> Iterator[int]:
        """Yield the ids of all articles of a ranking, highest first, read in batches of READ_BATCH_SIZE."""
        at = 0
        while batch := self._connection.command("ZREVRANGE", ranking.key, at, at + config.READ_BATCH_SIZE - 1):
            yield from (article_id(member) for member in batch)
            at += config.READ_BATCH_SIZE

    def queue_unsorted(self, pipeline: Pipeline, before: str, count: int) -> Future[UnsortedArticles]:
        """Queue a look for articles without a group at the SORT_STEP newest *before* a unix time, "" for now."""
        # A ranking of them would have to be written with every article and every change of groups, and would miss what
        # a program written after the book posts.

        def parse(replies: list[Any]) -> UnsortedArticles:
            last, *found = replies[0]
            ordered = [(member, *[values[i] for i in _FIELD_ORDER]) for member, *values in found]
            return UnsortedArticles(tuple(row for row in decoding.rows(ordered, with_text=True) if row), last)

        highest = f"({before}" if before else "+inf"
        command = scripts.call(self._keys, "read_unsorted", highest=highest, wanted=count, fields=_UNSORTED_FIELDS)
        return pipeline.queue([command], parse)

    def complete_unsorted(self, first: UnsortedArticles, count: int) -> UnsortedArticles:
        """Return *first* with up to *count* rows, after up to SORT_STEPS looks in all, each a round trip."""
        rows, next = first.rows, first.next
        for _ in range(config.SORT_STEPS - 1):
            if not next or len(rows) >= count:
                break
            pipeline = self._connection.pipeline()
            more = self.queue_unsorted(pipeline, next, count - len(rows))
            pipeline.execute()
            rows, next = rows + more.result.rows, more.result.next
        return UnsortedArticles(rows, next)

    def queue_newest_comments(self, pipeline: Pipeline, number: int) -> Future[Page[ListedComment]]:
        """Queue a read of page *number* (from 1) of the site's newest comments, NEWEST_COMMENTS at most.

        A page has fewer rows than its size where comments have been deleted or removed since.
        """
        return self._queue_comments(pipeline, number, config.COMMENT_PAGE_SIZE, self._keys.comments())

    def queue_member_comments(self, pipeline: Pipeline, name: str, number: int) -> Future[Page[ListedComment]]:
        """Queue a read of page *number* (from 1) of a member's comments, newest first, without those not visible."""
        return self._queue_comments(pipeline, number, config.COMMENT_PAGE_SIZE, self._keys.commented(name))

    def member_comments(self, name: str) -> Iterator[ListedComment]:
        """Yield all comments of a member, newest first, removed ones too, read in batches of READ_BATCH_SIZE."""
        return read_all(self._connection, partial(self._queue_comments, key=self._keys.commented(name), wanted="all"))

    def queue_comments(self, pipeline: Pipeline, ids: Sequence[CommentId]) -> Future[tuple[ListedComment, ...]]:
        """Queue a read of those of the comments *ids* that anybody can read, in this order."""
        if not ids:
            return pipeline.queue([], lambda _: ())
        return pipeline.queue(
            [scripts.call(self._keys, "read_comments", comments=list(map(str, ids)))],
            lambda replies: tuple(comment for comment in map(listed_comment, replies[0]) if comment),
        )

    def _queue_comments(
        self, pipeline: Pipeline, number: int, size: int, key: str, wanted: str = "visible"
    ) -> Future[Page[ListedComment]]:
        def read_from(first: int) -> list[Command]:
            return [scripts.call(self._keys, "list_comments", list=key, first=first, size=size, wanted=wanted)]

        return queue_page(pipeline, number, size, read_from, lambda rows: map(listed_comment, rows))

    def _order_ties(
        self, pipeline: Pipeline, ranking: Ranking, rows: Rows, start: int, stop: int, with_text: bool
    ) -> None:
        """Order rows of equal score newest first: Redis orders them by the spelling of their ids.

        A tie that crosses an edge of the page is read whole, which costs two more round trips.
        """
        value = ranking_key(ranking.order, self._settings.vote_score, self._settings.max_lift)
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
        (values,) = pipeline.send([self._rows(key, above, count, with_text)])
        return dict(enumerate(decoding.rows(values, with_text=with_text), above))

    def _rows(self, key: str, first: int, count: int, with_text: bool = False) -> Command:
        return read_rows(self._keys, key, first, count, _fields(with_text=with_text))


def _fields(*, with_text: bool) -> tuple[str, ...]:
    return decoding.FIELDS + decoding.TEXT_FIELDS if with_text else decoding.FIELDS


def _ids(members: Sequence[str]) -> tuple[int, ...]:
    ids: list[int] = []
    for member in members:
        with suppress(ValueError):  # another program's member
            ids.append(article_id(member))
    return tuple(ids)
