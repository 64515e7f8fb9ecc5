"""The bounded cache: it keeps the newest values, and is safe for threads."""

import sys
from collections.abc import Iterator

import pytest

from tests.store.concurrency import at_once
from voteweb.core.caches import BoundedCache


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Make threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_the_oldest_value_is_dropped() -> None:
    values = BoundedCache[int, str](2)
    for key, value in ((1, "a"), (2, "b"), (1, "c"), (3, "d")):
        values.put(key, value)
    assert [values.get(key, "-") for key in (1, 2, 3)] == ["c", "-", "d"]


@pytest.mark.usefixtures("frequent_switches")
def test_threads_can_write_values_at_once() -> None:
    values = BoundedCache[int, int](3)

    def put_many() -> str:
        for i in range(20_000):
            values.put(i % 7, i)
        return "done"

    assert at_once([put_many] * 4) == ["done"] * 4
