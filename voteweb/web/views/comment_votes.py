"""Votes on comments: casting one and taking it back, by form or by script."""

from flask import Blueprint
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
from voteweb.web.views.votes import respond

blueprint = Blueprint("comment_votes", __name__)
#: Refusals that a page says in a message: the vote cannot be changed.
_REFUSALS = (
    CommentGone, CommentNotVoted, CommentVoted, ConversationClosed, ConversationEnded, Held, OwnComment, VotingClosed,
)  # fmt: skip


@blueprint.post("/a/<int:id>/c/<int:number>/vote")
@login_required
def vote(id: int, number: int) -> ResponseReturnValue:
    """Cast the viewer's vote on a comment."""
    return respond(CommentId(id, number), _REFUSALS)


@blueprint.post("/a/<int:id>/c/<int:number>/unvote")
@login_required
def unvote(id: int, number: int) -> ResponseReturnValue:
    """Take the viewer's vote on a comment back."""
    return respond(CommentId(id, number), _REFUSALS)
