"""Hints: what this process saw last. They guide what to ask Redis for and are never shown as an answer."""

from collections.abc import Mapping
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class HintCache(Generic[K, V]):
    """A thread-safe cache of the newest *max_size* hints."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._hints: dict[K, V] = {}
        self._lock = Lock()

    def get(self, key: K, default: V) -> V:
        """Return the last hint under *key*."""
        return self._hints.get(key, default)

    def __contains__(self, key: K) -> bool:
        return key in self._hints

    def put(self, key: K, value: V) -> None:
        """Store *value* under *key*, and drop the oldest hint if there are too many."""
        self.put_all({key: value})

    def put_all(self, hints: Mapping[K, V]) -> None:
        """Store *hints* by their keys, and drop the oldest if there are too many."""
        if not hints:
            return
        with self._lock:  # else another thread could change the dictionary while the oldest is looked up
            for key in hints:
                self._hints.pop(key, None)
            self._hints.update(hints)
            while len(self._hints) > self._max_size:
                del self._hints[next(iter(self._hints))]
