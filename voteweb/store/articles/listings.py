"""Lists that anybody may read: articles by any ranking, and comments, page by page, in one round trip.

Made rankings are those of the articles in all of several groups, the best of a period, and those in any of several
rankings. The first two are made when they are asked for and kept for some minutes; the last are read anew each time.
A trial of other weights of the ranking reads the lists in bounded steps.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby
from typing import Any, NamedTuple

from voteweb.core import clock, config
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import CommentId, ListedComment
from voteweb.core.links import domain
from voteweb.core.models import Article, Order, Page, Period
from voteweb.core.my_site import merged
from voteweb.core.ranking import SECONDS_PER_DAY, day_name, day_number, newest_first, ranking_key, votes_in
from voteweb.core.ranking_trial import FirstPage, Sample, Trial, evaluate
from voteweb.core.settings import Settings
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.rankings import Ranking, Rankings
from voteweb.store.schema.values import LEFT_OUT, article_member, article_of, articles_of, combined_member
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.store.site.rows import listed_comment, members_of, queue_page, read_all, read_rows

#: Round trips after which a page gives up: a group with hundreds of thousands of articles in a week.
_MAX_TRIPS = 400
#: Days of which one step takes up articles.
_MAX_DAYS = 16


class Made(NamedTuple):
    """The unix time at which a ranking was made, None if it is not kept, and whether it covers only a part."""

    time: float | None
    is_bounded: bool


NOT_MADE = Made(None, False)


class MadeRankings(StorePart):
    """Makes the combined rankings and those of periods of one site."""

    def reads(
        self, ranking: Ranking, reads: Sequence[Command], first: int, last: int, hits: Sequence[RateLimitHit]
    ) -> list[Command]:
        """Return the commands that make *ranking*, or the first part of it, unless it is kept, and *reads* of it.

        Building a combined one counts against the limits of *hits*. If it cannot be kept, the reply has the members
        from position *first* to *last* (both from 0).
        """
        make = self._combine(ranking, first, last, hits) if ranking.combines else self._steps(ranking)[0]
        return [make, *reads, ("ZRANGE", ranking.key, 0, 0, "WITHSCORES")]

    def finish(
        self,
        pipeline: Pipeline,
        ranking: Ranking,
        commands: list[Command],
        replies: list[Any],
        hits: Sequence[RateLimitHit],
        fields: Sequence[str],
    ) -> tuple[int, list[Any], Made]:
        """Return the length and the rows of *ranking* from the *replies* to the *commands* of :meth:`reads`.

        A ranking of a period is merged from those of its days, in steps. Raises TooFast by a limit of *hits*.
        """
        if hits and replies[0][0] == "rate-limited":
            raise self._context.limits.to_error(hits, replies[0][1:])
        for _ in range(0 if ranking.combines else _MAX_TRIPS):
            if replies[0][0] != "more":
                break
            steps = self._steps(ranking)
            replies = pipeline.send([*steps, *commands])[len(steps) :]
        status, *values = replies[0]
        if status in ("kept", "made"):
            # Behind comes its marker (see combine_groups.lua and merge_days.lua): one more member, scored minus the
            # time of its building.
            _, count, rows, [(marker, built)] = replies
            return count - 1, rows, Made(-built, marker == "bounded")
        if status != "unkept":
            return 0, [], NOT_MADE
        total, marker, *members = values
        ids = articles_of(members)
        stored = pipeline.send([("HMGET", self._keys.article(id), *fields) for id in ids]) if ids else []
        rows = [(article_member(id), *row) for id, row in zip(ids, stored, strict=True)]
        return int(total), rows, Made(None, marker == "bounded")

    def first_steps(self, rankings: Sequence[Ranking]) -> list[Command]:
        """Return the commands that make the first part of each of *rankings* of periods, unless it is kept."""
        return [self._steps(ranking)[0] for ranking in rankings if ranking.is_made]

    def go_on(
        self, pipeline: Pipeline, rankings: Sequence[Ranking], commands: Sequence[Command], replies: list[Any]
    ) -> list[Any]:
        """Return the replies to *commands*, which begin with :meth:`first_steps`, once all *rankings* are whole."""
        for _ in range(_MAX_TRIPS):
            pairs = zip(rankings, replies, strict=False)
            steps = [step for ranking, (status, *_) in pairs if status == "more" for step in self._steps(ranking)]
            if not steps:
                break
            replies = pipeline.send([*steps, *commands])[len(steps) :]
        return replies

    def _combine(self, ranking: Ranking, first: int, last: int, hits: Sequence[RateLimitHit]) -> Command:
        return scripts.call(
            self._keys,
            "combine_groups",
            ranking=ranking.key,
            member=combined_member(ranking.order, ranking.combines),
            order=ranking.order.value,
            groups=" ".join(ranking.combines),
            seconds=config.GROUP_CACHE_SECONDS,
            first_row=first,
            last_row=last,
            newest=ranking.newest,
            **self._context.limits.script_values(hits),
        )

    def _steps(self, ranking: Ranking) -> list[Command]:
        """Return the commands that make *ranking*, each a part of it; run again, they go on where it is not whole."""
        keys, days, now = self._keys, (ranking.period or Period.ALL).days, clock.now()
        today = day_number(now)
        # Named after the day, so that a ranking is not made of the days of two.
        period = keys.split(ranking.key)[1]
        made = {"period": period, "part": f"{period}.{day_name(today)}", "oldest": int(now - days * 86_400)}
        if ranking.group:
            return [scripts.call(keys, "rank_since", **made, group=ranking.group)] * config.BEST_STEPS
        names = [day_name(today - day) for day in range(days + 1)]
        steps: list[Command] = []
        first = 0
        while first < len(names):
            # The first days bring most of the articles; of the others, only those above the lowest so far are read.
            part = names[first : first + min(max(first, 1), _MAX_DAYS)]
            # Twice: the second goes on where the first has added as many as one step may.
            step = scripts.call(keys, "merge_days", **made, days=part, days_before=first, days_in_all=len(names))
            steps += [step] * 2
            first += len(part)
        return steps


#: The groups of each of some articles.
GroupsBefore = Sequence[Sequence[str]]
#: Articles by their position in a ranking, from 0; None for a row that is missing or not listed.
Rows = dict[int, Article | None]


class UnsortedArticles(NamedTuple):
    """Some articles without a group, newest first; ``next`` is the time from which to look further, "" at the end.

    ``left`` is how many there are; there may be more unless ``is_exact``.
    """

    rows: tuple[Article, ...]
    next: str
    left: int
    is_exact: bool


class Listings(StorePart):
    """The lists of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._made = MadeRankings(context)
        #: Ids last seen on a page of a ranking, until it is read again: a member's marks take no second round trip.
        self._id_hints: BoundedCache[tuple[str, str, int, int], tuple[int, ...]] = BoundedCache(config.HINT_CACHE_SIZE)

    def queue_page(
        self,
        pipeline: Pipeline,
        ranking: Ranking,
        number: int,
        *,
        size: int | None = None,
        with_text: bool = False,
        hits: Sequence[RateLimitHit] = (),
    ) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of a ranking; a page past the end has no rows.

        A page has *size* rows, by default as many as those of the site.

        *with_text*: the rows are whole articles. Building a combined ranking counts against the limits of *hits*: the
        execution of the pipeline raises TooFast when one is exceeded.
        """
        size, fields = size or self._settings.page_size, _fields(with_text=with_text)
        start, stop = (number - 1) * size, number * size
        # One row before and after the page: a tie may cross its edges.
        first = max(start - 1, 0)
        newest = ranking.newest
        count: Command = ("ZCOUNT", ranking.key, "-inf", newest) if newest else ("ZCARD", ranking.key)
        reads = [count, read_rows(self._keys, ranking.key, first, stop + 1 - first, fields, newest)]
        if ranking.is_made:
            reads = self._made.reads(ranking, reads, first, stop, hits)
        elif ranking.order is Order.VOTES:
            reads.append(("ZSCORE", ranking.key, LEFT_OUT))

        def parse(replies: list[Any]) -> Page[Article]:
            if ranking.is_made:
                total, stored, made = self._made.finish(pipeline, ranking, reads, replies, hits, fields)
            else:
                total, stored, *left_out = replies
                total, made = total - sum(mark is not None for mark in left_out), NOT_MADE
            rows = dict(enumerate(decoding.rows(stored), first))
            # One by votes has no ties, as the time is part of its values; and the votes of its rows may be newer.
            if ranking.order is not Order.VOTES:
                self._order_ties(pipeline, ranking, rows, (start, stop), fields)
            present = tuple(row for at, row in sorted(rows.items()) if row and start <= at < stop)
            self._id_hints.put((ranking.key, newest, start, size), tuple(article.id for article in present))
            is_full = ranking.order is Order.VOTES and total >= config.MAX_RANKED
            page = Page.at(number, size, present, total)
            is_first = number == 1 and present and ranking.order is Order.TIME
            begins = newest or (repr(present[0].time) if is_first else "")
            return replace(page, as_of=made.time, bounded=made.is_bounded or is_full, newest=begins)

        return pipeline.queue(reads, parse)

    def _order_ties(
        self, pipeline: Pipeline, ranking: Ranking, rows: Rows, edges: tuple[int, int], fields: Sequence[str]
    ) -> None:
        """Order rows of equal score newest first: Redis orders them by the spelling of their ids.

        A tie that crosses one of the *edges* of the page is read whole, which costs two more round trips.
        """
        value = ranking_key(ranking.order, self._settings)
        values = [value(article) for article in rows.values() if article]
        if len(set(values)) == len(values):
            return
        for edge in edges:
            before, after = rows.get(edge - 1), rows.get(edge)
            if before and after and value(before) == value(after):
                rows.update(self._read_tie(pipeline, ranking, value(after), fields))
        present = [(at, row) for at, row in sorted(rows.items()) if row]
        for _, tied in groupby(present, key=lambda pair: value(pair[1])):
            positions, articles = zip(*tied, strict=True)
            rows.update(zip(positions, newest_first(articles), strict=True))

    def _read_tie(self, pipeline: Pipeline, ranking: Ranking, value: float, fields: Sequence[str]) -> Rows:
        """Return all rows of a ranking with one *value*, by position."""
        key, newest = ranking.key, ranking.newest
        above, count = pipeline.send(
            [("ZCOUNT", key, f"({value!r}", newest or "+inf"), ("ZCOUNT", key, repr(value), repr(value))]
        )
        (stored,) = pipeline.send([read_rows(self._keys, key, above, count, fields, newest)])
        return dict(enumerate(decoding.rows(stored), above))

    def queue_articles(
        self, pipeline: Pipeline, ids: Sequence[int], *, with_text: bool = False
    ) -> Future[tuple[Article, ...]]:
        """Queue a read of the listed ones of the articles *ids*, in this order; *with_text*: whole articles."""

        def parse(replies: list[Any]) -> tuple[Article, ...]:
            stored = [(article_member(id), *values) for id, values in zip(ids, replies, strict=True)]
            return tuple(row for row in decoding.rows(stored) if row)

        fields = _fields(with_text=with_text)
        return pipeline.queue([("HMGET", self._keys.article(id), *fields) for id in ids], parse)

    def recent_ids(self, ranking: Ranking, number: int, size: int | None = None) -> tuple[int, ...]:
        """Return the ids that were on page *number* of a ranking when this process last read it: a hint only."""
        size = size or self._settings.page_size
        return self._id_hints.get((ranking.key, ranking.newest, (number - 1) * size, size)) or ()

    def queue_good(self, pipeline: Pipeline, count: int, *, with_text: bool = False) -> Future[tuple[Article, ...]]:
        """Queue a read of the newest *count* good articles; *with_text*: whole ones."""
        return pipeline.queue_one(
            read_rows(self._keys, self._keys.good(), 0, count, _fields(with_text=with_text)),
            lambda reply: tuple(row for row in decoding.rows(reply) if row),
        )

    def queue_total(self, pipeline: Pipeline, ranking: Ranking) -> Future[int]:
        """Queue a read of how many articles a ranking has."""
        return pipeline.queue_one(("ZCARD", ranking.key), int)

    def queue_ids(self, pipeline: Pipeline, ranking: Ranking, first: int, count: int) -> Future[tuple[int, ...]]:
        """Queue a read of the ids of *count* articles of a ranking from position *first* (from 0), lowest first.

        Costs the same at any position of a ranking of any size. They are read in batches: one command would take a
        millisecond for 10,000.
        """
        starts = range(first, first + count, config.READ_BATCH_SIZE)
        commands = [("ZRANGE", ranking.key, at, min(at + config.READ_BATCH_SIZE, starts.stop) - 1) for at in starts]
        return pipeline.queue(commands, lambda replies: tuple(articles_of(chain.from_iterable(replies))))

    def ids(self, ranking: Ranking) -> Iterator[int]:
        """Yield the ids of all articles of a ranking, highest first."""

        def queue(pipeline: Pipeline, number: int, size: int) -> Future[Page[int]]:
            return queue_page(pipeline, number, size, members_of(ranking.key), articles_of)

        return read_all(self._connection, queue)

    def queue_merged(
        self, pipeline: Pipeline, rankings: Sequence[Ranking], number: int
    ) -> Future[tuple[Page[int], bool]]:
        """Queue a read of page *number* (from 1 to MAX_MY_PAGES) of the ids of the articles in any of *rankings*.

        Also returns whether its total is exact; else it is the sum of those of each ranking: an article may be in
        several. The first articles of each ranking up to the end of that page are read, which is enough to merge them:
        one command of some hundred microseconds for each, and nothing is kept but rankings of periods, each for itself.
        """
        size = self._settings.page_size
        last = number * size  # one article more than the page has tells whether there is a next page
        commands = self._made.first_steps(rankings)
        steps = len(commands)
        for ranking in rankings:
            commands += [("ZCARD", ranking.key), ("ZREVRANGE", ranking.key, 0, last, "WITHSCORES")]

        def parse(replies: list[Any]) -> tuple[Page[int], bool]:
            if steps:
                replies = self._made.go_on(pipeline, rankings, commands, replies)[steps:]
            counts = [max(0, count - bool(steps)) for count in replies[::2]]  # one that is made ends with its marker
            scores = [{id: score for who, score in rows if (id := article_of(who))} for rows in replies[1::2]]
            ids = merged(scores, 0, len(rankings) * (last + 1))
            is_exact = all(count <= last + 1 for count in counts)
            total, has_more = len(ids) if is_exact else sum(counts), len(ids) > last and number < config.MAX_MY_PAGES
            return Page(tuple(ids[last - size : last]), number, total, last - size + 1, has_more), is_exact

        return pipeline.queue(commands, parse)

    def queue_unsorted(self, pipeline: Pipeline, before: str) -> Future[UnsortedArticles]:
        """Queue a look for a page of articles without a group before a unix time, "" for now.

        Leaves out those of which a moderator decided that no group fits. Looks at the SORT_STEP newest, and up to
        SORT_STEPS times in all, each a round trip.
        """
        # A ranking of them would have to be written with every article and every change of groups, and would miss what
        # a program written after the book posts.
        count = self._settings.page_size

        def read(before: str, count: int) -> Command:
            highest, fields = f"({before}" if before else "+inf", decoding.WHOLE
            return scripts.call(self._keys, "read_unsorted", highest=highest, wanted=count, fields=fields)

        def parse(reply: list[Any]) -> UnsortedArticles:
            articles: list[Article] = []
            left = 0
            for step in range(1, config.SORT_STEPS + 1):
                last, unsorted, is_exact, *found = reply
                left += unsorted
                articles += (row for row in decoding.rows(found) if row)
                if not last or len(articles) >= count or step == config.SORT_STEPS:
                    break
                (reply,) = pipeline.send([read(last, count - len(articles))])
            return UnsortedArticles(tuple(articles), last, left, bool(is_exact))

        return pipeline.queue_one(read(before, count), parse)

    def queue_groups_before(self, pipeline: Pipeline, article: Article) -> Future[tuple[GroupsBefore, GroupsBefore]]:
        """Queue a read of the groups of the newest SORT_EARLIER articles of the domain of *article*, and of its poster.

        A new article is among them, and in no group.
        """
        keys = (self._keys.domain(domain(article.link)), self._keys.posted(article.poster))

        def parse(replies: list[Any]) -> tuple[GroupsBefore, GroupsBefore]:
            of_domain, of_poster = [[decoding.group_names(groups or "") for _, groups in rows] for rows in replies]
            return of_domain, of_poster

        return pipeline.queue([read_rows(self._keys, key, 0, config.SORT_EARLIER, ("groups",)) for key in keys], parse)

    def queue_newest_comments(self, pipeline: Pipeline, number: int) -> Future[Page[ListedComment]]:
        """Queue a read of page *number* (from 1) of the site's newest comments, NEWEST_COMMENTS at most.

        A page has fewer rows than its size where comments have been deleted or removed since.
        """
        return self._queue_comments(pipeline, number, config.COMMENT_PAGE_SIZE, self._keys.comments())

    def queue_member_comments(self, pipeline: Pipeline, name: str, number: int) -> Future[Page[ListedComment]]:
        """Queue a read of page *number* (from 1) of a member's comments that anybody can read, newest first."""
        return self._queue_comments(pipeline, number, config.COMMENT_PAGE_SIZE, self._keys.commented(name))

    def member_comments(self, name: str) -> Iterator[ListedComment]:
        """Yield all comments of a member, newest first, removed ones too, read in batches of READ_BATCH_SIZE."""
        return read_all(self._connection, partial(self._queue_comments, key=self._keys.commented(name), wanted="all"))

    def queue_comments(self, pipeline: Pipeline, ids: Sequence[CommentId]) -> Future[tuple[ListedComment, ...]]:
        """Queue a read of those of the comments *ids* that anybody can read, in this order."""
        if not ids:
            return pipeline.then(lambda: ())
        return pipeline.queue_one(
            scripts.call(self._keys, "read_comments", comments=list(map(str, ids))),
            lambda reply: tuple(comment for comment in map(listed_comment, reply) if comment),
        )

    def _queue_comments(
        self, pipeline: Pipeline, number: int, size: int, key: str, wanted: str = "visible"
    ) -> Future[Page[ListedComment]]:
        def read_from(first: int, size: int) -> list[Command]:
            return [scripts.call(self._keys, "list_comments", list=key, first=first, size=size, wanted=wanted)]

        return queue_page(pipeline, number, size, read_from, lambda rows: map(listed_comment, rows))


