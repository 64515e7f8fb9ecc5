"""Votes on articles and comments."""

from msgspec import Struct

from voteweb.core import errors
from voteweb.core.comments import CommentId
from voteweb.core.models import Right
from voteweb.web.api.operations import operation
from voteweb.web.auth import bearer
from voteweb.web.caching.flashes import VoteFlash
from voteweb.web.requests import rate_limits
from voteweb.web.views.votes import ACTS, change

_OF_COMMENTS = (errors.ConversationClosed, errors.ConversationEnded, errors.OwnComment)


class Vote(Struct):
    """The votes of an article or a comment, and whether that of the member is among them."""

    votes: int
    voted: bool


def cast(endpoint: str, id: int | CommentId) -> Vote:
    """Do the act of *endpoint* for the program of this request; one that was done before stays done."""
    voter = bearer.require_token()
    try:
        hit = rate_limits.member_hit(voter.name)
        votes = change(endpoint, id, voter, hit, bearer.program_hits())
    except (errors.AlreadyVoted, errors.CommentVoted, errors.NotVoted, errors.CommentNotVoted) as error:
        votes = error.values["votes"]  # as it was asked for
    except errors.NoRight:  # which the script did not count
        rate_limits.hit(*bearer.program_hits())
        raise
    return Vote(votes, voted=ACTS[endpoint].outcome is VoteFlash.COUNTED)


@operation(
    "PUT /articles/<int:id>/vote", Right.VOTE, form="votes.vote", loads_member=False, refuses=(errors.VotingClosed,)
)
def vote(id: int) -> Vote:
    """Vote for an article; a vote that was cast before stays one."""
    return cast("votes.vote", id)


@operation(
    "DELETE /articles/<int:id>/vote",
    Right.VOTE,
    form="votes.unvote",
    loads_member=False,
    refuses=(errors.VotingClosed, errors.OwnVote),
)
def unvote(id: int) -> Vote:
    """Take a vote for an article back, if there is one."""
    return cast("votes.unvote", id)


@operation(
    "PUT /articles/<int:id>/comments/<int:number>/vote",
    Right.VOTE,
    form="comment_votes.vote",
    loads_member=False,
    refuses=_OF_COMMENTS,
)
def vote_for_comment(id: int, number: int) -> Vote:
    """Vote for a comment; a vote that was cast before stays one."""
    return cast("comment_votes.vote", CommentId(id, number))


@operation(
    "DELETE /articles/<int:id>/comments/<int:number>/vote",
    Right.VOTE,
    form="comment_votes.unvote",
    loads_member=False,
    refuses=_OF_COMMENTS,
)
def unvote_comment(id: int, number: int) -> Vote:
    """Take a vote for a comment back, if there is one."""
    return cast("comment_votes.unvote", CommentId(id, number))
