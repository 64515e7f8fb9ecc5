"""Votes: cast and taken back, by a form or by script."""

from collections.abc import Callable

from flask import Blueprint, flash, jsonify, redirect, request
from flask.typing import ResponseReturnValue

from voteweb import counting, gate, login, notes, notices
from voteweb.errors import AlreadyVoted, LoggedOut, NotVoted, OwnVote, TooFast, VotewebError, VotingClosed
from voteweb.i18n import refusal
from voteweb.login import members_only, store
from voteweb.notices import Notice
from voteweb.places import pressed_at, wants_json

blueprint = Blueprint("votes", __name__)
#: One of the two acts of :class:`voteweb.store.votes.Votes`.
Act = Callable[..., int]


@blueprint.post("/a/<int:id>/vote")
@members_only
def vote(id: int) -> ResponseReturnValue:
    """Count the viewer's vote."""
    return _change(id, store().votes.cast, voted=True, done=Notice.COUNTED)


@blueprint.post("/a/<int:id>/unvote")
@members_only
def unvote(id: int) -> ResponseReturnValue:
    """Take the viewer's vote back."""
    return _change(id, store().votes.take_back, voted=False, done=Notice.TAKEN_BACK)


def _change(id: int, act: Act, *, voted: bool, done: Notice) -> ResponseReturnValue:
    try:
        votes = _counted(id, act, done)
    except (AlreadyVoted, NotVoted, OwnVote, VotingClosed) as error:
        if wants_json():
            raise
        flash(refusal(error), "error")
        return redirect(pressed_at(), 303)
    if wants_json():
        return jsonify(id=id, votes=votes, voted=voted)
    return notices.leave(redirect(pressed_at(), 303), done)


def _counted(id: int, act: Act, outcome: str) -> int:
    """Return the article's votes after the viewer's *act*; the counts are told of its *outcome* or its refusal."""
    try:
        voter = login.voter()
        notes.of(request.environ).member = voter.id  # in place of the viewer, who is not asked for
        votes = act(id, voter, charge=gate.of_member(voter.name))
    except VotewebError as error:
        counting.vote(error.code)
        if isinstance(error, LoggedOut):
            notes.of(request.environ).member = 0
            login.viewer()  # whose session has ended is told why
        if isinstance(error, TooFast):
            gate.met(error)
        raise
    counting.vote(outcome)
    return votes
