"""Guesses: what was seen last, as much of it as is wanted, by several threads at once."""

import sys
from collections.abc import Iterator

import pytest

from tests.store.test_races import at_once
from voteweb.store.hints import HintCache


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_what_was_seen_longest_ago_is_forgotten() -> None:
    guesses = HintCache[int, str](2)
    for key, value in ((1, "a"), (2, "b"), (1, "c"), (3, "d")):
        guesses.put(key, value)
    assert [guesses.get(key, "-") for key in (1, 2, 3)] == ["c", "-", "d"]


def test_threads_do_not_disturb_each_other(restless: None) -> None:
    guesses = HintCache[int, int](3)

    def put_many() -> str:
        for i in range(20_000):
            guesses.put(i % 7, i)
        return "done"

    assert at_once([put_many] * 4) == ["done"] * 4
