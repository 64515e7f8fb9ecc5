"""Votes: cast, taken back, and the viewer's own ones among the rows of a list."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from voteweb import config
from voteweb.config import Settings
from voteweb.errors import AlreadyVoted, ArticleGone, Conflict, NoSuchArticle, NotVoted, OwnVote, VotingClosed
from voteweb.models import Article, User
from voteweb.store import keys, scripts
from voteweb.store.connect import Connection, Reply, Trip


class Votes:
    """The votes of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings

    def ask_groups(self, trip: Trip, id: int) -> Reply[str]:
        """Queue the question for the groups field of an article: a vote must name the rankings it touches."""
        return trip.ask([("HGET", keys.article(id), "groups")], lambda answers: answers[0] or "")

    def cast(self, id: int, voter: User, groups: str | None = None) -> int:
        """Count the vote of *voter* and return the article's votes.

        *groups* is the article's groups field as read before; it is asked for when missing or out of date.
        Raises NoSuchArticle, ArticleGone, VotingClosed, AlreadyVoted, Conflict, Unavailable.
        """
        return self._change("cast", id, voter, groups)

    def take_back(self, id: int, voter: User, groups: str | None = None) -> int:
        """Take the vote of *voter* back and return the article's votes.

        Raises NoSuchArticle, ArticleGone, VotingClosed, NotVoted, OwnVote, Conflict, Unavailable.
        """
        return self._change("take-back", id, voter, groups)

    def _change(self, act: str, id: int, voter: User, groups: str | None) -> int:
        if groups is None:
            trip = self._connection.trip()
            asked = self.ask_groups(trip, id)
            trip.go()
            groups = asked.value
        settings = self._settings
        until = time.monotonic() + self._connection.deadline
        while time.monotonic() < until:
            outcome = self._connection.script(
                "cast_vote",
                [
                    keys.article(id),
                    keys.voted(id),
                    keys.by_score(),
                    keys.good(),
                    *(keys.group_by_score(name) for name in groups.split()),
                ],
                [
                    act,
                    voter.id,
                    voter.name,
                    settings.vote_score,
                    settings.good_votes,
                    settings.voting_seconds,
                    config.VOTERS_GRACE,
                    groups,
                ],
            )
            match outcome.word:
                case "again":
                    groups = outcome.rest[0]
                    continue
                case "unknown":
                    raise NoSuchArticle()
                case "gone":
                    raise ArticleGone()
                case "closed":
                    raise VotingClosed(when=float(outcome.rest[0]))
            votes = int(outcome.rest[0])
            if outcome.word == "own":
                raise OwnVote(votes=votes)
            if outcome.word in ("already", "absent") and not outcome.repeated:
                raise (AlreadyVoted if outcome.word == "already" else NotVoted)(votes=votes)
            return votes
        raise Conflict()

    def ask_own(self, trip: Trip, ids: Sequence[int], voter: int) -> Reply[dict[int, bool]]:
        """Queue the question for which of the articles *ids* the member with the id *voter* has voted."""
        if not ids:
            return trip.ask([], lambda _: {})
        return trip.ask(
            [scripts.call("own_votes", [keys.voted(id) for id in ids], [voter])],
            lambda answers: dict(zip(ids, map(bool, answers[0]), strict=True)),
        )


def marked(articles: Iterable[Article], own: Mapping[int, bool]) -> tuple[Article, ...]:
    """Return *articles* with those marked that are voted for by the answer of :meth:`Votes.ask_own`."""
    return tuple(_voted(article) if own[article.id] else article for article in articles)


@lru_cache(maxsize=config.ROWS_KEPT)
def _voted(article: Article) -> Article:
    return replace(article, voted=True)
