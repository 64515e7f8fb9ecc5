"""Trials of other weights of the ranking: what they would make of a site's articles. Only reads, in bounded steps."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Article, Order
from voteweb.core.ranking import SECONDS_PER_DAY, votes_in
from voteweb.core.ranking_trial import FirstPage, Sample, Trial, evaluate
from voteweb.store import decoding
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import LEFT_OUT, article_id, is_article
from voteweb.store.listings import Listings
from voteweb.store.rankings import Rankings
from voteweb.store.rows import read_rows


class RankingTrials:
    """Tries other weights on the articles of one site."""

    def __init__(self, connection: Connection, settings: Settings, rankings: Rankings, listings: Listings) -> None:
        self._connection = connection
        self._settings = settings
        self._rankings = rankings
        self._listings = listings

    def run(self, tried: Settings, now: float) -> Trial:
        """Return the trial of the settings *tried* at unix time *now*.

        Reads the newest articles, MAX_TRIAL_ARTICLES at most, until the first page is certain and those of the last
        TRIAL_SECONDS are known.
        """
        pipeline = self._connection.pipeline()
        today = self._listings.queue_page(pipeline, self._rankings.site(Order.SCORE), 1)
        pipeline.execute()
        page = self._page_of_most_voted(tried)
        since = now - config.TRIAL_SECONDS
        newest: list[Article] = []
        oldest = now
        for step, is_last in self._newest():
            page.add(step, is_last=is_last)
            newest += (article for article in step if article.time >= since)
            oldest = min((article.time for article in step), default=oldest)
            if oldest < since and page.is_final:
                break
        sample = Sample(tuple(newest), max(now - max(oldest, since), SECONDS_PER_DAY))
        return evaluate(self._settings, tried, today.result.rows, page, sample, now)

    def _page_of_most_voted(self, tried: Settings) -> FirstPage:
        """Return the first page of the articles that the ranking by votes of all time holds."""
        top = self._connection.keys.top()
        steps = range(0, config.MAX_RANKED + 1, config.TRIAL_STEP)
        *values, left_out = self._connection.run(
            [*(self._rows(top, first) for first in steps), ("ZSCORE", top, LEFT_OUT)]
        )
        most_voted = _listed(chain.from_iterable(values))
        return FirstPage(tried, most_voted, votes_in(float(left_out)) if left_out else 0)

    def _newest(self) -> Iterator[tuple[list[Article], bool]]:
        """Yield the site's newest articles in steps, each with whether there are no further ones."""
        by_time, step = self._connection.keys.by_time(), config.TRIAL_STEP
        for first in range(0, config.MAX_TRIAL_ARTICLES, config.TRIAL_STEPS * step):
            starts = range(first, first + config.TRIAL_STEPS * step, step)
            values = self._connection.run([self._rows(by_time, start) for start in starts])
            is_last = len(values[-1]) < step
            yield _listed(chain.from_iterable(values)), is_last
            if is_last:
                return

    def _rows(self, ranking: str, first: int) -> Command:
        return read_rows(self._connection.keys, ranking, first, config.TRIAL_STEP, decoding.FIELDS)


def _listed(values: Iterable[Sequence[str | None]]) -> list[Article]:
    """Return the articles of these rows; what another program wrote and is none, or not listed, is left out."""
    known = [(article_id(member), fields) for member, *fields in values if member and is_article(member)]
    articles = (decoding.article(id, fields) for id, fields in known)
    return [article for article in articles if article and article.is_listed]
