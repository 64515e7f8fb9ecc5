"""Votes on comments: casting one and taking it back, by form or by script."""

from collections.abc import Callable

from flask import Blueprint, jsonify, redirect
from flask.typing import ResponseReturnValue

from voteweb.core.comment_errors import (
    CommentGone,
    CommentNotVoted,
    CommentVoted,
    ConversationClosed,
    ConversationEnded,
    OwnComment,
)
from voteweb.core.comments import CommentId
from voteweb.core.errors import Held, VotingClosed
from voteweb.web.auth.login import login_required
from voteweb.web.context import store
from voteweb.web.flashes import VoteFlash, set_vote_flash
from voteweb.web.responses import wants_json
from voteweb.web.urls import return_url
from voteweb.web.views.votes import change_and_count, refusal_response

blueprint = Blueprint("comment_votes", __name__)
#: Refusals that a page says in a message: the vote cannot be changed.
_REFUSALS = (
    CommentGone, CommentNotVoted, CommentVoted, ConversationClosed, ConversationEnded, Held, OwnComment, VotingClosed,
)  # fmt: skip


@blueprint.post("/a/<int:id>/c/<int:number>/vote")
@login_required
def vote(id: int, number: int) -> ResponseReturnValue:
    """Cast the viewer's vote on a comment."""
    return _change(CommentId(id, number), store().comment_votes.cast, voted=True, outcome=VoteFlash.COUNTED)


@blueprint.post("/a/<int:id>/c/<int:number>/unvote")
@login_required
def unvote(id: int, number: int) -> ResponseReturnValue:
    """Take the viewer's vote on a comment back."""
    return _change(CommentId(id, number), store().comment_votes.take_back, voted=False, outcome=VoteFlash.TAKEN_BACK)


def _change(id: CommentId, change: Callable[..., int], *, voted: bool, outcome: VoteFlash) -> ResponseReturnValue:
    try:
        votes = change_and_count(id, change, outcome)
    except _REFUSALS as error:
        return refusal_response(error)
    if wants_json():
        return jsonify(id=str(id), votes=votes, voted=voted)
    return set_vote_flash(redirect(return_url(), 303), outcome)
