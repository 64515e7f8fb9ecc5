"""The command: chooses what is measured, prints the tables, writes JSON and picture."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from bench import budgets, counts, flat, imported, load, machine, memory, ratios, report, sites, slow
from bench.run import Run
from bench.settings import CONNECTIONS, ROOT
from bench.tables import Table, text

#: The parts in the order in which they run, each from a run to its tables.
PARTS: dict[str, Callable[[Run], list[Table]]] = {
    "ratios": ratios.part,
    "flat": flat.part,
    "counts": counts.part,
    "slow": slow.part,
    "memory": memory.part,
    "import": imported.part,
}
#: What a smoke test chooses: the whole program on sites of next to nothing.
SMOKE = {"sizes": (300, 600), "seconds": 0.2, "rounds": 1}


def _sizes(_context: click.Context, _parameter: click.Parameter, typed: str) -> tuple[int, ...]:
    """Return the sizes that were typed, the smallest first."""
    try:
        return tuple(sorted({int(each) for each in typed.split(",")}))
    except ValueError:
        raise click.BadParameter("sizes are whole numbers with commas between them") from None


def _parts(_context: click.Context, _parameter: click.Parameter, typed: str) -> tuple[str, ...]:
    """Return the parts that were typed, in their own order."""
    names = set(typed.split(","))
    if not names <= set(PARTS):
        raise click.BadParameter(f"parts are {', '.join(PARTS)}")
    return tuple(name for name in PARTS if name in names)


@click.command()
@click.option("--sizes", default="10000,100000,1000000", callback=_sizes, help="Articles of the generated sites.")
@click.option(
    "--stories",
    envvar="BENCH_STORIES",
    type=click.Path(path_type=Path),
    default=ROOT.parent / "shared" / "data" / "hn-2016.csv",
    help="Real stories, as `voteweb import` takes them; left out where the file is missing.",
)
@click.option("--parts", default=",".join(PARTS), callback=_parts, help=f"What to measure: {', '.join(PARTS)}.")
@click.option("--seconds", default=3.0, help="Length of one measurement.")
@click.option("--rounds", default=3, help="How often each contender has its turn.")
@click.option(
    "--engine", type=click.Choice(["valkey", "redis"]), default="valkey", help="The bundled one, or the system's."
)
@click.option(
    "--load", type=click.Choice(["", *load.NAMES]), default="", help="Load generator  [default: wrk if there]"
)
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench", help="Where sites are kept.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="[default: result.json in the folder]")
@click.option("--chart", "chart_file", type=click.Path(path_type=Path), help="[default: result.svg in the folder]")
@click.option("--smoke", is_flag=True, help="Try the whole program within a minute; its figures mean nothing.")
def main(**chosen: Any) -> None:
    """Measure voteweb beside floors and beside the book's own way, and say which budget is met.

    Exit status 1 when a row met errors and so is not valid, or is missing in what was written.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinding ends the servers
    if chosen["smoke"]:
        chosen |= SMOKE | {"folder": chosen["folder"] / "smoke", "stories": Path()}
    server, other = machine.cores()
    os.sched_setaffinity(0, {other})
    run = _run(chosen)
    about = machine.facts() | {
        "database": sites.engine_of(run.generated[0]),
        "load generator": run.load.name,
        "measurements": f"{run.rounds} rounds of {run.seconds:g} s, one worker, {CONNECTIONS} connections",
        "cores": f"web server on {server}; client and database on {other}",
    }
    click.echo("\n".join(f"{name + ':':18} {value}" for name, value in about.items()) + "\n")
    tables = []
    for name in chosen["parts"]:
        for table in PARTS[name](run):
            tables.append(table)
            click.echo(text(table))
    verdicts = budgets.judge({key: value for table in tables for key, value in table.figures.items()})
    click.echo("The figures of a smoke test mean nothing." if run.is_smoke else text(budgets.table(verdicts)))
    files = (chosen["json_file"] or run.folder / "result.json", chosen["chart_file"] or run.folder / "result.svg")
    report.write(about, [*tables, budgets.table(verdicts)], *files)
    click.echo(f"Written: {files[0]} and {files[1]}")
    problems = report.problems(tables, *files)
    for problem in problems:
        click.echo(problem, err=True)
    sys.exit(bool(problems))


def _run(chosen: dict[str, Any]) -> Run:
    """Return the run that was *chosen*, its sites laid in."""
    folder, engine = chosen["folder"].resolve(), chosen["engine"]
    kept = folder / "sites"
    stories = chosen["stories"] if chosen["stories"].is_file() else None
    if stories is None and not chosen["smoke"]:
        click.echo(f"{chosen['stories']} is not there: left out.", err=True)
    return Run(
        folder=folder,
        engine=engine,
        rounds=chosen["rounds"],
        seconds=chosen["seconds"],
        load=load.chosen(chosen["load"]),
        generated=tuple(sites.prepared(size, kept, engine) for size in chosen["sizes"]),
        stories=sites.prepared(stories, kept, engine) if stories else None,
        is_smoke=chosen["smoke"],
    )
