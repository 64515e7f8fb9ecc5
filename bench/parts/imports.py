"""The measurements of ``voteweb import`` that were made when the sites were created."""

from statistics import median

from bench.report.tables import Table
from bench.run_context import RunContext


def measure(context: RunContext) -> list[Table]:
    """Return the rate and the peak memory of the import of each site."""
    rows = []
    for site in context.sites:
        result = site.import_result
        rates = (median(result.rates), min(result.rates), max(result.rates)) if result.rates else (None, None, None)
        rows.append((site.name, result.rows, *rates, result.steadiness, result.peak_mib))
    return [
        Table(
            "import",
            "voteweb import: rows a second, a tenth of all rows at a time",
            ("site", "rows", "median", "slowest", "fastest", "slowest/fastest", "peak MiB"),
            rows,
            notes=("Measured when the site was created, which may have been in an earlier run.",),
        )
    ]
