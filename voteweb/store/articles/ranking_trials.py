"""Trials of other weights of the ranking: what they would make of a site's articles. Only reads, in bounded steps."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Article, Order
from voteweb.core.ranking import SECONDS_PER_DAY, votes_in
from voteweb.core.ranking_trial import FirstPage, Sample, Trial, evaluate
from voteweb.store.articles.listings import Listings
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.rankings import Rankings
from voteweb.store.schema.values import LEFT_OUT
from voteweb.store.site.context import Context
from voteweb.store.site.rows import articles_of, read_rows


def try_weights(context: Context, listings: Listings, tried: Settings, now: float) -> Trial:
    """Return the trial of the settings *tried* on the articles of a site at unix time *now*.

    Reads the newest articles, MAX_TRIAL_ARTICLES at most, until the first page is certain and those of the last
    TRIAL_SECONDS are known.
    """
    keys, pipeline = context.keys, context.connection.pipeline()
    today = listings.queue_page(pipeline, Rankings(keys).site(Order.SCORE), 1)
    steps = range(0, config.MAX_RANKED + 1, config.TRIAL_STEP)
    best = pipeline.queue([_rows(keys, keys.top(), first) for first in steps], _listed)
    left_out = pipeline.queue([("ZSCORE", keys.top(), LEFT_OUT)], lambda replies: votes_in(float(replies[0] or 0)))
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
    return [article for article in articles_of(chain.from_iterable(values)) if article.is_listed]
