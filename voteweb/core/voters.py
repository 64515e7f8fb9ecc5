"""Coincidences of votes: which members vote for the same articles more often than popular articles explain."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.models import User

#: The share of their votes that two have in common who vote together.
_SHARE = 0.6


class Coincidence(NamedTuple):
    """A member ``name`` who voted for as many as ``common`` of the last ``votes`` of another one."""

    name: str
    common: int
    votes: int


class ListedVoter(NamedTuple):
    """A voter with the marks of a ring.

    These are members of the same page who vote together with them or signed up from their network, and ``is_new``: they
    signed up lately.
    """

    user: User
    coincidences: tuple[Coincidence, ...]
    neighbours: tuple[str, ...]
    is_new: bool


class VoterList(NamedTuple):
    """Voters, the most suspicious first; ``others`` are those of ``total`` that are read but have no account here."""

    total: int
    rows: tuple[ListedVoter, ...]
    others: tuple[str, ...]


class Look(NamedTuple):
    """A look of a moderator at the voters of an article, "a", or at the votes of a member, "u"; both are ids."""

    time: float
    by: int
    kind: str
    id: int


def find_coincidences(
    votes: Mapping[str, AbstractSet[int]], counts: Mapping[int, int], total: int
) -> dict[str, list[Coincidence]]:
    """Return with whom each member of *votes*, the last articles that they voted for, votes together.

    *counts* are the votes of those articles that several of them have in common, *total* all votes of the site while
    these could be cast. Two vote together who share MIN_COINCIDENCES articles or more, at least one more than chance
    explains, and three fifths of what chance leaves of the votes of each: of simulated communities with a ring of four,
    that marks one in a hundred others, and all of the ring unless half of its votes are for show. Articles with many
    votes tell nothing.
    """
    popular = {id for id, count in counts.items() if count > config.MAX_COMPARED_VOTES}
    compared = {name: articles - popular for name, articles in votes.items()}
    total = max(total, config.MIN_SITE_VOTES, sum(counts.get(id, 1) for id in frozenset().union(*compared.values())))
    found: dict[str, list[Coincidence]] = {name: [] for name in votes}
    for (one, own), (other, others) in combinations(compared.items(), 2):
        common, most = len(own & others), max(len(own), len(others))
        if common < config.MIN_COINCIDENCES:
            continue
        chance = max(_by_chance(own, others, counts, total), _by_chance(others, own, counts, total))
        if common >= max(1 + chance, chance + _SHARE * (most - chance)):
            found[one].append(Coincidence(other, common, len(own)))
            found[other].append(Coincidence(one, common, len(others)))
    return {name: sorted(rows, key=lambda row: (-row.common, row.name)) for name, rows in found.items()}


def _by_chance(own: AbstractSet[int], others: AbstractSet[int], counts: Mapping[int, int], total: int) -> float:
    """Return how many of the articles *own* another member would vote for who votes as all but these two do."""
    share = len(others) / max(1, total - len(own) - len(others))
    return sum(min(1.0, (counts.get(id, 2) - 2) * share) for id in own)
