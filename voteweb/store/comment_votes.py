"""Votes for comments: cast, taken back, and the viewer's own votes among the comments of a page."""

from collections import defaultdict
from collections.abc import Sequence

from voteweb.core import config
from voteweb.core.comment_errors import CommentNotVoted, CommentVoted, OwnComment
from voteweb.core.comments import CommentId
from voteweb.core.config import Settings
from voteweb.core.errors import VotingClosed
from voteweb.core.models import User, Voter
from voteweb.core.rate_limits import NEWCOMER_VOTE
from voteweb.store.comments import raise_refusal
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.nodes import VOTER_FACTOR
from voteweb.store.rate_limits import RateLimitHit, RateLimits
from voteweb.store.sessions import Sessions, digest


class CommentVotes:
    """The votes for comments of one site."""

    def __init__(self, connection: Connection, settings: Settings, rate_limits: RateLimits, sessions: Sessions) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._rate_limits = rate_limits
        self._sessions = sessions

    def cast(self, id: CommentId, voter: Voter | User, *, hit: RateLimitHit | None = None) -> int:
        """Count the vote of *voter* and return the comment's votes.

        A vote that changes something counts against the rate limit of *hit* and, if the voter signed up lately, against
        that of newcomers. Raises LoggedOut when the voter's session has ended or the voter is banned, Held, TooFast,
        NoSuchArticle, ArticleGone, NoSuchComment, CommentGone, ConversationClosed, ConversationEnded, VotingClosed when
        the voters were lost, CommentVoted, OwnComment, Unavailable.
        """
        return self._change("cast", id, voter, hit)

    def take_back(self, id: CommentId, voter: Voter | User, *, hit: RateLimitHit | None = None) -> int:
        """Take the vote of *voter* back and return the comment's votes.

        Raises what :meth:`cast` does, and CommentNotVoted in place of CommentVoted.
        """
        return self._change("take-back", id, voter, hit)

    def _change(self, action: str, id: CommentId, voter: Voter | User, hit: RateLimitHit | None) -> int:
        keys = self._keys
        hits = [hit, (NEWCOMER_VOTE, hit[1])] if hit else []
        limit_keys, limit_arguments = self._rate_limits.script_arguments(hits)
        outcome = self._connection.script(
            "vote_comment",
            [
                keys.article(id.article),
                keys.thread(id.article),
                keys.voted_comments(id.article, id.number // config.VOTER_BLOCK),
                keys.user(voter.name),
                keys.sessions(voter.name),
                *limit_keys,
            ],
            [
                action,
                id.number,
                voter.id,
                voter.name,
                voter.session,
                self._settings.commenting_seconds,
                config.VOTERS_GRACE_SECONDS,
                self._rate_limits.newcomer_seconds,
                digest(voter.token) if isinstance(voter, Voter) else "",
                *self._sessions.limits,
                *limit_arguments,
            ],
        )
        if outcome.status == "rate-limited":
            raise self._rate_limits.to_error(hits, outcome.values)
        return _votes_or_refusal(outcome)

    def queue_own(
        self, pipeline: Pipeline, article: int, numbers: Sequence[int], member_id: int
    ) -> Future[frozenset[int]]:
        """Queue a read of which of the comments *numbers* of an article the member has voted for."""
        blocks: dict[int, list[int]] = defaultdict(list)
        for number in dict.fromkeys(numbers):
            blocks[number // config.VOTER_BLOCK].append(number)

        def parse(replies: list[list[int]]) -> frozenset[int]:
            pairs = zip(blocks.values(), replies, strict=True)
            return frozenset(
                number for block, voted in pairs for number, is_voted in zip(block, voted, strict=True) if is_voted
            )

        commands = [
            (
                "SMISMEMBER",
                self._keys.voted_comments(article, block),
                *(number * VOTER_FACTOR + member_id for number in of_block),
            )
            for block, of_block in blocks.items()
        ]
        return pipeline.queue(commands, parse)


def _votes_or_refusal(outcome: Outcome) -> int:
    """Return the comment's votes after the script, or raise its refusal."""
    raise_refusal(outcome)
    if outcome.status == "lost":
        raise VotingClosed(when=float(outcome.values[0]))
    votes = int(outcome.values[0])
    if outcome.status == "own":
        raise OwnComment(votes=votes)
    if outcome.status in ("already", "absent") and not outcome.repeated:
        raise (CommentVoted if outcome.status == "already" else CommentNotVoted)(votes=votes)
    return votes
