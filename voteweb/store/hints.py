"""Hints: what this process saw last. They guide what to ask Redis for and are never shown as an answer."""

from typing import TypeVar

from voteweb.core.caches import BoundedCache

K = TypeVar("K")
V = TypeVar("V")


class HintCache(BoundedCache[K, V]):
    """A thread-safe cache of the newest hints."""
