"""Trials of other weights of the ranking: what they would make of a site's articles. Only reads, in bounded steps."""

from collections.abc import Iterator, Sequence

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Article, Order
from voteweb.core.ranking import SECONDS_PER_DAY, votes_in
from voteweb.core.ranking_trial import FirstPage, Sample, Trial, evaluate
from voteweb.store import decoding
from voteweb.store.connection.connection import Connection
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
        count = config.MAX_RANKED + 1
        values, left_out = self._connection.run(
            [read_rows(self._connection.keys, top, 0, count, decoding.FIELDS), ("ZSCORE", top, LEFT_OUT)]
        )
        return FirstPage(tried, _listed(values), votes_in(float(left_out)) if left_out else 0)

    def _newest(self) -> Iterator[tuple[list[Article], bool]]:
        """Yield the site's newest articles in steps, each with whether there are no further ones."""
        keys = self._connection.keys
        for first in range(0, config.MAX_TRIAL_ARTICLES, config.TRIAL_STEP):
            (values,) = self._connection.run(
                [read_rows(keys, keys.by_time(), first, config.TRIAL_STEP, decoding.FIELDS)]
            )
            is_last = len(values) < config.TRIAL_STEP
            yield _listed(values), is_last
            if is_last:
                return


def _listed(values: Sequence[Sequence[str | None]]) -> list[Article]:
    """Return the articles of these rows; what another program wrote and is none, or not listed, is left out."""
    known = [(article_id(member), fields) for member, *fields in values if member and is_article(member)]
    articles = (decoding.article(id, fields) for id, fields in known)
    return [article for article in articles if article and article.is_listed]
