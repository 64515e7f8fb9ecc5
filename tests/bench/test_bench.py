"""Results of the benchmark: ratios, verdicts and generated sites; `make bench-smoke` shows that it runs."""

from pathlib import Path

import pytest

from bench import stories
from bench.budgets import Budget, Measured
from bench.load import Sample
from bench.ratios import NO_RATIOS, compare
from bench.tables import Table, verdicts

FRONT, BLOCKING = Budget("front", "a page", 0.7), Budget("blocking", "a command", 5.0, "ms")


def sample(requests: int, *, cpu_seconds: float = 1.0, errors: int = 0) -> Sample:
    return Sample(requests, seconds=2.0, errors=errors, cpu_seconds=cpu_seconds)


def test_ratios_compare_same_rounds_with_spread_of_rounds_or_runs() -> None:
    rounds = [
        {"page": sample(50), "base": sample(100)},
        {"page": sample(16), "base": sample(20)},
        {"page": sample(60, cpu_seconds=3.0), "base": sample(100)},
    ]
    assert compare([rounds], "page", "base") == (0.6, 0.5, 0.8, 0.5)
    runs = [[{"page": sample(count), "base": sample(100)}] for count in (50, 80, 60)]
    assert compare(runs, "page", "base") == (0.6, 0.5, 0.8, 0.6)
    rounds[1]["base"] = sample(20, errors=1)
    assert compare([rounds], "page", "base") == NO_RATIOS


@pytest.mark.parametrize(
    ("budget", "value", "verdict", "bound"),
    [
        (FRONT, 0.7, "met", "≥ 0.7"),
        (FRONT, 0.69, "missed", "≥ 0.7"),
        (BLOCKING, 5.0, "met", "≤ 5"),
        (BLOCKING, 5.1, "missed", "≤ 5"),
        (BLOCKING, None, "not measured", "≤ 5"),
    ],
)
def test_verdict_follows_from_the_value_and_the_bound(
    budget: Budget, value: float | None, verdict: str, bound: str
) -> None:
    table = Table("key", "Title", (), [], measured={budget.key: Measured(value, "/new")})
    assert verdicts([table], [budget]).rows == [(budget.description, verdict, value, bound, budget.unit, "/new")]


def test_small_site_is_the_newest_part_of_a_large_one(tmp_path: Path) -> None:
    for count in (3, 30):
        stories.generate(tmp_path / f"{count}.csv", count, 1_800_000_000)
    small, large = ((tmp_path / f"{count}.csv").read_text().splitlines() for count in (3, 30))
    assert small[1:] == large[-3:]
