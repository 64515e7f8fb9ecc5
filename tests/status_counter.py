"""Visitors who ask for one page again and again, while a test does something to the site."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.helpers import until
from tests.storm import Storm


class StatusCounter(Storm):
    """Counts the statuses that *request* returns in several threads, each of which pauses between its calls."""

    def __init__(self, request: Callable[[], Sequence[Any]], threads: int, pause: float) -> None:
        super().__init__(threads)
        self._request, self._pause = request, pause
        self.statuses: Counter[Any] = Counter()

    def act(self, number: int) -> None:
        while not self.is_stopped:
            statuses = self._request()
            with self.lock:
                self.statuses.update(statuses)
            time.sleep(self._pause)

    def wait_for_more(self) -> None:
        """Return when 20 more requests have been answered; fail when one was not."""
        goal = self.statuses.total() + 20
        until(lambda: self.failures or self.statuses.total() >= goal)
        assert not self.failures  # which stop() raises


@contextmanager
def counted_statuses(
    request: Callable[[], Sequence[Any]], *, threads: int = 1, pause: float = 0.0
) -> Iterator[StatusCounter]:
    """Count the statuses that *request* returns while the block runs; fail when it raised an exception.

    *pause* is in seconds.
    """
    counter = StatusCounter(request, threads, pause)
    counter.start()
    try:
        yield counter
    finally:
        counter.stop()
