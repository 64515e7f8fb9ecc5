"""The clock by which acts are judged: this machine's, set by the database's."""

from collections.abc import Iterator

import pytest

from voteweb.core import clock


@pytest.fixture(autouse=True)
def _reset() -> Iterator[None]:
    yield
    clock.compare(0, 0, 0)


def test_difference_is_the_least_that_explains_the_answer() -> None:
    for told, difference in ((1_000.2, 0), (1_000.0, 0), (4_600.5, 3_600), (-2_600.0, -3_600), (1_001.5, 1)):
        clock.compare(told, asked=1_000.0, answered=1_000.5)
        assert clock.difference() == difference
