"""The main table: the medians and the spread of several runs."""

from bench.parts.ratios import Row, summarize_runs


def row(ratio: float | None, *, errors: int = 0) -> Row:
    cpu_ratio = None if ratio is None else ratio / 2
    return Row("front", "a page", "login", 100.0, 1.0, 2.0, errors, 50.0, (ratio, ratio, ratio), cpu_ratio)


def test_ratio_of_runs_is_their_median_with_the_lowest_and_the_highest() -> None:
    result = summarize_runs([row(0.5), row(0.8), row(0.6)])
    assert (result.ratios, result.cpu_ratio) == ((0.6, 0.5, 0.8), 0.3)


def test_one_run_with_errors_makes_the_row_invalid() -> None:
    result = summarize_runs([row(0.5), row(None, errors=2), row(0.6)])
    assert (result.ratios, result.cpu_ratio, result.errors) == ((None, None, None), None, 2)
