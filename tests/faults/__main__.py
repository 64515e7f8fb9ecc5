"""Try every fault several times: ``python -m tests.faults ROUNDS [WORDS OF ITS NAME]`` prints a table in Markdown."""

import sys

from tests.faults.scenes import FAULTS
from tests.faults.storm import endure

HEADER = ("fault", "tried", "answered", "lost", "oldest lost, s", "counted twice", "doctor", "503s", "silent, s")


def main() -> None:
    rounds, words = int(sys.argv[1]), " ".join(sys.argv[2:])
    print("|".join(("", *HEADER, "")), "|---" * len(HEADER) + "|", sep="\n")
    for name, fault in FAULTS.items():
        if words in name:
            outcomes = []
            for _ in range(rounds):
                with fault.scene() as (site, act):
                    outcomes.append(endure(site, act))
            lost = [each.began - at for each in outcomes for at in each.lost]
            silent = sorted(each.silent for each in outcomes)
            row = (
                name, rounds, sum(each.answered for each in outcomes), len(lost), f"{max(lost, default=0):.2f}",
                sum(each.twice for each in outcomes), sum(len(each.broken) for each in outcomes),
                sum(each.refused[503] for each in outcomes), f"{silent[0]:.1f} to {silent[-1]:.1f}",
            )  # fmt: skip
            print("|".join(("", *map(str, row), "")), flush=True)


if __name__ == "__main__":
    main()
