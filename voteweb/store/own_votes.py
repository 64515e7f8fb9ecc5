"""Own votes: which of the articles of a list a member has voted for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.models import Article
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.hints import HintCache

#: Articles of a member that this process remembers: those of the lists that they read.
MAX_REMEMBERED = 300


class _Remembered(NamedTuple):
    """Which of the articles ``asked`` a member has voted for, while their votes have last changed at ``voted_at``.

    It holds at most ``until`` that time of the monotonic clock.
    """

    voted_at: str
    until: float
    asked: frozenset[int]
    voted: frozenset[int]


_NOTHING = _Remembered("", 0.0, frozenset(), frozenset())


class OwnVotes:
    """The votes of one site's members among the rows of lists."""

    def __init__(self, connection: Connection) -> None:
        self._keys = connection.keys
        self._remembered: HintCache[int, _Remembered] = HintCache(config.HINT_CACHE_SIZE)

    def queue(self, pipeline: Pipeline, ids: Sequence[int], voter_id: int) -> Future[dict[int, bool]]:
        """Queue a read of which of the articles *ids* the member *voter_id* has voted for.

        The member's list of open votes does not tell: it lacks the oldest if there were too many, also after some of
        the others have been taken back.
        """
        if not ids:
            return pipeline.queue([], lambda _: {})
        return pipeline.queue(
            [self._command(ids, voter_id)], lambda replies: dict(zip(ids, map(bool, replies[0]), strict=True))
        )

    def queue_remembered(
        self, pipeline: Pipeline, ids: Sequence[int], voter_id: int, voted_at: Callable[[], str]
    ) -> Future[frozenset[int]]:
        """Queue a read of those articles *ids* that the member *voter_id* has voted for, perhaps of some others too.

        Articles that this process remembers are not asked for again.

        *voted_at* returns when the member's votes changed last, which *pipeline* has read before. Every vote and every
        vote that is taken back changes it; what another program writes is seen after OWN_VOTES_SECONDS. A list for
        members takes 0.7 times as long.
        """
        before = self._remembered.get(voter_id, _NOTHING)
        if before.until <= monotonic():
            before = _NOTHING
        missing = [id for id in ids if id not in before.asked]

        def parse(replies: list[list[int]]) -> frozenset[int]:
            known, asked, time = before, missing, voted_at()
            if known.voted_at != time:
                known = _NOTHING
                if len(missing) < len(ids):
                    asked, replies = list(ids), pipeline.send([self._command(ids, voter_id)])
            if asked:
                known = self._remember(voter_id, known, time, asked, replies[0])
            return known.voted

        return pipeline.queue([self._command(missing, voter_id)] if missing else [], parse)

    def note(self, voter_id: int, id: int, voted_before: str, voted_at: str, *, has_voted: bool) -> None:
        """Remember that the member *voter_id* has just voted for the article *id*, or has taken the vote back.

        Their votes had changed at *voted_before* the last time, and have changed at *voted_at* now.
        """
        known = self._remembered.get(voter_id, _NOTHING)
        if known.voted_at == voted_before:
            voted = known.voted | {id} if has_voted else known.voted - {id}
            self._put(voter_id, known._replace(voted_at=voted_at, asked=known.asked | {id}, voted=voted))

    def _remember(
        self, voter_id: int, before: _Remembered, voted_at: str, asked: Sequence[int], reply: Sequence[int]
    ) -> _Remembered:
        now = _Remembered(
            voted_at,
            before.until or monotonic() + config.OWN_VOTES_SECONDS,
            before.asked.union(asked),
            before.voted.union(id for id, has_voted in zip(asked, reply, strict=True) if has_voted),
        )
        self._put(voter_id, now)
        return now

    def _put(self, voter_id: int, now: _Remembered) -> None:
        self._remembered.put(voter_id, now if len(now.asked) <= MAX_REMEMBERED else _NOTHING)

    def _command(self, ids: Sequence[int], voter_id: int) -> Command:
        return scripts.call("own_votes", [self._keys.voted(id) for id in ids], [voter_id])


def mark_voted(articles: Iterable[Article], own_votes: Mapping[int, bool]) -> tuple[Article, ...]:
    """Return *articles*, with ``voted`` set on those that *own_votes* says the viewer has voted for."""
    return tuple(replace(article, voted=True) if own_votes.get(article.id) else article for article in articles)
