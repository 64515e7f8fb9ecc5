"""Statistics: the median of waiting times that are kept in buckets."""

import pytest

from voteweb.core.statistics import DayCounts, median_wait, wait_bucket


@pytest.mark.parametrize("minutes", [0, 7, 100_000])
def test_the_middle_of_a_bucket_is_near_the_time(minutes: float) -> None:
    median = median_wait([DayCounts("2026-01-01", waits={wait_bucket(60 * minutes): 1})])
    assert median == pytest.approx(60 * minutes, rel=0.1, abs=60)


def test_the_median_counts_every_day() -> None:
    fast, slow = wait_bucket(60), wait_bucket(86_400)
    days = [DayCounts("2026-01-01", waits={fast: 2, slow: 1}), DayCounts("2026-01-02", waits={slow: 3}), DayCounts("x")]
    assert median_wait(days) == pytest.approx(86_400, rel=0.1)
    assert median_wait([DayCounts("x")]) is None
    assert wait_bucket(10.0**12) == 99
