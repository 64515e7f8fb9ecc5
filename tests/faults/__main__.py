"""Cause every fault several times: ``python -m tests.faults ROUNDS [PART OF ITS NAME]`` prints a table in Markdown."""

import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from tests.faults.cluster_faults import CLUSTER_SERIES
from tests.faults.faults import SERIES, Series
from tests.faults.vote_storm import Crowd, Outcome, run_fault

HEADER = ("fault", "tried", "answered", "lost", "oldest lost, s", "counted twice", "doctor", "503s", "silent, s")


def main() -> None:
    rounds, pattern = int(sys.argv[1]), " ".join(sys.argv[2:])
    print(_line(HEADER), "|---" * len(HEADER) + "|", sep="\n")
    for series in (SERIES | CLUSTER_SERIES).values():
        chosen = series._replace(faults={name: cause for name, cause in series.faults.items() if pattern in name})
        outcomes: defaultdict[str, list[Outcome]] = defaultdict(list)
        for _ in range(rounds if chosen.faults else 0):
            _run(chosen, outcomes)
        for name, of_one in outcomes.items():
            print(_line(_row(name, of_one)), flush=True)


def _run(series: Series, outcomes: defaultdict[str, list[Outcome]]) -> None:
    with series.set_up() as (site, target):
        crowd = Crowd(site)
        for name, cause in series.faults.items():
            outcomes[name].append(run_fault(crowd, partial(cause, target)))
            series.recover(target)


def _row(name: str, outcomes: Sequence[Outcome]) -> tuple[object, ...]:
    ages_of_lost = [outcome.began - answered for outcome in outcomes for answered in outcome.lost]
    silences = [outcome.longest_silence for outcome in outcomes]
    return (
        name,
        len(outcomes),
        sum(outcome.answered.total() for outcome in outcomes),
        len(ages_of_lost),
        f"{max(ages_of_lost, default=0):.2f}",
        sum(outcome.counted_twice for outcome in outcomes),
        sum(len(outcome.broken) for outcome in outcomes),
        sum(outcome.refused[503] for outcome in outcomes),
        f"{min(silences):.1f} to {max(silences):.1f}",
    )


def _line(cells: Sequence[object]) -> str:
    return "|".join(("", *map(str, cells), ""))


if __name__ == "__main__":
    main()
