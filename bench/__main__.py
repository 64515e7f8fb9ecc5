"""The command line of the benchmark: run the chosen parts, print their tables, write them as JSON."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from bench import cold, costs, memory, ratios
from bench.constants import ROOT
from bench.machine import assigned_cores, machine_facts
from bench.sites import Run, prepare_site
from bench.tables import Table, verdicts

#: The parts by their names for --parts, in the order in which they run.
PARTS: dict[str, Callable[[Run], list[Table]]] = {
    "ratios": ratios.measure,
    "cold": cold.measure,
    "costs": costs.measure,
    "memory": memory.measure,
}
#: The options of a smoke test, which runs the whole program on very small sites.
SMOKE_OPTIONS = {"sizes": (300, 600), "seconds": 0.2, "rounds": 1, "runs": 1, "stories": Path()}


@click.command()
@click.option("--sizes", default=(10_000, 100_000, 1_000_000), multiple=True, help="Articles of a generated site.")
@click.option(
    "--stories",
    envvar="BENCH_STORIES",
    type=click.Path(path_type=Path),
    default=ROOT.parent / "shared" / "data" / "hn-2016.csv",
    help="Real stories, in the format of `voteweb import`; left out where the file is missing.",
)
@click.option("--parts", type=click.Choice(tuple(PARTS)), default=tuple(PARTS), multiple=True, help="What to measure.")
@click.option("--seconds", default=2.0, help="Length of one measurement.")
@click.option("--rounds", default=5, help="Measurements of each contender in one run.")
@click.option("--runs", default=3, help="Runs of the ratios, each with servers of its own; their spread is shown.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench", help="Where sites are kept.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="[default: result.json in the folder]")
@click.option("--smoke", is_flag=True, help="Try the whole program in a few minutes; its numbers mean nothing.")
def main(**options: Any) -> None:
    """Measure voteweb relative to baselines and to the book's program, and judge the budgets.

    Exit status 1 if a row is not valid because it met errors.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exception ends the servers
    if options["smoke"]:
        options |= SMOKE_OPTIONS | {"folder": options["folder"] / "smoke"}
    os.sched_setaffinity(0, {assigned_cores()[1]})
    run = _create_run(options)
    facts = machine_facts() | {
        "measurements": f"{run.rounds} rounds of {run.seconds:g} s, the ratios in {run.runs} runs of them",
        "pinned": "web server (one worker) and database on core {}, load generator on {}".format(*assigned_cores()),
    }
    click.echo("\n".join(f"{name + ':':18} {value}" for name, value in facts.items()) + "\n")
    tables = []
    for name in options["parts"]:
        for table in PARTS[name](run):
            tables.append(table)
            click.echo(table.as_text())
    tables.append(verdicts(tables))
    click.echo("The numbers of a smoke test mean nothing." if run.is_smoke else tables[-1].as_text())
    report = {"about": facts, "tables": {table.key: table.as_json() for table in tables}}
    file = options["json_file"] or run.folder / "result.json"
    file.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    click.echo(f"Written: {file}")
    invalid = [label for table in tables for label in table.invalid]
    for label in invalid:
        click.echo(f"{label}: not valid, it met errors", err=True)
    sys.exit(bool(invalid))


def _create_run(options: dict[str, Any]) -> Run:
    """Return the run with these options, and create its sites."""
    folder = options["folder"].resolve()
    if not options["stories"].is_file() and not options["smoke"]:
        click.echo(f"{options['stories']} is missing: left out.", err=True)
    generated = tuple(prepare_site(size, folder / "sites") for size in sorted(options["sizes"]))
    stories = prepare_site(options["stories"], folder / "sites") if options["stories"].is_file() else generated[0]
    numbers = {name: options[name] for name in ("runs", "rounds", "seconds")}
    return Run(folder, **numbers, generated=generated, stories=stories, is_smoke=options["smoke"])


if __name__ == "__main__":
    main()
