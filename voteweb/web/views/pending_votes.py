"""The vote that a reader pressed before they logged in: what it is for, and casting it afterwards."""

from flask import flash, g

from voteweb.core import rate_limits
from voteweb.core.comments import CommentId
from voteweb.core.errors import VotewebError
from voteweb.web import read_only
from voteweb.web.context import store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.views.votes import change_and_count


def title(vote: int | CommentId | None) -> str:
    """Return the title of the article that *vote* is for, "" if nobody can read it."""
    if vote is None:
        return ""
    article = store().read(store().articles.queue_get, vote.article if isinstance(vote, CommentId) else vote)
    return article.title if article and article.is_listed else ""


def cast(vote: int | CommentId | None, token: str) -> None:
    """Cast the pending *vote* for the member who has just logged in, and tell them what became of it.

    *vote* is None for a *token* that is not valid; without a token, there was none.
    """
    if vote is None:
        if token:
            flash(_("Your vote was not cast, because you pressed it too long ago. Please press it again."), "error")
        return
    g.other_limit = rate_limits.member_limit("votes.vote", "POST")  # this is a vote, not a log-in
    try:
        refused = read_only.error()
        if refused:
            raise refused
        change_and_count("comment_votes.vote" if isinstance(vote, CommentId) else "votes.vote", vote)
    except VotewebError as error:
        flash(error_message(error), "error")
    else:
        counted = _("Your vote for “%(title)s” has been counted.", title=title(vote))
        flash(_("Your vote for the comment has been counted.") if isinstance(vote, CommentId) else counted)
