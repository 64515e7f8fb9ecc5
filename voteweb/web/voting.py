"""Votes as members send them: the act of each address, its change with its count, and what script is told."""

from collections.abc import Callable
from typing import NamedTuple

from flask import Response, jsonify

from voteweb.core.comments import CommentId
from voteweb.core.models import Voter
from voteweb.store import Store
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.web.context import store
from voteweb.web.flashes import VoteFlash
from voteweb.web.monitoring import metrics


class _Act(NamedTuple):
    """The method of the store that an act calls, and what the member is told then."""

    change: Callable[[Store], Callable[..., int]]
    outcome: VoteFlash


#: The acts of the endpoints to which votes are sent.
ACTS = {
    "votes.vote": _Act(lambda site: site.votes.cast, VoteFlash.COUNTED),
    "votes.unvote": _Act(lambda site: site.votes.take_back, VoteFlash.TAKEN_BACK),
    "comment_votes.vote": _Act(lambda site: site.votes.cast, VoteFlash.COUNTED),
    "comment_votes.unvote": _Act(lambda site: site.votes.take_back, VoteFlash.TAKEN_BACK),
}


def change(endpoint: str, id: int | CommentId, voter: Voter, hit: RateLimitHit | None) -> int:
    """Do the act of *endpoint* and count it in the metrics; return the votes of the article or comment then."""
    act = ACTS[endpoint]
    votes = act.change(store())(id, voter, hit=hit)
    metrics.count_vote(act.outcome)
    return votes


def script_response(endpoint: str, id: int | CommentId, votes: int) -> Response:
    """Return the answer to script whose act has left the article or comment with these *votes*."""
    name = id if isinstance(id, int) else str(id)
    return jsonify(id=name, votes=votes, voted=ACTS[endpoint].outcome is VoteFlash.COUNTED)