def _fields(*, with_text: bool) -> tuple[str, ...]:
    return decoding.WHOLE if with_text else decoding.FIELDS


def try_weights(context: Context, listings: Listings, tried: Settings, now: float) -> Trial:
    """Return the trial of the settings *tried* on the articles of a site at unix time *now*.

    Reads the newest articles, MAX_TRIAL_ARTICLES at most, until the first page is certain and those of the last
    TRIAL_SECONDS are known.
    """
    keys, pipeline = context.keys, context.connection.pipeline()
    today = listings.queue_page(pipeline, Rankings(keys).site(Order.SCORE), 1)
    steps = range(0, config.MAX_RANKED + 1, config.TRIAL_STEP)
    best = pipeline.queue([_rows(keys, keys.top(), first) for first in steps], _listed)
    left_out = pipeline.queue_one(("ZSCORE", keys.top(), LEFT_OUT), lambda reply: votes_in(float(reply or 0)))
    pipeline.execute()
    page = FirstPage(tried, best.result, left_out.result)
    since = now - config.TRIAL_SECONDS
    newest: list[Article] = []
    oldest = now
    for step, is_last in _newest(context.connection):
        page.add(step, is_last=is_last)
        newest += (article for article in step if article.time >= since)
        oldest = min((article.time for article in step), default=oldest)
        if oldest < since and page.is_final:
            break
    sample = Sample(tuple(newest), max(now - max(oldest, since), SECONDS_PER_DAY))
    return evaluate(context.settings, tried, today.result.rows, page, sample, now)


def _newest(connection: Connection) -> Iterator[tuple[list[Article], bool]]:
    """Yield the site's newest articles in steps, each with whether there are no further ones."""
    by_time, step = connection.keys.by_time(), config.TRIAL_STEP
    for first in range(0, config.MAX_TRIAL_ARTICLES, config.TRIAL_STEPS * step):
        starts = range(first, first + config.TRIAL_STEPS * step, step)
        values = connection.run([_rows(connection.keys, by_time, start) for start in starts])
        is_last = len(values[-1]) < step
        yield _listed(values), is_last
        if is_last:
            return


def _rows(keys: Keys, ranking: str, first: int) -> Command:
    return read_rows(keys, ranking, first, config.TRIAL_STEP, decoding.FIELDS)


def _listed(values: Iterable[Sequence[Sequence[str | None]]]) -> list[Article]:
    return [article for article in decoding.rows(chain.from_iterable(values)) if article]
