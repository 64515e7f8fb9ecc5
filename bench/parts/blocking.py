"""The longest time for which one command of each operation blocks Redis, by its slow log, at every size."""

import re
from collections.abc import Iterator, Sequence
from statistics import median

from bench.budgets import MeasuredValue
from bench.machine import longest_pause
from bench.parts.operations import Operation, all_operations
from bench.processes import database_copy
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.prepare import Site
from bench.sites.queries import open_store_at
from bench.tracing.slowlog import Command, record_commands

#: Repetitions of each operation: a disturbance by another process is seen once, a slow command every time.
REPETITIONS = 3
#: Rows of the text; the JSON has all.
MAX_ROWS = 15
IMPORT_LABEL = "import (the longest of thousands)"
REWRITE_LABEL = "import, while the append-only file is rewritten"
#: The digest of a script, and numbers: commands that differ in nothing else are the same.
_DIGEST, _NUMBER = re.compile(r"\b[0-9a-f]{40}\b"), re.compile(r"\d+")


def measure(context: RunContext) -> list[Table]:
    """Return the longest command of every operation on each generated site."""
    longest: dict[str, dict[str, Command]] = {}
    voteweb_labels = {IMPORT_LABEL}
    pauses: list[float] = []
    for site in context.generated:
        context.report_progress(f"running all operations on {site.name}")
        pauses += [longest_pause(), site.import_result.pause_ms / 1e3]
        for operation, command in _run_operations(site, context):
            longest.setdefault(operation.label, {})[site.name] = command
            voteweb_labels |= {operation.label} if operation.is_voteweb else set()
        result = site.import_result
        longest.setdefault(IMPORT_LABEL, {})[site.name] = Command(result.longest_command, result.longest_ms / 1e3)
        longest.setdefault(REWRITE_LABEL, {})[site.name] = Command("", result.rewrite_ms / 1e3)
    largest_site = context.generated[-1].name
    labels = sorted(longest, key=lambda label: -longest[label][largest_site].seconds)
    worst = next(label for label in labels if label in voteweb_labels)
    return [
        Table(
            "slow",
            "Longest time one command blocks Redis, in milliseconds",
            ("what", "command", *(f"{site.profile.articles:,}" for site in context.generated)),
            [_row(label, longest[label], context.generated) for label in labels],
            notes=(
                f"The machine halted a program that only reads the clock for up to {max(pauses) * 1e3:.2f} ms, and",
                "may have halted a command as long. Rewrites of the append-only file, during which the first write",
                "to a page of memory copies it, are not judged.",
            ),
            max_rows=MAX_ROWS,
            measured={"blocking": MeasuredValue(longest[worst][largest_site].seconds * 1e3, worst)},
        )
    ]


def _row(label: str, by_site: dict[str, Command], sites: Sequence[Site]) -> tuple[Cell, ...]:
    return (label, by_site[sites[-1].name].text, *(by_site[site.name].seconds * 1e3 for site in sites))


def _run_operations(site: Site, context: RunContext) -> Iterator[tuple[Operation, Command]]:
    """Yield each operation on a copy of *site* with its longest command."""
    with database_copy(site.folder, context.scratch_folder(f"operations-{site.name}"), context.engine) as url:
        store = open_store_at(url)
        store.connection.load_scripts()
        for operation in all_operations(site, store, url):
            runs = []
            for _ in range(REPETITIONS):
                with record_commands(store.connection.client) as commands:
                    operation.run()
                runs.append(commands)
            yield operation, longest_command(runs)
        store.connection.client.close()


def longest_command(runs: Sequence[Sequence[Command]]) -> Command:
    """Return the command that took longest in several *runs* of one operation.

    Commands that differ only in numbers are the same. The longest of each run counts, and the median over the runs.
    """
    times_by_command: dict[str, list[float]] = {}
    for commands in runs:
        longest: dict[str, float] = {}
        for command in commands:
            text = _NUMBER.sub("#", _DIGEST.sub("script", command.text))
            longest[text] = max(longest.get(text, 0.0), command.seconds)
        for text, seconds in longest.items():
            times_by_command.setdefault(text, []).append(seconds)
    medians = {text: median(times) for text, times in times_by_command.items()}
    text = max(medians, key=medians.__getitem__)
    return Command(text, medians[text])
