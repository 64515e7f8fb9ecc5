"""The costs of operations: what they give for the budgets, and which command was the longest."""

from bench.budgets import Measured
from bench.costs import Cost, budget_values
from bench.operations import THREAD_LABEL, VOTE_LABEL


def cost(label: str, rows: int = 0, size: int = 0, cpu: float = 100.0) -> Cost:
    return Cost(label, "reader", rows, cpu=[cpu], round_trips=[2, 1], page=b"x" * size)


def test_highest_costs_are_judged_and_lists_of_more_rows_apart() -> None:
    rows = [
        [cost("front page", 25, 20_000), cost("front page", 25, 21_000)],
        [cost("/new", 25, 24_000), cost("/new", 25, 20_000, cpu=110.0)],
        [cost("/good", 50, 40_000), cost("/good", 50, 40_000)],
        [cost(THREAD_LABEL, 0, 90_000), cost(THREAD_LABEL, 0, 90_000)],
        [cost(VOTE_LABEL), cost(VOTE_LABEL, cpu=130.0)],
    ]
    values = budget_values(rows)
    assert values["list-bytes"] == Measured(24_000, "/new, reader")
    assert values["long-list-bytes"] == Measured(40_000, "/good, reader")
    assert values["thread-bytes"] == Measured(90_000, f"{THREAD_LABEL}, reader")
    assert values["thread-trips"] == Measured(1, f"{THREAD_LABEL}, reader")
    assert values["scaling-page"] == Measured(1.1, "/new, reader")
    assert values["scaling-vote"] == Measured(1.3)
