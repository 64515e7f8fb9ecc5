"""Votes: cast, taken back, and the viewer's own ones among the rows of a list."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from voteweb import config
from voteweb.config import Settings
from voteweb.errors import (
    AlreadyVoted,
    ArticleGone,
    Conflict,
    LoggedOut,
    NoSuchArticle,
    NotVoted,
    OwnVote,
    VotingClosed,
)
from voteweb.models import Article, User, Voter
from voteweb.store import keys, scripts
from voteweb.store.connect import Connection, Outcome
from voteweb.store.guesses import Guesses
from voteweb.store.limits import Charge, Limits, refusal
from voteweb.store.trip import Reply, Trip


class Votes:
    """The votes of one site."""

    def __init__(self, connection: Connection, settings: Settings, limits: Limits) -> None:
        self._connection = connection
        self._settings = settings
        self._limits = limits
        self._groups: Guesses[int, str] = Guesses(config.PLACES_KEPT)

    def cast(self, id: int, voter: Voter | User, groups: str | None = None, *, charge: Charge | None = None) -> int:
        """Count the vote of *voter* and return the article's votes.

        *groups* is the article's groups field, as last seen unless the caller knows better; where it is out of date,
        it costs another round trip. A vote that changes something counts against *charge*.
        Raises LoggedOut when the voter's session has ended or the voter is banned, TooFast, NoSuchArticle, ArticleGone,
        VotingClosed, AlreadyVoted, Conflict, Unavailable.
        """
        return self._change("cast", id, voter, groups, charge)

    def take_back(
        self, id: int, voter: Voter | User, groups: str | None = None, *, charge: Charge | None = None
    ) -> int:
        """Take the vote of *voter* back and return the article's votes; takes what :meth:`cast` does.

        Raises LoggedOut, TooFast, NoSuchArticle, ArticleGone, VotingClosed, NotVoted, OwnVote, Conflict, Unavailable.
        """
        return self._change("take-back", id, voter, groups, charge)

    def _change(self, act: str, id: int, voter: Voter | User, groups: str | None, charge: Charge | None) -> int:
        settings = self._settings
        groups = self._groups.get(id, "") if groups is None else groups
        charges = [charge] if charge else []
        limits, numbers = self._limits.words(charges)
        until = time.monotonic() + self._connection.deadline
        while time.monotonic() < until:
            outcome = self._connection.script(
                "cast_vote",
                [
                    keys.article(id),
                    keys.voted(id),
                    keys.by_score(),
                    keys.good(),
                    keys.user(voter.name),
                    *(keys.group_by_score(name) for name in groups.split()),
                    *limits,
                ],
                [
                    act,
                    voter.id,
                    voter.name,
                    voter.session,
                    settings.vote_score,
                    settings.good_votes,
                    settings.voting_seconds,
                    config.VOTERS_GRACE,
                    groups,
                    *numbers,
                ],
            )
            if outcome.word != "again":
                self._groups.put(id, groups)
                return _votes(outcome, charges)
            groups = outcome.rest[0]
        raise Conflict()

    def ask_own(self, trip: Trip, ids: Sequence[int], voter: int) -> Reply[dict[int, bool]]:
        """Queue the question for which of the articles *ids* the member with the id *voter* has voted."""
        if not ids:
            return trip.ask([], lambda _: {})
        return trip.ask(
            [scripts.call("own_votes", [keys.voted(id) for id in ids], [voter])],
            lambda answers: dict(zip(ids, map(bool, answers[0]), strict=True)),
        )


def _votes(outcome: Outcome, charges: Sequence[Charge]) -> int:
    """Return the votes that the script says the article has, or raise what it refuses by."""
    match outcome.word:
        case "out":
            raise LoggedOut()
        case "full":
            raise refusal(charges, outcome.rest)
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


def marked(articles: Iterable[Article], own: Mapping[int, bool]) -> tuple[Article, ...]:
    """Return *articles* with those marked that are voted for by the answer of :meth:`Votes.ask_own`."""
    return tuple(replace(article, voted=True) if own[article.id] else article for article in articles)
