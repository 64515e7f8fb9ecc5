"""Made rankings: the articles in all of several groups, the best of a period, and those in any of several rankings.

The first two are made when they are asked for and kept for some minutes; the last are read anew for each answer.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from voteweb.core import clock, config
from voteweb.core.models import Page, Period
from voteweb.core.my_site import merged
from voteweb.core.ranking import day_name, day_number
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.rankings import Ranking
from voteweb.store.schema.values import article_id, article_member, combined_member, is_article
from voteweb.store.site.context import StorePart
from voteweb.store.site.rate_limits import RateLimitHit

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
        self, ranking: Ranking, reads: Sequence[Command], first: int, last: int, hit: RateLimitHit | None
    ) -> list[Command]:
        """Return the commands that make *ranking*, or the first part of it, unless it is kept, and *reads* of it.

        Building a combined one counts against the limit of *hit*. If it cannot be kept, the reply has the members from
        position *first* to *last* (both from 0).
        """
        make = self._combine(ranking, first, last, hit) if ranking.combines else self._steps(ranking)[0]
        return [make, *reads, ("ZRANGE", ranking.key, 0, 0, "WITHSCORES")]

    def finish(
        self,
        pipeline: Pipeline,
        ranking: Ranking,
        commands: list[Command],
        replies: list[Any],
        hit: RateLimitHit | None,
        fields: Sequence[str],
    ) -> tuple[int, list[Any], Made]:
        """Return the length and the rows of *ranking* from the *replies* to the *commands* of :meth:`reads`.

        A ranking of a period is merged from those of its days, in steps. Raises TooFast by the limit of *hit*.
        """
        if hit and replies[0][0] == "rate-limited":
            raise self._context.limits.to_error([hit], replies[0][1:])
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
        ids = [article_id(member) for member in members if is_article(member)]
        stored = pipeline.send([("HMGET", self._keys.article(id), *fields) for id in ids]) if ids else []
        rows = [(article_member(id), *row) for id, row in zip(ids, stored, strict=True)]
        return int(total), rows, Made(None, marker == "bounded")

    def _combine(self, ranking: Ranking, first: int, last: int, hit: RateLimitHit | None) -> Command:
        return scripts.call(
            self._keys,
            "combine_groups",
            ranking=ranking.key,
            member=combined_member(ranking.order, ranking.combines),
            order=ranking.order.value,
            groups=" ".join(ranking.combines),
            seconds=self._settings.group_cache_seconds,
            first_row=first,
            last_row=last,
            **self._context.limits.script_values([hit] if hit else []),
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


def queue_merged(
    pipeline: Pipeline, rankings: Sequence[Ranking], number: int, size: int, max_pages: int
) -> Future[tuple[Page[int], bool]]:
    """Queue a read of page *number* (from 1, *max_pages* at most) of the ids of the articles in any of *rankings*.

    Also returns whether its total is exact; else it is the sum of those of each ranking: an article may be in several.

    The first articles of each ranking up to the end of that page are read, which is enough to merge them: one command
    of some hundred microseconds for each, and nothing is kept.
    """
    last = number * size  # one article more than the page has tells whether there is a next page
    commands: list[Command] = []
    for ranking in rankings:
        commands += [("ZCARD", ranking.key), ("ZREVRANGE", ranking.key, 0, last, "WITHSCORES")]

    def parse(replies: list[Any]) -> tuple[Page[int], bool]:
        counts = replies[::2]
        scores = [{article_id(who): score for who, score in rows if is_article(who)} for rows in replies[1::2]]
        ids = merged(scores, 0, len(rankings) * (last + 1))
        is_exact = all(count <= last + 1 for count in counts)
        total, has_more = len(ids) if is_exact else sum(counts), len(ids) > last and number < max_pages
        return Page(tuple(ids[last - size : last]), number, total, last - size + 1, has_more), is_exact

    return pipeline.queue(commands, parse)
