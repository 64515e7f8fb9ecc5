"""Caches of bounded size: of values by key, and of results for texts that anybody can send."""

from collections.abc import Callable, Mapping, Sized
from functools import lru_cache, wraps
from threading import Lock
from typing import Any, Generic, TypeVar

from voteweb.core import config

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A thread-safe cache of the newest *max_size* values; who takes one checks that it is still right."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._values: dict[K, V] = {}
        self._lock = Lock()

    def get(self, key: K, default: V) -> V:
        """Return the value under *key*, *default* if there is none."""
        return self._values.get(key, default)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def put(self, key: K, value: V) -> None:
        """Store *value* under *key*, and drop the oldest if there are too many."""
        self.put_all({key: value})

    def put_all(self, values: Mapping[K, V]) -> None:
        """Store *values* by their keys, and drop the oldest if there are too many."""
        if not values:
            return
        with self._lock:  # else another thread could change the dictionary while the oldest is looked up
            for key in values:
                self._values.pop(key, None)
            self._values.update(values)
            while len(self._values) > self._max_size:
                del self._values[next(iter(self._values))]


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
