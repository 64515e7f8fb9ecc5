"""Merged rankings: one page of the articles that are in any of several rankings, read anew for each answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voteweb.core.my_site import merged
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.keys import article_id, is_article
from voteweb.store.rankings import Ranking


@dataclass(frozen=True, slots=True)
class MergedPage:
    """One page of a merged ranking: the ids of its articles.

    ``total`` is the number of all articles, or, unless it ``is_exact``, the sum of those of each ranking: an article
    may be in several.
    """

    ids: tuple[int, ...]
    total: int
    is_exact: bool
    more: bool


def queue_merged(
    pipeline: Pipeline, rankings: Sequence[Ranking], number: int, size: int, max_pages: int
) -> Future[MergedPage]:
    """Queue a read of page *number* (from 1, *max_pages* at most) of the articles in any of *rankings*.

    The first articles of each ranking up to the end of that page are read, which is enough to merge them: one command
    of some hundred microseconds for each, and nothing is kept.
    """
    last = number * size  # one article more than the page has tells whether there is a next page
    commands: list[Command] = []
    for ranking in rankings:
        commands += [("ZCARD", ranking.key), ("ZREVRANGE", ranking.key, 0, last, "WITHSCORES")]

    def parse(replies: list[Any]) -> MergedPage:
        counts = replies[::2]
        scores = [{article_id(who): score for who, score in rows if is_article(who)} for rows in replies[1::2]]
        ids = merged(scores, 0, len(rankings) * (last + 1))
        is_exact = all(count <= last + 1 for count in counts)
        page = tuple(ids[last - size : last])
        return MergedPage(page, len(ids) if is_exact else sum(counts), is_exact, len(ids) > last and number < max_pages)

    return pipeline.queue(commands, parse)
