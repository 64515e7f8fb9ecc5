"""The main table: the site beside the floors and beside the book's own way, all on the same articles."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench import figures, rounds
from bench.bars import Bar
from bench.contenders import Contender
from bench.lineup import lineup
from bench.load import Sample
from bench.run import Run
from bench.sites import Site
from bench.tables import Cell, Figure, Table

COLUMNS = tuple("contender,ratio,lowest,highest,by CPU,requests/s,CPU µs,p50 ms,p99 ms,errors,floor".split(","))


@dataclass(frozen=True, slots=True)
class Row:
    """One contender's figures: medians over the rounds, p50 and p99 in milliseconds, cost in microseconds.

    ``ratios`` of its rate to that of its floor in the same round: the median, the lowest, the highest. A floor has
    none, and neither has a row that is not valid because it or its floor met errors. ``by_cost`` is the ratio by the
    processor time that the server took for a request.
    """

    key: str
    label: str
    floor: str
    rate: float
    p50: float
    p99: float
    errors: int
    cost: float
    ratios: tuple[float | None, float | None, float | None]
    by_cost: float | None


def part(run: Run) -> list[Table]:
    """Return the table of the real stories, or of the smallest generated site where there are none."""
    built = run.stories or run.generated[0]
    with lineup(built, run) as (reading, posting):
        first, second = (rows(part, rounds.run(part, run)) for part in (reading, posting))
    found = first + [row for row in second if row.floor]
    return [_table(built, found)]


def _table(built: Site, found: Sequence[Row]) -> Table:
    labels = {row.key: row.label for row in found}
    return Table(
        "ratios",
        f"{built.survey.articles:,} articles: each beside its floor",
        COLUMNS,
        [_cells(row, labels.get(row.floor, "")) for row in found],
        notes=("By CPU: the ratio by the processor time of the server, which others on the machine hardly change.",),
        figures={row.key: Figure(row.ratios[0]) for row in found if row.floor},
        invalid=tuple(row.label for row in found if row.errors),
        bars=tuple(Bar(row.key, row.label, row.ratios[0]) for row in found if row.floor),
    )


def _cells(row: Row, floor: str) -> tuple[Cell, ...]:
    """Return what the table tells of *row*, by COLUMNS."""
    return (row.label, *row.ratios, row.by_cost, row.rate, row.cost, row.p50, row.p99, row.errors, floor)


def rows(taking_part: Sequence[Contender], samples: Sequence[dict[str, Sample]]) -> list[Row]:
    """Return the row of each contender over all rounds of *samples*."""
    by_key = figures.transposed(samples)
    return [_row(each, by_key[each.key], by_key.get(each.floor)) for each in taking_part]


def _row(each: Contender, mine: Sequence[Sample], floors: Sequence[Sample] | None) -> Row:
    middle = figures.middle(mine)
    told = (each.key, each.label, each.floor, middle.rate, middle.p50, middle.p99, middle.errors)
    cost = median(sample.cost for sample in mine)
    if not floors or middle.errors or any(floor.errors for floor in floors):
        return Row(*told, cost, (None, None, None), None)
    ratios = figures.ratios(mine, floors)
    return Row(*told, cost, (median(ratios), min(ratios), max(ratios)), median(figures.costs(mine, floors)))
