"""Workloads that write: the requests of one measurement, and the check that the database shows all of them."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from bench.constants import CONNECTIONS
from bench.load import Request, Sample
from bench.sessions import Visitor
from voteweb.core.errors import NotVoted
from voteweb.store import Store

#: Requests that may have been done without being counted: at the end of a measurement, each connection has one in
#: flight, which may be done before or after the check, and those of the measurement before may be done in this one.
IN_FLIGHT = 2 * CONNECTIONS


class VoteWorkload:
    """Votes that all count, each followed by the pages that *pages_after* returns, as many for each voter.

    Every member votes for every article, then takes all votes back, and so on. If votes are *brief*, they are taken
    back as soon as each article has one, so that a member's page shows few at a time.
    """

    def __init__(
        self,
        store: Store,
        members: Sequence[Visitor],
        articles: Sequence[int],
        make_request: Callable[[Visitor, int, str], Request],
        pages_after: Callable[[Visitor], Sequence[Request]] = lambda _member: (),
        *,
        brief: bool = False,
    ) -> None:
        self._store = store
        self._voters = [store.users.get(member.name) for member in members]
        self._articles = articles
        self._requests_per_vote = 1 + len(pages_after(members[0]))
        # Both the member and the article change with each pair.
        pairs = [
            (members[(offset + index) % len(members)], article)
            for offset in range(len(members))
            for index, article in enumerate(articles)
        ]
        self._block = len(articles) if brief else len(pairs)
        self._requests = [
            request
            for start in range(0, len(pairs), self._block)
            for action in ("vote", "unvote")
            for member, article in pairs[start : start + self._block]
            for request in (make_request(member, article, action), *pages_after(member))
        ]

    def make_requests(self) -> list[Request]:
        """Return all requests, after taking back the votes that were in flight at the end of the measurement before."""
        self._take_back_all()
        return self._requests

    def count_mismatches(self, sample: Sample) -> int:
        """Return by how many votes the database differs from what was sent; then take all votes back.

        They would be shown on the pages of other contenders.
        """
        sent_in_block = -(-sample.requests // self._requests_per_vote) % (2 * self._block)
        expected = min(sent_in_block, 2 * self._block - sent_in_block)
        return max(abs(self._take_back_all() - expected) - IN_FLIGHT, 0)

    def _take_back_all(self) -> int:
        """Take back all votes of the members for the articles, and return how many there were."""
        votes = self._store.votes
        own = [(voter, self._store.read(votes.queue_own, self._articles, voter.id)) for voter in self._voters]
        cast = [(id, voter) for voter, voted in own for id in voted]
        for id, voter in cast:
            with suppress(NotVoted):  # a request that was in flight has taken it back
                votes.take_back(id, voter)
        return len(cast)
