"""Cause every fault several times: ``python -m tests.faults ROUNDS [PART OF ITS NAME]`` prints a table in Markdown."""

import sys
from collections.abc import Sequence

from tests.faults.cluster_faults import CLUSTER_FAULTS
from tests.faults.faults import FAULTS, Fault
from tests.faults.vote_storm import Outcome, run_fault

HEADER = ("fault", "tried", "answered", "lost", "oldest lost, s", "counted twice", "doctor", "503s", "silent, s")


def main() -> None:
    rounds, pattern = int(sys.argv[1]), " ".join(sys.argv[2:])
    print(_line(HEADER), "|---" * len(HEADER) + "|", sep="\n")
    for name, fault in (FAULTS | CLUSTER_FAULTS).items():
        if pattern in name:
            print(_line(_row(name, [_run(fault) for _ in range(rounds)])), flush=True)


def _run(fault: Fault) -> Outcome:
    with fault.set_up() as (site, cause):
        return run_fault(site, cause)


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
