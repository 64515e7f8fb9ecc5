"""Who takes part: what each sends, what a good answer is, and how it is made sure that the entry was done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench import shots
from bench.load import Expect, Sample, Shot
from bench.looks import total
from bench.processes import Server
from bench.settings import CONNECTIONS
from bench.shots import Member
from voteweb.core.config import READ_BATCH_SIZE
from voteweb.core.models import User
from voteweb.store import Store, keys

SHOWN = Expect(200)
SENT = Expect(303, away="/login")
#: When the time is up, the last request of each connection is under way; it may be done, or be done only in the next
#: measurement, as far as the database tells.
UNDER_WAY = 2 * CONNECTIONS


def none_undone(_sample: Sample) -> int:
    """Return that nothing stayed undone: a page that was answered was answered."""
    return 0


@dataclass(frozen=True, slots=True)
class Contender:
    """One row of the benchmark.

    ``requests`` gives what to send in one measurement, for which it makes the database ready; ``undone``, asked after
    it, tells how many of the acts that were answered well left no trace there.
    ``shows`` is a word of the first page, looked at before each measurement: the member's name.
    ``floor`` is the key of the contender that this one is compared with, "" for a floor.
    """

    key: str
    label: str
    server: Server
    requests: Callable[[], Sequence[Shot]]
    expect: Expect = SHOWN
    floor: str = ""
    undone: Callable[[Sample], int] = none_undone
    connections: int = CONNECTIONS
    shows: str = ""


def page(
    key: str, label: str, server: Server, paths: Sequence[str], members: Sequence[Member] = (), **more: Any
) -> Contender:
    """Return the contender for pages, looked at by *members* in turn; by a reader where there are none."""
    fixed = shots.pages(paths, members)
    more.setdefault("shows", members[0].name if members else "")
    return Contender(key, label, server, lambda: fixed, **more)


class Ballots:
    """Votes that all count: every member on every article, then all taken back, and so on."""

    def __init__(
        self,
        store: Store,
        members: Sequence[Member],
        articles: Sequence[int],
        make: Callable[[Member, int, str], Shot],
    ) -> None:
        self._store = store
        self._voters = [store.users.get(member.name) for member in members]
        self._articles = articles
        pairs = list(shots.pairs(members, articles))
        self._whole = len(pairs)
        self._shots = [make(member, article, act) for act in ("vote", "unvote") for member, article in pairs]

    def requests(self) -> list[Shot]:
        """Return all votes and then all that take them back; no vote is left of the measurement before."""
        for voter in self._voters:
            for id in self._voted(voter):
                self._store.votes.take_back(id, voter)
        return self._shots

    def undone(self, sample: Sample) -> int:
        """Return by how many votes the database differs from what was sent."""
        into = sample.requests % (2 * self._whole)
        wanted = min(into, 2 * self._whole - into)
        found = sum(len(self._voted(voter)) for voter in self._voters)
        return max(abs(found - wanted) - UNDER_WAY, 0)

    def _voted(self, voter: User) -> list[int]:
        pipeline = self._store.trip()
        asked = self._store.votes.queue_own_votes(pipeline, self._articles, voter.id)
        pipeline.execute()
        return [id for id, voted in asked.result.items() if voted]


class Postings:
    """New articles, each unlike all others."""

    def __init__(self, store: Store, members: Sequence[Member], group: str, most: int) -> None:
        self._store = store
        self._members = members
        self._group = group
        self._most = most
        self._before = 0

    def requests(self) -> list[Shot]:
        """Return as many new articles as one measurement may send."""
        self._before = total(self._store)
        return [shots.submit(self._members[i % len(self._members)], self._group) for i in range(self._most)]

    def undone(self, sample: Sample) -> int:
        """Return by how many articles the site has grown less, or more, than was sent."""
        grown = total(self._store) - self._before
        return max(abs(grown - sample.requests) - UNDER_WAY, 0)


class BookVotes:
    """Votes of the book's program, which cannot take one back: all voters are forgotten before each measurement."""

    def __init__(self, store: Store, members: Sequence[Member], articles: Sequence[int]) -> None:
        self._store = store
        self._articles = articles
        self._shots = [shots.vote_form(member, article) for member, article in shots.pairs(members, articles)]
        self._before = 0

    def requests(self) -> list[Shot]:
        """Return a vote of every member on every article."""
        self._store.connection.command("UNLINK", *(keys.voted(id) for id in self._articles))
        self._before = self._votes()
        return self._shots

    def undone(self, sample: Sample) -> int:
        """Return how many votes more or less than were sent are counted."""
        return max(abs(self._votes() - self._before - sample.requests) - UNDER_WAY, 0)

    def _votes(self) -> int:
        """Return the votes of all articles that are voted on, some hundreds of them a round trip."""
        found = 0
        for at in range(0, len(self._articles), READ_BATCH_SIZE):
            pipeline = self._store.trip()
            asked = [self._store.articles.queue_get(pipeline, id) for id in self._articles[at : at + READ_BATCH_SIZE]]
            pipeline.execute()
            found += sum(each.result.votes for each in asked if each.result)
        return found
