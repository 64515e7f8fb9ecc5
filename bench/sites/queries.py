"""Queries of the benchmark on a site, so cheap that they do not disturb a measurement."""

import time

from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store import Store, open_store
from voteweb.store.migrations import Migrations
from voteweb.store.schema.values import article_id


def open_store_at(url: str, site: str = "") -> Store:
    """Return the store of *site* at *url*, which waits a minute for a slow command."""
    store = open_store(Settings(redis_url=url, site=site, redis_deadline=60.0))
    Migrations(store.context).state()  # an empty database gets the number of the layout
    return store


def count_articles(store: Store) -> int:
    return store.read(store.listings.queue_total, store.rankings.site(Order.TIME))


def newest_ids(store: Store, count: int) -> list[int]:
    """Return the ids of the newest *count* articles, or of all, the oldest of them first."""
    pipeline = store.pipeline()
    first = max(count_articles(store) - count, 0)
    ids = store.listings.queue_ids(pipeline, store.rankings.site(Order.TIME), first, count)
    pipeline.execute()
    return list(ids.result)


def front_ids(store: Store) -> list[int]:
    """Return the ids of the articles on the front page."""
    page = store.read(store.listings.queue_page, store.rankings.site(Order.SCORE), 1)
    return [article.id for article in page.rows]


def votable_ids(store: Store, limit: int) -> list[int]:
    """Return the ids of the newest articles, at most *limit*, whose voting is open for another day or longer."""
    since = time.time() - Settings().voting_seconds + 86_400
    members = store.connection.command("ZREVRANGEBYSCORE", store.keys.by_time(), "+inf", since, "LIMIT", 0, limit)
    return [article_id(member) for member in members]
