"""The bounded cache: it keeps the values that are used, and is safe for threads."""

import sys
from collections.abc import Iterator

import pytest

from tests.store.concurrency import at_once
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import CommentId


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Make threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_sizes_are_bounded_and_used_values_stay() -> None:
    values = BoundedCache[str, str](10)
    for key, size in (("o", 1), ("a", 4), ("b", 4), ("b", 6)):
        values.put(key, key, size)
    assert values.get("a")
    values.put("c", "c", 6)
    assert [key for key in "oabc" if key in values] == ["a", "c"]
    values.put("d", "d", 11)
    assert [key for key in "acd" if key in values] == ["d"]


def test_outdated_values_are_dropped_up_to_one_that_is_not() -> None:
    values = BoundedCache[str, int](10)
    for key, until in (("a", 1), ("b", 3), ("c", 1)):
        values.put(key, until)
    values.drop_oldest(lambda until: until < 2)
    assert [key for key in "abc" if key in values] == ["b", "c"]


@pytest.mark.usefixtures("frequent_switches")
def test_threads_can_read_and_write_values_at_once() -> None:
    values = BoundedCache[CommentId, int](3)

    def put_many() -> str:
        for i in range(20_000):
            values.get(CommentId(1, i % 5))
            values.put(CommentId(1, i % 7), i)
        return "done"

    assert at_once([put_many] * 4) == ["done"] * 4
