"""Votes on articles and comments: casting one and taking it back, by form or by script."""

from collections.abc import Callable
from typing import Any, NamedTuple

from flask import Blueprint, Response, flash, jsonify, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core import errors
from voteweb.core.comments import CommentId
from voteweb.core.errors import LoggedOut, VotewebError
from voteweb.core.models import Voter
from voteweb.store import Store
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.web import rate_limits
from voteweb.web.auth import login
from voteweb.web.auth.login import login_required
from voteweb.web.context import store
from voteweb.web.flashes import VoteFlash, set_vote_flash
from voteweb.web.i18n.formatting import error_message
from voteweb.web.monitoring import metrics, request_record
from voteweb.web.responses import wants_json
from voteweb.web.urls import return_url

blueprint = Blueprint("votes", __name__)
comment_blueprint = Blueprint("comment_votes", __name__)
#: Refusals that say that the viewer has voted, and all that a page says in a message: the vote cannot be changed.
_VOTED = (errors.AlreadyVoted, errors.OwnVote, errors.CommentVoted)
_REFUSALS = (
    *_VOTED, errors.Held, errors.NotVoted, errors.VotingClosed, errors.CommentGone,
    errors.CommentNotVoted, errors.ConversationClosed, errors.ConversationEnded,
    errors.OwnComment,
)  # fmt: skip


class _Act(NamedTuple):
    """The method of the store that an act calls, and what the member is told then."""

    change: Callable[[Store], Callable[..., int]]
    outcome: VoteFlash


_CAST = _Act(lambda site: site.votes.cast, VoteFlash.COUNTED)
_TAKE_BACK = _Act(lambda site: site.votes.take_back, VoteFlash.TAKEN_BACK)
#: The acts of the endpoints to which votes are sent.
ACTS = {
    "votes.vote": _CAST,
    "votes.unvote": _TAKE_BACK,
    "comment_votes.vote": _CAST,
    "comment_votes.unvote": _TAKE_BACK,
}


@comment_blueprint.post("/a/<int:id>/c/<int:number>/vote", endpoint="vote")
@comment_blueprint.post("/a/<int:id>/c/<int:number>/unvote", endpoint="unvote")
@blueprint.post("/a/<int:id>/vote", endpoint="vote")
@blueprint.post("/a/<int:id>/unvote", endpoint="unvote")
@login_required
def vote(id: int, number: int | None = None) -> ResponseReturnValue:
    """Cast the viewer's vote on an article or a comment, or take it back; mostly lane.py does it."""
    endpoint, target = request.endpoint or "", id if number is None else CommentId(id, number)
    try:
        votes = change_and_count(endpoint, target)
    except VotewebError as error:
        return _answer_refusal(error)
    if wants_json():
        return script_response(endpoint, target, votes)
    return set_vote_flash(redirect(return_url(), 303), ACTS[endpoint].outcome)


def change_and_count(endpoint: str, id: int | CommentId) -> int:
    """Do the act of *endpoint* for the viewer, return the votes of the article or comment then; count its failure."""
    try:
        voter = login.session_voter()
        request_record.get(request.environ).member = voter.id  # a vote does not load the viewer
        return change(endpoint, id, voter, rate_limits.member_hit(voter.name))
    except VotewebError as error:
        _count_failure(error)
        raise


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


def answer_failure(error: Exception) -> ResponseReturnValue:
    """Return the answer to a vote of this request that has failed before the view; raise *error* if it has a page."""
    _count_failure(error)
    return _answer_refusal(error)


def _count_failure(error: Exception) -> None:
    if isinstance(error, VotewebError):
        metrics.count_vote(error.code)
    if isinstance(error, LoggedOut):
        request_record.get(request.environ).member = 0
        login.viewer()  # shows the member why their session has ended


def _answer_refusal(error: Exception) -> ResponseReturnValue:
    """Return the answer to a vote that changed nothing: to script with the votes and the viewer's, where known."""
    if not isinstance(error, _REFUSALS):
        raise error
    if not wants_json():
        flash(error_message(error), "error")
        return redirect(return_url(), 303)
    answer: dict[str, Any] = {"error": {"code": error.code, "message": error_message(error)}}
    if "votes" in error.values:
        answer |= {"votes": error.values["votes"], "voted": isinstance(error, _VOTED)}
    return jsonify(answer), error.status
