"""Coincidences of votes: a ring is told from members who like the same popular articles."""

import pytest

from tests.rows import check_results
from voteweb.core.voters import find_coincidences

#: Thirty articles, each the only one that some honest member voted for.
OTHERS = iter(range(1_000, 2_000))
RING = {name: {1, 2, 3, 4, next(OTHERS)} for name in ("r1", "r2", "r3", "r4")}
HONEST = {f"h{number}": {10, *(next(OTHERS) for _ in range(5))} for number in range(6)}
FEW, MANY = dict.fromkeys(range(1, 5), 4), dict.fromkeys(range(1, 5), 101)


def found_in(votes: dict[str, set[int]], counts: dict[int, int], total: int) -> set[str]:
    return {name for name, rows in find_coincidences(votes, counts, total).items() if rows}


def pair(common: int, *others: int) -> dict[str, set[int]]:
    """Return the votes of two members for as many articles, and *others* that only one of them voted for."""
    return {"a": {*range(1, common + 1)}, "b": {*range(1, common + 1), *others}}


def test_who_votes_together(subtests: pytest.Subtests) -> None:
    half = dict.fromkeys(range(1, 4), 50)
    rows = [
        (RING | HONEST, FEW | {10: 6}, 60, set(RING)),
        (RING | HONEST, MANY | {10: 6}, 10_000, set()),  # everybody votes for articles with many votes
        (pair(4), FEW, 8, {"a", "b"}),  # a site with few votes
        (pair(3), half, 150, set()),  # they are all that there is
        (pair(3), half, 9_000, {"a", "b"}),
        (pair(2), FEW, 900, set()),  # too few
        (pair(3, 5, 6, 7), FEW, 900, set()),  # less than three fifths of what b voted for
        (pair(3, 5), FEW, 900, {"a", "b"}),
        (pair(5, 6, 7, 8), {}, 50, {"a", "b"}),  # nobody else voted for these
    ]
    check_results(subtests, {found_in: rows})


def test_a_coincidence_says_how_many_of_how_many() -> None:
    rows = find_coincidences({"a": {1, 2, 3}, "b": {1, 2, 3, 5}, "c": {1, 2, 3}}, FEW, 900)
    assert rows["b"] == [("a", 3, 4), ("c", 3, 4)]
