"""The values that the costs of list pages give for the budgets."""

from bench.budgets import MeasuredValue
from bench.parts.request_costs import Cost, budget_values


def cost(label: str, rows: int, size: int, requests: int) -> Cost:
    return Cost(label, "reader", 1, 100, size=size, gzip_size=size // 4, requests=requests, rows=rows)


def test_pages_of_more_rows_have_budgets_of_their_own() -> None:
    costs = [cost("front page", 25, 20_000, 3), cost("/new", 25, 24_000, 2), cost("/good", 50, 40_000, 3)]
    assert budget_values(costs) == {
        "list-bytes": MeasuredValue(24_000, "/new, reader"),
        "list-gzip": MeasuredValue(6_000, "/new, reader"),
        "long-list-bytes": MeasuredValue(40_000, "/good, reader"),
        "long-list-gzip": MeasuredValue(10_000, "/good, reader"),
        "list-requests": MeasuredValue(3, "front page, reader"),
    }
