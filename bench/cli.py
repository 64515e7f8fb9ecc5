"""The command line of the benchmark: run the chosen parts, print their tables, write JSON and chart."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from bench.budgets import judge
from bench.constants import CONNECTIONS, ROOT
from bench.load.selection import GENERATOR_NAMES, select_generator
from bench.machine import assigned_cores, machine_facts
from bench.parts import (
    blocking,
    cluster,
    conversations,
    imports,
    many_sites,
    memory,
    profile,
    ratios,
    request_costs,
    scaling,
    search,
)
from bench.report.files import find_problems, write_files
from bench.report.tables import Table, render_text
from bench.report.verdicts import verdict_table
from bench.run_context import RunContext
from bench.sites.prepare import engine_version, prepare_site

#: The parts by their names for --parts, in the order in which they run.
PARTS: dict[str, Callable[[RunContext], list[Table]]] = {
    "ratios": ratios.measure,
    "flat": scaling.measure,
    "counts": request_costs.measure,
    "slow": blocking.measure,
    "memory": memory.measure,
    "conversations": conversations.measure,
    "cluster": cluster.measure,
    "sites": many_sites.measure,
    "import": imports.measure,
    "search": search.measure,
    "profile": profile.measure,
}
#: The options of a smoke test, which runs the whole program on very small sites.
SMOKE_OPTIONS = {"sizes": (300, 600), "seconds": 0.2, "rounds": 1, "runs": 1}


def _parse_sizes(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, ...]:
    """Return the sizes in ascending order."""
    try:
        return tuple(sorted({int(size) for size in value.split(",")}))
    except ValueError:
        raise click.BadParameter("sizes are whole numbers with commas between them") from None


def _parse_parts(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """Return the parts in the order of PARTS."""
    names = set(value.split(","))
    if not names <= set(PARTS):
        raise click.BadParameter(f"parts are {', '.join(PARTS)}")
    return tuple(name for name in PARTS if name in names)


@click.command()
@click.option("--sizes", default="10000,100000,1000000", callback=_parse_sizes, help="Articles of the generated sites.")
@click.option(
    "--stories",
    envvar="BENCH_STORIES",
    type=click.Path(path_type=Path),
    default=ROOT.parent / "shared" / "data" / "hn-2016.csv",
    help="Real stories, in the format of `voteweb import`; left out where the file is missing.",
)
@click.option("--documents", default=1_000_000, help="Articles, and comments, of the index of the part search.")
@click.option("--parts", default=",".join(PARTS), callback=_parse_parts, help=f"What to measure: {', '.join(PARTS)}.")
@click.option("--seconds", default=2.0, help="Length of one measurement.")
@click.option("--rounds", default=5, help="Measurements of each contender in one run.")
@click.option("--runs", default=3, help="Runs of the ratios, each with servers of its own; their spread is shown.")
@click.option(
    "--engine", type=click.Choice(["valkey", "redis"]), default="valkey", help="The bundled one, or the system's."
)
@click.option(
    "--load",
    type=click.Choice(["", *GENERATOR_NAMES]),
    default="",
    help="Load generator  [default: wrk where it is installed]",
)
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench", help="Where sites are kept.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="[default: result.json in the folder]")
@click.option("--chart", "chart_file", type=click.Path(path_type=Path), help="[default: result.svg in the folder]")
@click.option("--smoke", is_flag=True, help="Try the whole program in a few minutes; its numbers mean nothing.")
def main(**options: Any) -> None:
    """Measure voteweb relative to baselines and to the book's program, and judge the budgets.

    Exit status 1 if a row is not valid because it met errors, or is missing in the files.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exception ends the servers
    if options["smoke"]:
        options |= SMOKE_OPTIONS | {"folder": options["folder"] / "smoke", "stories": Path()}
    os.sched_setaffinity(0, {assigned_cores()[1]})
    context = _create_context(options)
    facts = _run_facts(context)
    click.echo("\n".join(f"{name + ':':18} {value}" for name, value in facts.items()) + "\n")
    tables = _run_parts(context, options["parts"])
    files = (
        options["json_file"] or context.folder / "result.json",
        options["chart_file"] or context.folder / "result.svg",
    )
    write_files(facts, tables, *files)
    click.echo(f"Written: {files[0]} and {files[1]}")
    problems = find_problems(tables, *files)
    for problem in problems:
        click.echo(problem, err=True)
    sys.exit(bool(problems))


def _create_context(options: dict[str, Any]) -> RunContext:
    """Return the context of the run with these options, and create its sites."""
    folder, engine = options["folder"].resolve(), options["engine"]
    sites_folder = folder / "sites"
    stories = options["stories"] if options["stories"].is_file() else None
    if stories is None and not options["smoke"]:
        click.echo(f"{options['stories']} is missing: left out.", err=True)
    return RunContext(
        folder=folder,
        engine=engine,
        runs=options["runs"],
        rounds=options["rounds"],
        seconds=options["seconds"],
        generator=select_generator(options["load"]),
        generated=tuple(prepare_site(size, sites_folder, engine) for size in options["sizes"]),
        stories=prepare_site(stories, sites_folder, engine) if stories else None,
        stories_file=stories,
        documents=options["documents"],
        is_smoke=options["smoke"],
    )


def _run_facts(context: RunContext) -> dict[str, str]:
    server_core, client_core = assigned_cores()
    return machine_facts() | {
        "database": engine_version(context.generated[0]),
        "load generator": context.generator.name,
        "measurements": f"{context.rounds} rounds of {context.seconds:g} s, the ratios in {context.runs} runs of them",
        "server": f"one worker, {CONNECTIONS} connections",
        "pinned": f"web server and database on core {server_core}, load generator on {client_core}",
    }


def _run_parts(context: RunContext, names: tuple[str, ...]) -> list[Table]:
    """Run these parts, print their tables and the verdicts, and return all tables."""
    tables = []
    for name in names:
        for table in PARTS[name](context):
            tables.append(table)
            click.echo(render_text(table))
    verdicts = verdict_table(judge({key: value for table in tables for key, value in table.measured.items()}))
    click.echo("The numbers of a smoke test mean nothing." if context.is_smoke else render_text(verdicts))
    return [*tables, verdicts]
