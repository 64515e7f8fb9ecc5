"""Votes: casting one and taking it back, by form or by script."""

from typing import Any

from flask import Blueprint, flash, jsonify, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core.comment_errors import CommentVoted
from voteweb.core.comments import CommentId
from voteweb.core.errors import AlreadyVoted, Held, LoggedOut, NotVoted, OwnVote, VotewebError, VotingClosed
from voteweb.web import rate_limits, vote_middleware, voting
from voteweb.web.auth import login
from voteweb.web.auth.login import login_required
from voteweb.web.flashes import set_vote_flash
from voteweb.web.i18n.formatting import error_message
from voteweb.web.monitoring import metrics, request_record
from voteweb.web.responses import wants_json
from voteweb.web.urls import return_url

blueprint = Blueprint("votes", __name__)
#: Refusals that a page says in a message: the vote cannot be changed.
_REFUSALS = (AlreadyVoted, Held, NotVoted, OwnVote, VotingClosed)


@blueprint.post("/a/<int:id>/vote")
@login_required
def vote(id: int) -> ResponseReturnValue:
    """Cast the viewer's vote."""
    return respond(id, _REFUSALS)


@blueprint.post("/a/<int:id>/unvote")
@login_required
def unvote(id: int) -> ResponseReturnValue:
    """Take the viewer's vote back."""
    return respond(id, _REFUSALS)


def respond(id: int | CommentId, refusals: tuple[type[VotewebError], ...]) -> ResponseReturnValue:
    """Do the act of this address on the article or comment and return the answer, also to one of the *refusals*."""
    endpoint = request.endpoint or ""
    try:
        votes = change_and_count(endpoint, id)
    except refusals as error:
        return _refusal_response(error)
    if wants_json():
        return voting.script_response(endpoint, id, votes)
    return set_vote_flash(redirect(return_url(), 303), voting.ACTS[endpoint].outcome)


def _refusal_response(error: VotewebError) -> ResponseReturnValue:
    """Return the answer to a vote that changed nothing: to script with the votes and the viewer's, where known."""
    if not wants_json():
        flash(error_message(error), "error")
        return redirect(return_url(), 303)
    answer: dict[str, Any] = {"error": {"code": error.code, "message": error_message(error)}}
    if "votes" in error.values:
        answer |= {"votes": error.values["votes"], "voted": isinstance(error, AlreadyVoted | CommentVoted | OwnVote)}
    return jsonify(answer), error.status


def change_and_count(endpoint: str, id: int | CommentId) -> int:
    """Do the act of *endpoint*, return the votes of the article or comment then; count its refusal in the metrics."""
    record = request_record.get(request.environ)
    try:
        voter = login.session_voter()
        record.member = voter.id  # usually the viewer's id, but a vote does not load the viewer
        vote_middleware.raise_failure(request.environ)
        return voting.change(endpoint, id, voter, rate_limits.member_hit(voter.name))
    except VotewebError as error:
        metrics.count_vote(error.code)
        if isinstance(error, LoggedOut):
            record.member = 0
            login.viewer()  # shows the member why their session has ended
        raise
