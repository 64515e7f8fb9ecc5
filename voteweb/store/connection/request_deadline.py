"""One deadline for all round trips of a request: what has waited for a silent database does not wait for it again."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Wait:
    """The wait of one request: since when the database does not answer it (monotonic), None while it does, and why."""

    since: float | None = None
    error: Exception | None = None


#: The wait of the request that this thread answers; None outside a request, where each round trip has its deadline.
current_wait: ContextVar[Wait | None] = ContextVar("current_wait", default=None)


@contextmanager
def one_deadline() -> Iterator[None]:
    """Make all round trips of the block share one deadline, which begins at the first attempt that fails."""
    token = current_wait.set(Wait())
    try:
        yield
    finally:
        current_wait.reset(token)
