"""The main table: the rates of the site and of the book's program relative to the baselines, on the same articles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from bench.budgets import MeasuredValue
from bench.contenders.contender import Contender
from bench.contenders.measure import measure_rounds
from bench.load.measurement import Sample
from bench.load.sample_statistics import cpu_ratios, median_sample, rate_ratios, samples_by_contender
from bench.parts.ratio_contenders import start_contenders
from bench.report.tables import Bar, Cell, Table
from bench.run_context import RunContext
from bench.sites.prepare import Site

COLUMNS = tuple("contender,ratio,lowest,highest,by CPU,requests/s,CPU µs,p50 ms,p99 ms,errors,baseline".split(","))


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one contender: medians over the rounds of a run, latencies in milliseconds.

    ``ratios`` are the median, the lowest and the highest of its rate over that of its baseline in the same round; a
    baseline has none, and neither has a contender if it or its baseline met errors. Of several runs, all are medians
    of the runs' medians, and the lowest and the highest ratio are those of a run. ``cpu_ratio`` is the ratio by the
    processor time of server and database a request, ``cpu_per_request`` that time in microseconds.
    """

    key: str
    label: str
    baseline: str
    rate: float
    p50: float
    p99: float
    errors: int
    cpu_per_request: float
    ratios: tuple[float | None, float | None, float | None]
    cpu_ratio: float | None


def measure(context: RunContext) -> list[Table]:
    """Return the table of the site of real stories, or of the smallest generated site if there is none."""
    site = context.stories or context.generated[0]
    runs = [_measure_run(site, context) for _ in range(context.runs)]
    return [_table(site, [summarize_runs(rows) for rows in zip(*runs, strict=True)], context)]


def _measure_run(site: Site, context: RunContext) -> list[Row]:
    with start_contenders(site, context) as groups:
        rows_by_group = [_rows(contenders, measure_rounds(contenders, context)) for contenders in groups]
    rows, posting_rows = rows_by_group
    return rows + [row for row in posting_rows if row.baseline]


def summarize_runs(rows: Sequence[Row]) -> Row:
    """Return the medians of the *rows* of one contender in several runs, with the spread of its ratio over them."""
    if len(rows) == 1:
        return rows[0]
    ratios = [row.ratios[0] for row in rows if row.ratios[0] is not None]
    cpu_ratios = [row.cpu_ratio for row in rows if row.cpu_ratio is not None]
    is_valid = len(ratios) == len(rows)
    return replace(
        rows[0],
        rate=median(row.rate for row in rows),
        p50=median(row.p50 for row in rows),
        p99=median(row.p99 for row in rows),
        errors=sum(row.errors for row in rows),
        cpu_per_request=median(row.cpu_per_request for row in rows),
        ratios=(median(ratios), min(ratios), max(ratios)) if is_valid else (None, None, None),
        cpu_ratio=median(cpu_ratios) if is_valid else None,
    )


def _table(site: Site, rows: Sequence[Row], context: RunContext) -> Table:
    labels = {row.key: row.label for row in rows}
    return Table(
        "ratios",
        f"{site.profile.articles:,} articles: each contender relative to its baseline",
        COLUMNS,
        [_cells(row, labels.get(row.baseline, "")) for row in rows],
        notes=(
            f"Ratio: the median, the lowest and the highest of {context.runs} runs, each the median of its rounds."
            if context.runs > 1
            else "Ratio: the median, the lowest and the highest of the rounds.",
            "By CPU: the ratio by the processor time of server and database, which other processes hardly change.",
        ),
        measured={row.key: MeasuredValue(row.ratios[0]) for row in rows if row.baseline},
        invalid=tuple(row.label for row in rows if row.errors),
        bars=tuple(Bar(row.key, row.label, row.ratios[0]) for row in rows if row.baseline),
    )


def _cells(row: Row, baseline: str) -> tuple[Cell, ...]:
    """Return the cells of *row* by COLUMNS."""
    return (
        row.label,
        *row.ratios,
        row.cpu_ratio,
        row.rate,
        row.cpu_per_request,
        row.p50,
        row.p99,
        row.errors,
        baseline,
    )


def _rows(contenders: Sequence[Contender], rounds: Sequence[dict[str, Sample]]) -> list[Row]:
    samples = samples_by_contender(rounds)
    return [_row(contender, samples[contender.key], samples.get(contender.baseline, [])) for contender in contenders]


def _row(contender: Contender, samples: Sequence[Sample], baselines: Sequence[Sample]) -> Row:
    result = median_sample(samples)
    ratios: tuple[float | None, float | None, float | None] = (None, None, None)
    cpu_ratio = None
    if baselines and not result.errors and not any(baseline.errors for baseline in baselines):
        by_round = rate_ratios(samples, baselines)
        ratios = (median(by_round), min(by_round), max(by_round))
        cpu_ratio = median(cpu_ratios(samples, baselines))
    return Row(
        contender.key,
        contender.label,
        contender.baseline,
        result.rate,
        result.p50,
        result.p99,
        result.errors,
        median(sample.cpu_per_request for sample in samples),
        ratios,
        cpu_ratio,
    )
