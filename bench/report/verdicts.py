"""The table of budgets: each with the measured value and the verdict."""

from collections.abc import Sequence

from bench.budgets import Budget, Verdict
from bench.report.tables import Cell, Table


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """Return *verdicts* as a table."""
    return Table(
        "verdicts",
        "Budgets",
        ("what", "verdict", "measured", "must", "aim", "unit", "of", "note"),
        [_row(verdict) for verdict in verdicts],
    )


def _row(verdict: Verdict) -> tuple[Cell, ...]:
    budget, measured = verdict.budget, verdict.measured
    return (
        budget.description,
        verdict.status,
        measured.value,
        _format_bound(budget, budget.must),
        "" if budget.aim is None else _format_bound(budget, budget.aim),
        budget.unit,
        measured.row,
        budget.note,
    )


def _format_bound(budget: Budget, bound: float) -> str:
    return f"{'≥' if budget.is_minimum else '≤'} {bound:g}"
