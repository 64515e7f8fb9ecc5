"""The statistics of samples."""

import pytest

from bench.load.measurement import Sample
from bench.load.sample_statistics import cpu_ratios, median_sample, percentile, rate_ratios, samples_by_contender


def sample(requests: int, *, p50: float = 1.0, errors: int = 0, cpu_seconds: float = 0.0) -> Sample:
    return Sample(requests, seconds=2.0, p50=p50, p99=2 * p50, errors=errors, cpu_seconds=cpu_seconds)


@pytest.mark.parametrize(("percent", "value"), [(0, 10), (1, 10), (50, 20), (51, 30), (75, 30), (99, 40), (100, 40)])
def test_percentile_is_the_value_that_so_many_do_not_exceed(percent: float, value: float) -> None:
    assert percentile([10, 20, 30, 40], percent) == value


def test_rate_ratios_are_computed_within_a_round() -> None:
    assert rate_ratios([sample(50), sample(10)], [sample(100), sample(20)]) == [0.5, 0.5]


def test_cpu_ratio_is_the_baselines_time_over_the_contenders() -> None:
    assert cpu_ratios([sample(100, cpu_seconds=2.0)], [sample(400, cpu_seconds=2.0)]) == [0.25]


def test_cpu_ratio_leaves_out_samples_without_cpu_time() -> None:
    samples = [sample(100), sample(100, cpu_seconds=1.0)]
    assert cpu_ratios(samples, [sample(100, cpu_seconds=1.0)] * 2) == [1.0]


def test_errors_of_a_single_round_are_kept() -> None:
    result = median_sample([sample(10), sample(30, p50=5.0), sample(20, errors=1)])
    assert (result.requests, result.p50, result.errors) == (20, 1.0, 1)


def test_samples_are_grouped_by_contender() -> None:
    first, second = {"a": sample(1), "b": sample(2)}, {"a": sample(3), "b": sample(4)}
    assert samples_by_contender([first, second]) == {"a": [sample(1), sample(3)], "b": [sample(2), sample(4)]}
