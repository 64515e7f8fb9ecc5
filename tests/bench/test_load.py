"""The load generator wrk: the requests that it sends, the results that it prints, and the comparison of these."""

import pytest

from bench import load
from bench.load import Sample
from bench.ratios import NO_RATIOS, compare

RESULT = '{"requests": 1200, "microseconds": 2000000, "errors": 3}'


def sample(requests: int, *, cpu_seconds: float = 1.0, errors: int = 0) -> Sample:
    return Sample(requests, seconds=2.0, errors=errors, cpu_seconds=cpu_seconds)


def test_result_is_found_in_the_output_of_wrk() -> None:
    found = load.parse_output(f"ready\nRunning 2s test @ http://127.0.0.1\n  1200 requests in 2.00s\n{RESULT}\n")
    assert found == Sample(requests=1200, seconds=2.0, errors=3)
    assert found.rate == 600


def test_ratio_is_that_of_the_same_round_with_the_spread_of_the_rounds_of_one_run() -> None:
    rounds = [
        {"page": sample(50), "base": sample(100)},
        {"page": sample(16), "base": sample(20)},
        {"page": sample(60, cpu_seconds=3.0), "base": sample(100)},
    ]
    assert compare([rounds], "page", "base") == (0.6, 0.5, 0.8, 0.5)


def test_ratio_of_several_runs_is_the_median_of_theirs_with_their_spread() -> None:
    runs = [[{"page": sample(count), "base": sample(100)}] for count in (50, 80, 60)]
    assert compare(runs, "page", "base") == (0.6, 0.5, 0.8, 0.6)


@pytest.mark.parametrize("key", ["page", "base"])
def test_errors_in_a_single_round_leave_no_ratio(key: str) -> None:
    rounds = [{"page": sample(50), "base": sample(100)}, {"page": sample(50), "base": sample(100)}]
    rounds[1][key] = sample(50, errors=1)
    assert compare([rounds], "page", "base") == NO_RATIOS
