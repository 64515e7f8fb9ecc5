"""Workloads that write: the requests of one measurement, and the check that the database shows all of them."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from bench.constants import CONNECTIONS
from bench.contenders import requests
from bench.contenders.requests import MemberSession
from bench.load.measurement import Request, Sample
from bench.sites.queries import count_articles
from voteweb.core.config import READ_BATCH_SIZE
from voteweb.core.errors import NotVoted
from voteweb.core.models import User
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
        members: Sequence[MemberSession],
        articles: Sequence[int],
        make_request: Callable[[MemberSession, int, str], Request],
        pages_after: Callable[[MemberSession], Sequence[Request]] = lambda _member: (),
        *,
        brief: bool = False,
    ) -> None:
        self._store = store
        self._voters = [store.users.get(member.name) for member in members]
        self._articles = articles
        self._requests_per_vote = 1 + len(pages_after(members[0]))
        pairs = list(requests.vote_pairs(members, articles))
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
        votes = [(id, voter) for voter in self._voters for id in self._voted_ids(voter)]
        for id, voter in votes:
            with suppress(NotVoted):  # a request that was in flight has taken it back
                self._store.votes.take_back(id, voter)
        return len(votes)

    def _voted_ids(self, voter: User) -> list[int]:
        own_votes = self._store.read(self._store.votes.queue_own, self._articles, voter.id)
        return [id for id, voted in own_votes.items() if voted]


class SubmitWorkload:
    """New articles in one *group*, at most *limit* in one measurement."""

    def __init__(self, store: Store, members: Sequence[MemberSession], group: str, limit: int) -> None:
        self._store = store
        self._members = members
        self._group = group
        self._limit = limit
        self._articles_before = 0

    def make_requests(self) -> list[Request]:
        self._articles_before = count_articles(self._store)
        members = self._members
        return [requests.submit_request(members[n % len(members)], self._group) for n in range(self._limit)]

    def count_mismatches(self, sample: Sample) -> int:
        """Return by how many articles the growth of the site differs from what was sent."""
        growth = count_articles(self._store) - self._articles_before
        return max(abs(growth - sample.requests) - IN_FLIGHT, 0)


class BookVoteWorkload:
    """Votes for the book's program, which cannot take one back: each measurement forgets all voters first."""

    def __init__(self, store: Store, members: Sequence[MemberSession], articles: Sequence[int]) -> None:
        self._store = store
        self._articles = articles
        pairs = requests.vote_pairs(members, articles)
        self._requests = [requests.vote_form_request(member, article) for member, article in pairs]
        self._votes_before = 0

    def make_requests(self) -> list[Request]:
        """Forget all voters and return a vote of every member for every article."""
        self._store.connection.command("UNLINK", *(self._store.keys.voted(id) for id in self._articles))
        self._votes_before = self._count_votes()
        return self._requests

    def count_mismatches(self, sample: Sample) -> int:
        """Return by how many votes the database differs from what was sent."""
        counted = self._count_votes() - self._votes_before
        return max(abs(counted - sample.requests) - IN_FLIGHT, 0)

    def _count_votes(self) -> int:
        total = 0
        for start in range(0, len(self._articles), READ_BATCH_SIZE):
            pipeline = self._store.pipeline()
            ids = self._articles[start : start + READ_BATCH_SIZE]
            articles = [self._store.articles.queue_get(pipeline, id) for id in ids]
            pipeline.execute()
            total += sum(article.result.votes for article in articles if article.result)
        return total
