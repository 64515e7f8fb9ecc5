"""The table of the imports by which the sites were laid in, when they were."""

from statistics import median

from bench.run import Run
from bench.tables import Table


def part(run: Run) -> list[Table]:
    """Return how fast and how steadily each site was imported, and the memory that took."""
    sites = [*run.generated, *([run.stories] if run.stories else [])]
    rows = []
    for built in sites:
        rates = built.laid_in.rates
        speeds = (median(rates), min(rates), max(rates)) if rates else (None,) * 3
        rows.append((built.name, built.laid_in.rows, *speeds, built.laid_in.steadiness, built.laid_in.peak))
    return [
        Table(
            "import",
            "voteweb import: rows a second, a tenth of all rows at a time",
            ("site", "rows", "median", "slowest", "fastest", "slowest/fastest", "peak MiB"),
            rows,
            notes=("Measured when the site was laid in, which may have been in an earlier run.",),
        )
    ]
