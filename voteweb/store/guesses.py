"""What was the case when this process last saw it: something to ask by, never to answer by."""

from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Guesses(Generic[K, V]):
    """The latest *most* things that were seen, each under its key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: dict[K, V] = {}
        self._lock = Lock()

    def get(self, key: K, otherwise: V) -> V:
        """Return what was last seen under *key*."""
        return self._seen.get(key, otherwise)

    def put(self, key: K, value: V) -> None:
        """Remember that *value* was seen under *key*, and forget what was seen longest ago."""
        with self._lock:  # else another thread may change what is gone through for the first
            self._seen.pop(key, None)
            self._seen[key] = value
            if len(self._seen) > self._most:
                del self._seen[next(iter(self._seen))]
