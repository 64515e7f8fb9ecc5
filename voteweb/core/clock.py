"""The time by which acts are judged: the database's, so that all machines of a site agree on it.

It is told by this machine's clock and by how far the two were apart when they were compared last. What only this
machine reads, such as its log, its index of search and its caches, goes by its own clock.
"""

import time

#: Seconds that must be added to this machine's clock.
_difference = 0.0


def now() -> float:
    """Return the unix time of the database."""
    return time.time() + _difference


def difference() -> float:
    """Return how many seconds the database's clock is ahead of this machine's, 0 before they were compared."""
    return _difference


def compare(told: float, asked: float, answered: float) -> None:
    """Note that the database *told* a unix time when it was *asked* and had *answered* by this machine's clock.

    While the difference is not greater than the wait for the answer, the clocks count as equal.
    """
    global _difference
    _difference = told - min(max(told, asked), answered)
