"""Hints: a bounded cache of what was seen last, safe for threads."""

import sys
from collections.abc import Iterator

import pytest

from tests.store.concurrency import at_once
from voteweb.store.hints import HintCache


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Make threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_the_oldest_hint_is_dropped() -> None:
    hints = HintCache[int, str](2)
    for key, value in ((1, "a"), (2, "b"), (1, "c"), (3, "d")):
        hints.put(key, value)
    assert [hints.get(key, "-") for key in (1, 2, 3)] == ["c", "-", "d"]


@pytest.mark.usefixtures("frequent_switches")
def test_threads_can_write_hints_at_once() -> None:
    hints = HintCache[int, int](3)

    def put_many() -> str:
        for i in range(20_000):
            hints.put(i % 7, i)
        return "done"

    assert at_once([put_many] * 4) == ["done"] * 4
