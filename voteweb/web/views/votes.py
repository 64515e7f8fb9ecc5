"""Votes on articles and comments: casting one and taking it back, by form or by script, or after log-in."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from flask import Blueprint, Response, flash, g, jsonify, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core import errors
from voteweb.core.comments import CommentId
from voteweb.core.errors import LoggedOut, VotewebError
from voteweb.core.models import Voter
from voteweb.core.rate_limits import member_limit
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.store.votes.votes import Votes
from voteweb.web.auth import login
from voteweb.web.auth.login import login_required
from voteweb.web.base.context import store
from voteweb.web.base.responses import wants_json
from voteweb.web.base.urls import return_url
from voteweb.web.caching.flashes import VoteFlash, set_vote_flash
from voteweb.web.i18n.formatting import error_message, script_error
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.monitoring import metrics, request_record
from voteweb.web.requests import rate_limits, site_switches

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

    change: Callable[..., int]
    outcome: VoteFlash


_CAST = _Act(Votes.cast, VoteFlash.COUNTED)
_TAKE_BACK = _Act(Votes.take_back, VoteFlash.TAKEN_BACK)
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


def change(
    endpoint: str,
    id: int | CommentId,
    voter: Voter,
    hit: RateLimitHit | None,
    others: Sequence[RateLimitHit] = (),
) -> int:
    """Do the act of *endpoint* and count it in the metrics; return the votes of the article or comment then."""
    act = ACTS[endpoint]
    votes = act.change(store().votes, id, voter, hit=hit, others=others)
    metrics.vote_series(act.outcome).inc()
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
        metrics.vote_series(error.code).inc()
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
    answer: dict[str, Any] = {"error": script_error(error_message(error), code=error.code)}
    if "votes" in error.values:
        answer |= {"votes": error.values["votes"], "voted": isinstance(error, _VOTED)}
    return jsonify(answer), error.status


def pending_title(vote: int | CommentId | None) -> str:
    """Return the title of the article that *vote* is for, "" if nobody can read it."""
    if vote is None:
        return ""
    article = store().read(store().articles.queue_get, vote.article if isinstance(vote, CommentId) else vote)
    return article.title if article and article.is_listed else ""


def cast_pending(vote: int | CommentId | None, token: str) -> None:
    """Cast the pending *vote* for the member who has just logged in, and tell them what became of it.

    *vote* is None for a *token* that is not valid; without a token, there was none.
    """
    if vote is None:
        if token:
            flash(_("Your vote was not cast, because you pressed it too long ago. Please press it again."), "error")
        return
    g.other_limit = member_limit("votes.vote", "POST")  # this is a vote, not a log-in
    try:
        refused = site_switches.error()
        if refused:
            raise refused
        change_and_count("comment_votes.vote" if isinstance(vote, CommentId) else "votes.vote", vote)
    except VotewebError as error:
        flash(error_message(error), "error")
    else:
        counted = _("Your vote for “%(title)s” has been counted.", title=pending_title(vote))
        flash(_("Your vote for the comment has been counted.") if isinstance(vote, CommentId) else counted)
