"""A cache of results for texts that anybody can send."""

from collections.abc import Callable, Sized
from functools import lru_cache, wraps
from typing import Any, TypeVar

from voteweb.core import config

T = TypeVar("T")


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
