"""Sites with which many tests begin: built once in a while, then copied into the flushed database."""

import time
from collections.abc import Callable
from typing import NamedTuple

from voteweb.store import Store
from voteweb.store.site.rate_limits import this_day

#: Seconds for which a copy is used: tests expect that what a site holds has been posted just now.
COPY_SECONDS = 120
#: Restores all keys and no others, by two values for each: its expiry and its content. A site of 145 keys takes one
#: command a twentieth of the time of as many.
RESTORE = """
redis.call('FLUSHALL')
for number, key in ipairs(KEYS) do
  redis.call('RESTORE', key, ARGV[2 * number - 1], ARGV[2 * number], 'ABSTTL')
end
"""


class StoredKey(NamedTuple):
    """A key as the server serializes it, and the unix time in milliseconds at which it expires, -1 for never."""

    name: str
    content: bytes
    expires: int


class SiteCopy(NamedTuple):
    """All keys of a site, as they were at a monotonic time."""

    taken: float
    keys: list[StoredKey]


_copies: dict[tuple[str, str, str], SiteCopy] = {}


def prepared(store: Store, server_url: str, build: Callable[[Store], None]) -> Store:
    """Return *store*, whose database is empty, with the site that *build* makes."""
    # Of an earlier day, its articles would stand among the best of that day.
    cache_key = (f"{build.__module__}.{build.__name__}", server_url + store.keys.prefix, this_day())
    copy = _copies.get(cache_key)
    if copy and time.monotonic() < copy.taken + COPY_SECONDS:
        _write(store, copy.keys)
    else:
        build(store)
        _copies[cache_key] = SiteCopy(time.monotonic(), _read(store))
    return store


def restoring(store: Store) -> Callable[[], None]:
    """Return a function that makes the content of the database, on a single server, what it is now."""
    keys = _read(store)
    return lambda: _write(store, keys)


def _read(store: Store) -> list[StoredKey]:
    client = store.connection.client
    names = client.keys("*")
    with client.pipeline(transaction=False) as pipeline:
        for name in names:
            pipeline.execute_command("DUMP", name, NEVER_DECODE=True)
            pipeline.execute_command("PEXPIRETIME", name)
        replies = pipeline.execute()
    return [StoredKey(*key) for key in zip(names, replies[::2], replies[1::2], strict=True) if key[1] is not None]


def _write(store: Store, keys: list[StoredKey]) -> None:
    values = [value for key in keys for value in (max(key.expires, 0), key.content)]
    store.connection.client.execute_command("EVAL", RESTORE, len(keys), *(key.name for key in keys), *values)
