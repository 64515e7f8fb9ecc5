"""Hints: what this process saw last. They guide what to ask Redis for; what Redis answers decides whether they hold."""

from typing import TypeVar

from voteweb.core.caches import BoundedCache

K = TypeVar("K")
V = TypeVar("V")


class HintCache(BoundedCache[K, V]):
    """A thread-safe cache of the newest hints."""
