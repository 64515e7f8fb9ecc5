"""Votes: casting one and taking it back, by form or by script."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, jsonify, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core.comment_errors import CommentVoted
from voteweb.core.comments import CommentId
from voteweb.core.errors import AlreadyVoted, Held, LoggedOut, NotVoted, OwnVote, VotewebError, VotingClosed
from voteweb.web import rate_limits, vote_middleware
from voteweb.web.auth import login
from voteweb.web.auth.login import login_required
from voteweb.web.context import store
from voteweb.web.flashes import VoteFlash, set_vote_flash
from voteweb.web.i18n.formatting import error_message
from voteweb.web.monitoring import metrics, request_record
from voteweb.web.responses import wants_json
from voteweb.web.urls import return_url

blueprint = Blueprint("votes", __name__)
#: One of the two methods of :class:`voteweb.store.votes.Votes` that change a vote.
ChangeVote = Callable[..., int]


@blueprint.post("/a/<int:id>/vote")
@login_required
def vote(id: int) -> ResponseReturnValue:
    """Cast the viewer's vote."""
    return _change(id, store().votes.cast, voted=True, outcome=VoteFlash.COUNTED)


@blueprint.post("/a/<int:id>/unvote")
@login_required
def unvote(id: int) -> ResponseReturnValue:
    """Take the viewer's vote back."""
    return _change(id, store().votes.take_back, voted=False, outcome=VoteFlash.TAKEN_BACK)


def _change(id: int, change: ChangeVote, *, voted: bool, outcome: VoteFlash) -> ResponseReturnValue:
    try:
        votes = change_and_count(id, change, outcome)
    except (AlreadyVoted, Held, NotVoted, OwnVote, VotingClosed) as error:
        return refusal_response(error)
    if wants_json():
        return jsonify(id=id, votes=votes, voted=voted)
    return set_vote_flash(redirect(return_url(), 303), outcome)


def refusal_response(error: VotewebError) -> ResponseReturnValue:
    """Return the answer to a vote that changed nothing: to script with the votes and the viewer's, where known."""
    if not wants_json():
        flash(error_message(error), "error")
        return redirect(return_url(), 303)
    answer: dict[str, Any] = {"error": {"code": error.code, "message": error_message(error)}}
    if "votes" in error.values:
        answer |= {"votes": error.values["votes"], "voted": isinstance(error, AlreadyVoted | CommentVoted | OwnVote)}
    return jsonify(answer), error.status


def change_and_count(id: int | CommentId, change: ChangeVote, outcome: str) -> int:
    """Return the votes of the article or comment after the *change*; count its *outcome* or refusal in the metrics."""
    record = request_record.get(request.environ)
    try:
        voter = login.session_voter()
        record.member = voter.id  # usually the viewer's id, but a vote does not load the viewer
        vote_middleware.raise_failure(request.environ)
        votes = change(id, voter, hit=rate_limits.member_hit(voter.name))
    except VotewebError as error:
        metrics.count_vote(error.code)
        if isinstance(error, LoggedOut):
            record.member = 0
            login.viewer()  # shows the member why their session has ended
        raise
    metrics.count_vote(outcome)
    return votes
