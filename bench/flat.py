"""Flat in size: what pages and votes cost on a large site, in times of what they cost on a small one.

One connection, so that nothing is hidden behind another request, and the medians of single times, so that a
neighbour's burst is not counted. Readers' kept pages are off: what counts is the making of a page.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from statistics import median

from bench import figures, looks, pages, rounds, shots
from bench.contenders import SENT, Ballots, Contender, page
from bench.load import Sample
from bench.looks import opened
from bench.processes import copied, site
from bench.run import Run
from bench.settings import VOTED_ON
from bench.sites import Site, voters
from bench.tables import Cell, Figure, Table

#: Share of a measurement's length: there are many, and each takes the median of thousands of times.
SHARE = 0.5
VOTE = ("vote", "a vote by form")


def part(run: Run) -> list[Table]:
    """Return the times of every page and of a vote at each generated size."""
    with ExitStack() as stack:
        fields = [stack.enter_context(_field(built, run)) for built in run.generated]
        # The same page of each size in a row: nothing comes between two times that are compared.
        taking_part = [each for same in zip(*fields, strict=True) for each in same]
        samples = rounds.run(taking_part, replace(run, seconds=run.seconds * SHARE))
    by_key = figures.transposed(samples)
    labels = [each.label for each in fields[0]]
    rows = [_row(label, [by_key[field[at].key] for field in fields]) for at, label in enumerate(labels)]
    sizes = [f"{built.survey.articles:,}" for built in run.generated]
    lists = {each.label for each in fields[0] if each.key.startswith("list ")}
    return [_table(rows, sizes, lists)]


def _table(rows: list[tuple[Cell, ...]], sizes: list[str], lists: set[str]) -> Table:
    return Table(
        "flat",
        "Flat in size: milliseconds of one request (p50), one at a time",
        ("what", "largest/smallest", "lowest", "highest", *sizes),
        rows,
        figures={
            "flat-page": _worst([row for row in rows if row[0] in lists]),
            "flat-vote": _worst([row for row in rows if row[0] == VOTE[1]]),
        }
        if len(sizes) > 1
        else {},
        invalid=tuple(str(row[0]) for row in rows if row[1] is None),
    )


def _worst(rows: Sequence[tuple[Cell, ...]]) -> Figure:
    ratios = {str(label): ratio for label, ratio, *_ in rows if isinstance(ratio, float)}
    if len(ratios) < len(rows):
        return Figure(None)
    worst = max(ratios, key=ratios.__getitem__)
    return Figure(ratios[worst], worst)


def _row(label: str, by_size: Sequence[Sequence[Sample]]) -> tuple[Cell, ...]:
    """Return the times of one page, the samples of each size given; without ratios where one met errors."""
    times = [median(each.p50 for each in samples) for samples in by_size]
    valid = not any(each.errors for samples in by_size for each in samples)
    ratios = [large.p50 / small.p50 for small, large in zip(by_size[0], by_size[-1], strict=True)] if valid else []
    return (label, *((median(ratios), min(ratios), max(ratios)) if ratios else (None,) * 3), *times)


@contextmanager
def _field(built: Site, run: Run) -> Iterator[list[Contender]]:
    """Yield the contenders of one size: every page, by a member where a member sees another one, and a vote."""
    name = built.name
    with (
        copied(built.folder, run.copy(f"flat-{name}"), run.engine) as url,
        site(url, run.logs / f"flat-{name}.log", VOTEWEB_PAGE_SECONDS="0") as server,
    ):
        store = opened(url)
        people = shots.logged_in(server.origin, voters())
        found = []
        for each in pages.all_pages(built, store):
            key = f"{'list' if each.is_list else 'page'} {each.key} {name}"
            people_there = people if each.is_list else ()
            found.append(page(key, each.label, server, [each.path], people_there, connections=1))
        key, label = VOTE
        ballots = Ballots(store, people, looks.newest(store, VOTED_ON), shots.vote_form)
        found.append(
            Contender(f"{key} {name}", label, server, ballots.requests, SENT, undone=ballots.undone, connections=1)
        )
        yield found
        store.connection.client.close()
