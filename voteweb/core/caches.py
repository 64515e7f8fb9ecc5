"""Caches of bounded size: of values by key, and of the results of functions of texts that anybody can send."""

from collections import OrderedDict
from collections.abc import Callable, Sized
from functools import lru_cache, wraps
from threading import Lock
from typing import Any, Generic, TypeVar

from voteweb.core import config

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A thread-safe cache of values whose sizes are *max_size* in all; the least recently used go first.

    A value has the size 1 unless told, so that *max_size* is a number of values, of bytes or of other units.
    The newest is kept whatever its size. Who takes a value checks that it is still right.
    """

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._size = 0
        self._lock = Lock()
        self._cached: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        with self._lock:
            cached = self._cached.get(key)
            if cached is None:
                return None
            self._cached.move_to_end(key)
            return cached[0]

    def __contains__(self, key: K) -> bool:
        return key in self._cached

    def put(self, key: K, value: V, size: int = 1) -> V:
        """Keep *value* of this *size* under *key* and return it."""
        with self._lock:
            before = self._cached.pop(key, None)
            self._size += size - (before[1] if before else 0)
            self._cached[key] = (value, size)
            while self._size > self._max_size and len(self._cached) > 1:
                self._drop_oldest()
        return value

    def drop_oldest(self, is_outdated: Callable[[V], bool]) -> None:
        """Drop the values that were not used for longest, as long as they are outdated."""
        with self._lock:
            while self._cached and is_outdated(next(iter(self._cached.values()))[0]):
                self._drop_oldest()

    def _drop_oldest(self) -> None:
        self._size -= self._cached.popitem(last=False)[1][1]


def cache_short(maxsize: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return a decorator like ``lru_cache(maxsize)`` for a function of texts; results for long ones are not cached."""

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        cached: Callable[..., Any] = lru_cache(maxsize=maxsize)(function)

        @wraps(function)
        def call(*texts: Sized) -> T:
            is_short = sum(map(len, texts)) <= config.MAX_CACHED_LENGTH
            return cached(*texts) if is_short else function(*texts)

        return call

    return decorate
