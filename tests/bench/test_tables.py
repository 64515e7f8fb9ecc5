"""The tables of a run and the verdicts on its budgets; `make bench-smoke` shows that the benchmark runs."""

import pytest

from bench.budgets import Budget, Measured
from bench.tables import Table, verdicts


@pytest.mark.parametrize(
    ("budget", "value", "verdict"),
    [
        (Budget("front", "a page", 0.7), 0.7, "met"),
        (Budget("front", "a page", 0.7), 0.69, "missed"),
        (Budget("blocking", "a command", 5.0, "ms"), 5.0, "met"),
        (Budget("blocking", "a command", 5.0, "ms"), 5.1, "missed"),
        (Budget("blocking", "a command", 5.0, "ms"), None, "not measured"),
    ],
)
def test_verdict_follows_from_the_value_and_the_bound(budget: Budget, value: float | None, verdict: str) -> None:
    assert budget.verdict(value) == verdict


def test_verdict_row_shows_the_bound_and_what_was_measured() -> None:
    table = Table("key", "Title", (), [], measured={"front": Measured(0.5, "/new")})
    assert verdicts([table], [Budget("front", "a page", 0.7)]).rows == [("a page", "missed", 0.5, "≥ 0.7", "", "/new")]


def test_table_is_aligned_as_text_and_has_objects_as_json() -> None:
    table = Table("key", "Title", ("what", "ms"), [("one", 1.0), ("twenty", 20.0)], notes=("A note.",))
    assert table.as_text().splitlines()[2:] == [
        "what      ms",
        "------------",
        "one     1.00",
        "twenty  20.0",
        "A note.",
    ]
    assert table.as_json()["rows"] == [{"what": "one", "ms": 1.0}, {"what": "twenty", "ms": 20.0}]
