"""The tables in which the parts of the benchmark return their results, as text and for JSON."""

from dataclasses import dataclass, field

from bench.budgets import MeasuredValue

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the chart: a contender's ratio to its baseline, None if it is not valid.

    *key* is that of the contender's budget, if there is one.
    """

    key: str
    label: str
    ratio: float | None


@dataclass(frozen=True, slots=True)
class Table:
    """One table of results; the first column names the row.

    ``measured`` are the values for the budgets, by their keys; ``invalid`` names the rows with errors. The text shows
    the first ``max_rows`` rows, all for 0; the JSON has all.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    notes: tuple[str, ...] = ()
    measured: dict[str, MeasuredValue] = field(default_factory=dict)
    invalid: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    max_rows: int = 0

    def as_json(self) -> dict[str, object]:
        """Return all rows as objects by the names of the columns."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": self.notes, "invalid": self.invalid}


def render_text(table: Table) -> str:
    """Return *table* as text, with numbers aligned to the right."""
    rows = table.rows[: table.max_rows or None]
    lines = [[*table.columns], *([format_cell(cell) for cell in row] for row in rows)]
    is_numeric = [all(not isinstance(row[index], str) for row in rows) for index in range(len(table.columns))]
    widths = [max(len(line[index]) for line in lines) for index in range(len(table.columns))]
    texts = ["  ".join(map(_pad, line, widths, is_numeric)).rstrip() for line in lines]
    title = f"{table.title}\n{'=' * len(table.title)}"
    return "\n".join([title, texts[0], "-" * max(map(len, texts)), *texts[1:], *table.notes, ""])


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
