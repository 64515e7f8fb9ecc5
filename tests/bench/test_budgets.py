"""The verdicts on the budgets."""

import pytest

from bench.budgets import BUDGETS, Budget, MeasuredValue, Status, judge
from bench.report.verdicts import verdict_table

RATIO = Budget("front", "a page", 0.7, 0.9, is_minimum=True)
TIME = Budget("blocking", "a command", 5.0, 1.0, "ms")
SIZE = Budget("bytes", "a page", 30_000, unit="bytes")


@pytest.mark.parametrize(
    ("budget", "value", "status"),
    [
        (RATIO, 0.9, "aim met"),
        (RATIO, 0.89, "met"),
        (RATIO, 0.7, "met"),
        (RATIO, 0.69, "missed"),
        (TIME, 1.0, "aim met"),
        (TIME, 5.0, "met"),
        (TIME, 5.1, "missed"),
        (TIME, None, "not measured"),
        (SIZE, 1, "met"),
        (SIZE, 30_001, "missed"),
    ],
)
def test_status_follows_from_value_bound_and_aim(budget: Budget, value: float | None, status: str) -> None:
    (verdict,) = judge({budget.key: MeasuredValue(value)}, [budget])
    assert verdict.status == status


def test_budgets_without_a_value_are_not_measured() -> None:
    assert {verdict.status for verdict in judge({})} == {Status.NOT_MEASURED}


def test_every_budget_has_a_key_and_a_row_of_its_own() -> None:
    assert len({budget.key for budget in BUDGETS}) == len(BUDGETS) == len(verdict_table(judge({})).rows)


def test_aims_are_stricter_than_bounds() -> None:
    assert all(budget.allows(budget.aim, budget.must) for budget in BUDGETS if budget.aim is not None)


def test_verdict_row_shows_bounds_and_note() -> None:
    budget = Budget("front", "a page", 0.7, 0.9, is_minimum=True, note="a note")
    (row,) = verdict_table(judge({"front": MeasuredValue(0.5, "/new")}, [budget])).as_json()["rows"]
    assert row == {
        "what": "a page",
        "verdict": "missed",
        "measured": 0.5,
        "must": "≥ 0.7",
        "aim": "≥ 0.9",
        "unit": "",
        "of": "/new",
        "note": "a note",
    }
