"""Votes: cast and taken back."""

import time
from collections.abc import Iterable

from voteweb.core import clock, config
from voteweb.core.config import Settings
from voteweb.core.errors import (
    AlreadyVoted,
    ArticleGone,
    Conflict,
    NoSuchArticle,
    NotVoted,
    OwnVote,
    VotingClosed,
)
from voteweb.core.models import Article, User, Voter
from voteweb.core.ranking import day_name, day_number
from voteweb.core.rate_limits import NEWCOMER_VOTE
from voteweb.store.article_lists import ranking_arguments
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.hints import HintCache
from voteweb.store.keys import article_member
from voteweb.store.own_votes import OwnVotes
from voteweb.store.rate_limits import RateLimitHit, RateLimits
from voteweb.store.sessions import Sessions, digest
from voteweb.store.statistics import today


class Votes:
    """The votes of one site."""

    def __init__(
        self,
        connection: Connection,
        settings: Settings,
        rate_limits: RateLimits,
        sessions: Sessions,
        own_votes: OwnVotes,
    ) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._rate_limits = rate_limits
        self._sessions = sessions
        self._own_votes = own_votes
        #: The fields groups and the days of articles, as this process saw them last: else a vote takes two round trips.
        self._hints: HintCache[int, tuple[str, int]] = HintCache(config.ROW_CACHE_SIZE)

    def cast(self, id: int, voter: Voter | User, *, hit: RateLimitHit | None = None) -> int:
        """Count the vote of *voter* and return the article's votes.

        A vote that changes something counts against the rate limit of *hit* and, if the voter signed up lately, against
        that of newcomers.
        Raises LoggedOut when the voter's session has ended or the voter is banned, TooFast, NoSuchArticle, ArticleGone,
        VotingClosed, AlreadyVoted, Conflict, Unavailable.
        """
        return self._change("cast", id, voter, hit)

    def take_back(self, id: int, voter: Voter | User, *, hit: RateLimitHit | None = None) -> int:
        """Take the vote of *voter* back and return the article's votes; takes the arguments of :meth:`cast`.

        Raises LoggedOut, TooFast, NoSuchArticle, ArticleGone, VotingClosed, NotVoted, OwnVote, Conflict, Unavailable.
        """
        return self._change("take-back", id, voter, hit)

    def _change(self, action: str, id: int, voter: Voter | User, hit: RateLimitHit | None) -> int:
        keys, settings = self._keys, self._settings
        groups, day = self._hints.get(id, ("", day_number(clock.now())))
        hits = [hit, (NEWCOMER_VOTE, hit[1])] if hit else []
        limit_keys, limit_arguments = self._rate_limits.script_arguments(hits)
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
                    keys.sessions(voter.name),
                    today(keys),
                    keys.open_votes(voter.id),
                    keys.top(),
                    keys.top_of_day(day_name(day)),
                    *(key(name) for name in groups.split() for key in (keys.group_by_score, keys.top_of_group)),
                    *limit_keys,
                ],
                [
                    action,
                    article_member(id),
                    voter.id,
                    voter.name,
                    voter.session,
                    *ranking_arguments(settings),
                    settings.voting_seconds,
                    config.VOTERS_GRACE_SECONDS,
                    groups,
                    day,
                    self._rate_limits.newcomer_seconds,
                    digest(voter.token) if isinstance(voter, Voter) else "",
                    *self._sessions.limits,
                    config.MAX_OPEN_VOTES,
                    config.STATISTICS_SECONDS,
                    *limit_arguments,
                ],
            )
            if outcome.status != "again":
                self.expect(id, groups, day)
                if outcome.status == "rate-limited":
                    raise self._rate_limits.to_error(hits, outcome.values)
                if outcome.status == "counted":
                    _, voted_before, voted_at = outcome.values
                    self._own_votes.note(voter.id, id, voted_before, voted_at, has_voted=action == "cast")
                return _votes_or_refusal(outcome)
            groups, day = outcome.values[0], int(outcome.values[1])
        raise Conflict()

    def expect(self, id: int, groups: str, day: int) -> None:
        """Remember the field *groups* and the *day* of an article, in days since 1970, for votes on it."""
        self._hints.put(id, (groups, day))

    def expect_all(self, articles: Iterable[Article]) -> None:
        """Remember groups and day of those *articles* of a list that are not yet known, for votes on them."""
        self._hints.put_all(
            {row.id: (" ".join(row.groups), day_number(row.time)) for row in articles if row.id not in self._hints}
        )


def _votes_or_refusal(outcome: Outcome) -> int:
    """Return the article's votes after the script, or raise its refusal."""
    match outcome.status:
        case "unknown":
            raise NoSuchArticle()
        case "gone":
            raise ArticleGone()
        case "closed":
            raise VotingClosed(when=float(outcome.values[0]))
    votes = int(outcome.values[0])
    if outcome.status == "own":
        raise OwnVote(votes=votes)
    if outcome.status in ("already", "absent") and not outcome.repeated:
        raise (AlreadyVoted if outcome.status == "already" else NotVoted)(votes=votes)
    return votes
