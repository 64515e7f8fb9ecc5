"""The tables in which the parts of the benchmark return their results, as text and for JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.budgets import BUDGETS, Budget, Measured

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """One table of results; the first column names the row.

    ``measured`` are the values for the budgets, by their keys; ``invalid`` names the rows with errors.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    notes: tuple[str, ...] = ()
    measured: Mapping[str, Measured] = field(default_factory=dict)
    invalid: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return all rows as objects by the names of the columns."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": self.notes, "invalid": self.invalid}

    def as_text(self) -> str:
        """Return the table as text, with numbers aligned to the right."""
        lines = [self.columns, *([format_cell(cell) for cell in row] for row in self.rows)]
        is_numeric = [all(not isinstance(row[index], str) for row in self.rows) for index in range(len(self.columns))]
        widths = [max(len(line[index]) for line in lines) for index in range(len(self.columns))]
        texts = ["  ".join(map(_pad, line, widths, is_numeric)).rstrip() for line in lines]
        title = f"{self.title}\n{'=' * len(self.title)}"
        return "\n".join([title, texts[0], "-" * max(map(len, texts)), *texts[1:], *self.notes, ""])


def format_cell(cell: Cell) -> str:
    """Return *cell* with three significant digits if it is a fraction, and a dash if it is None."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or abs(cell) >= 100:
        return f"{cell:,.0f}"
    return f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.2f}"


def _pad(cell: str, width: int, is_numeric: bool) -> str:
    return cell.rjust(width) if is_numeric else cell.ljust(width)


def verdicts(tables: Sequence[Table], budgets: Sequence[Budget] = BUDGETS) -> Table:
    """Return the table of *budgets*, each with the value that one of *tables* has for it."""
    measured = {key: value for table in tables for key, value in table.measured.items()}
    rows: list[tuple[Cell, ...]] = []
    for budget in budgets:
        value, row = measured.get(budget.key, Measured(None))
        bound = f"{'≤' if budget.unit else '≥'} {budget.bound:g}"
        rows.append((budget.description, budget.verdict(value), value, bound, budget.unit, row))
    return Table("verdicts", "Budgets", ("what", "verdict", "measured", "bound", "unit", "of"), rows)
