"""What a part of the benchmark hands in, and how it looks as text."""

from dataclasses import dataclass, field

from bench.bars import Bar

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """What a budget is judged by: None where it was not valid; ``of`` says which row it is of, where there are many."""

    value: float | None
    of: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of figures; the first column names the row.

    ``figures`` go by the keys of the budgets that they are for; ``invalid`` names the rows that met errors; ``bars``
    are what of it is drawn. People see ``most`` rows, or all for 0; machines all.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    notes: tuple[str, ...] = ()
    figures: dict[str, Figure] = field(default_factory=dict)
    invalid: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    most: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the table for machines: every row by the names of the columns."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": self.notes, "invalid": self.invalid}


def text(table: Table) -> str:
    """Return *table* for people: names to the left, numbers to the right."""
    rows = table.rows[: table.most or None]
    lines = [[*table.columns], *([shown(cell) for cell in row] for row in rows)]
    numeric = [all(not isinstance(row[at], str) for row in rows) for at in range(len(table.columns))]
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.columns))]
    told = ["  ".join(_fit(*each) for each in zip(line, widths, numeric, strict=True)).rstrip() for line in lines]
    title = f"{table.title}\n{'=' * len(table.title)}"
    return "\n".join([title, told[0], "-" * max(map(len, told)), *told[1:], *table.notes, ""])


def shown(cell: Cell) -> str:
    """Return a cell as people read it: three digits that count, a dash for nothing."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or abs(cell) >= 100:
        return f"{cell:,.0f}"
    return f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.2f}"


def _fit(cell: str, width: int, is_number: bool) -> str:
    return cell.rjust(width) if is_number else cell.ljust(width)
