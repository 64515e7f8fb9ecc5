"""Votes: cast and taken back, by a form or by script."""

from collections.abc import Callable

from flask import Blueprint, flash, jsonify, redirect
from flask.typing import ResponseReturnValue

from voteweb import counting, login
from voteweb.errors import AlreadyVoted, NotVoted, OwnVote, VotewebError, VotingClosed
from voteweb.i18n import refusal
from voteweb.language import gettext as _
from voteweb.login import members_only, store
from voteweb.models import User
from voteweb.places import pressed_at, wants_json

blueprint = Blueprint("votes", __name__)


@blueprint.post("/a/<int:id>/vote")
@members_only
def vote(id: int) -> ResponseReturnValue:
    """Count the viewer's vote."""
    return _change(id, store().votes.cast, voted=True, done=_("Your vote is counted."))


@blueprint.post("/a/<int:id>/unvote")
@members_only
def unvote(id: int) -> ResponseReturnValue:
    """Take the viewer's vote back."""
    return _change(id, store().votes.take_back, voted=False, done=_("Your vote is taken back."))


def _change(id: int, act: Callable[[int, User, str], int], *, voted: bool, done: str) -> ResponseReturnValue:
    try:
        votes = _counted(id, act, "counted" if voted else "taken-back")
    except (AlreadyVoted, NotVoted, OwnVote, VotingClosed) as error:
        if wants_json():
            raise
        flash(refusal(error), "error")
    else:
        if wants_json():
            return jsonify(id=id, votes=votes, voted=voted)
        flash(done)
    return redirect(pressed_at(), 303)


def _counted(id: int, act: Callable[[int, User, str], int], outcome: str) -> int:
    """Return the article's votes after the viewer's *act*; the counts are told of its *outcome* or its refusal."""
    try:
        trip = store().trip()
        viewer = login.ask_viewer(trip)
        groups = store().votes.ask_groups(trip, id)
        trip.go()
        votes = act(id, login.member(viewer.value), groups.value)
    except VotewebError as error:
        counting.vote(error.code)
        raise
    counting.vote(outcome)
    return votes
