"""A cache that is bounded in bytes."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class SizedCache(Generic[V]):
    """Keeps values of up to *max_bytes* in all, the least recently used of which it forgets first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = Lock()
        self._cached: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        """Return the value that is kept under *key*, None if there is none."""
        with self._lock:
            cached = self._cached.get(key)
            if cached is None:
                return None
            self._cached.move_to_end(key)
            return cached[0]

    def put(self, key: Hashable, value: V, size: int) -> V:
        """Keep *value*, which takes *size* bytes, and return it."""
        with self._lock:
            before = self._cached.pop(key, None)
            self._bytes += size - (before[1] if before else 0)
            self._cached[key] = (value, size)
            while self._bytes > self._max_bytes:
                self._bytes -= self._cached.popitem(last=False)[1][1]
        return value
