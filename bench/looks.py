"""The benchmark's own looks at a site, which cost the server next to nothing."""

import time

from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store import Store, open_store


def opened(url: str) -> Store:
    """Return the store at *url*."""
    return open_store(Settings(redis_url=url, redis_deadline=60.0))


def total(store: Store) -> int:
    """Return the number of articles."""
    pipeline = store.pipeline()
    asked = store.listings.queue_total(pipeline, store.rankings.site(Order.TIME))
    pipeline.execute()
    return asked.result


def newest(store: Store, count: int) -> list[int]:
    """Return the ids of the newest articles, *count* of them or all."""
    pipeline = store.pipeline()
    first = max(total(store) - count, 0)
    ids = store.listings.queue_ids(pipeline, store.rankings.site(Order.TIME), first, count)
    pipeline.execute()
    return list(ids.result)


def open_to_votes(store: Store, most: int) -> list[int]:
    """Return the ids of the newest articles on which votes are taken for a day at least, *most* of them or all."""
    since = time.time() - Settings().voting_seconds + 86_400
    found: list[int] = []
    for batch in store.listings.since(since):
        found += batch
        if len(found) >= most:
            break
    return found[:most]
