"""How long one command of ours keeps Redis from doing anything else, by its own log, at every size."""

import re
from collections.abc import Iterable, Sequence
from statistics import median

from bench import walk
from bench.looks import opened
from bench.processes import copied
from bench.run import Run
from bench.sites import Site
from bench.slowlog import Command, watched
from bench.tables import Cell, Figure, Table
from bench.walk import Step

#: How often each step is gone: a neighbour who takes the processor away is seen once, what is slow always.
TIMES = 3
#: Rows that are printed; all are in the JSON.
SHOWN = 15
#: What stands for the digest of a script, and for numbers, so that the same command is known again.
_SHA, _NUMBER = re.compile(r"\b[0-9a-f]{40}\b"), re.compile(r"\d+")


def part(run: Run) -> list[Table]:
    """Return the longest command of every step on each generated site."""
    found: dict[str, dict[str, Command]] = {}
    ours: set[str] = set()
    for built in run.generated:
        run.tell(f"walking over {built.name}")
        for step, longest in _walked(built, run):
            found.setdefault(step.label, {})[built.name] = longest
            ours |= {step.label} if step.ours else set()
        label = "import (the longest of all commands)"
        found.setdefault(label, {})[built.name] = Command(built.laid_in.command, built.laid_in.slowest / 1e3)
        ours.add(label)
    largest = run.generated[-1].name
    order = sorted(found, key=lambda label: -found[label][largest].seconds)
    worst = next(label for label in order if label in ours)
    return [
        Table(
            "slow",
            "Longest time one command blocks Redis, in milliseconds",
            ("what", "command", *(f"{built.survey.articles:,}" for built in run.generated)),
            [_row(label, found[label], run.generated) for label in order],
            most=SHOWN,
            figures={"blocked": Figure(found[worst][largest].seconds * 1e3, worst)},
        )
    ]


def _row(label: str, by_site: dict[str, Command], sites: Sequence[Site]) -> tuple[Cell, ...]:
    return (label, by_site[sites[-1].name].words, *(by_site[each.name].seconds * 1e3 for each in sites))


def _walked(built: Site, run: Run) -> Iterable[tuple[Step, Command]]:
    with copied(built.folder, run.copy(f"walk-{built.name}"), run.engine) as url:
        store = opened(url)
        store.connection.load_scripts()
        for step in walk.steps(built, store, url):
            gone = []
            for _ in range(TIMES):
                with watched(store.connection.client) as commands:
                    step.go()
                gone.append(commands)
            yield step, longest(gone)
        store.connection.client.close()


def longest(gone: Sequence[Sequence[Command]]) -> Command:
    """Return the command that took longest when the same step was *gone* several times.

    Commands are the same when they differ in numbers only. Of each the longest of a time counts, and of these the
    median over all times.
    """
    times: dict[str, list[float]] = {}
    for commands in gone:
        most: dict[str, float] = {}
        for each in commands:
            kind = _NUMBER.sub("#", _SHA.sub("script", each.words))
            most[kind] = max(most.get(kind, 0.0), each.seconds)
        for kind, seconds in most.items():
            times.setdefault(kind, []).append(seconds)
    kind, seconds = max(((kind, median(found)) for kind, found in times.items()), key=lambda pair: pair[1])
    return Command(kind, seconds)
