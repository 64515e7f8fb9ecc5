"""The vote that a reader pressed before they logged in: what it is for, and casting it afterwards."""

from flask import flash, g

from voteweb.core import rate_limits
from voteweb.core.comments import CommentId
from voteweb.core.errors import VotewebError
from voteweb.web.context import store
from voteweb.web.flashes import VoteFlash
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.views.votes import change_and_count


def title(wish: int | CommentId | None) -> str:
    """Return the title of the article that *wish* is about, "" if nobody can read it."""
    if wish is None:
        return ""
    pipeline = store().pipeline(reader=True)
    article = store().articles.queue_get(pipeline, wish.article if isinstance(wish, CommentId) else wish)
    pipeline.execute()
    return article.result.title if article.result and article.result.is_listed else ""


def cast(wish: int | CommentId | None, token: str) -> None:
    """Cast the vote of *wish* for the member who has just logged in, and tell them what became of it.

    *wish* is None for a *token* that is not valid; without a token, nothing was wished.
    """
    if wish is None:
        if token:
            flash(_("Your vote was not cast, because you pressed it too long ago. Please press it again."), "error")
        return
    g.other_limit = rate_limits.member_limit("votes.vote", "POST")  # this is a vote, not a log-in
    try:
        if isinstance(wish, CommentId):
            change_and_count(wish, store().comment_votes.cast, VoteFlash.COUNTED)
        else:
            change_and_count(wish, store().votes.cast, VoteFlash.COUNTED)
    except VotewebError as error:
        flash(error_message(error), "error")
    else:
        counted = _("Your vote for “%(title)s” has been counted.", title=title(wish))
        flash(_("Your vote for the comment has been counted.") if isinstance(wish, CommentId) else counted)
