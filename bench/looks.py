"""The benchmark's own looks at a site, which cost the server next to nothing."""

import time

from voteweb.config import Settings
from voteweb.models import Order
from voteweb.store import Store, open_store
from voteweb.store.listings import whole_site


def opened(url: str) -> Store:
    """Return the store at *url*."""
    return open_store(Settings(redis_url=url, redis_deadline=60.0))


def total(store: Store) -> int:
    """Return the number of articles."""
    trip = store.trip()
    asked = store.listings.ask_total(trip, whole_site(Order.TIME))
    trip.go()
    return asked.value


def newest(store: Store, count: int) -> list[int]:
    """Return the ids of the newest articles, *count* of them or all."""
    trip = store.trip()
    first = max(total(store) - count, 0)
    ids = store.listings.ask_ids(trip, whole_site(Order.TIME), first, count)
    trip.go()
    return list(ids.value)


def open_to_votes(store: Store, most: int) -> list[int]:
    """Return the ids of the newest articles on which votes are taken for a day at least, *most* of them or all."""
    since = time.time() - Settings().voting_seconds + 86_400
    found: list[int] = []
    for batch in store.listings.since(since):
        found += batch
        if len(found) >= most:
            break
    return found[:most]
