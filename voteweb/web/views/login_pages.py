"""Shared steps of log-in, sign-up and recovery: the session, the vote that was pressed, the page to return to."""

import re
from typing import Any
from urllib.parse import quote, urlencode

from flask import flash, g, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core.comments import CommentId
from voteweb.core.models import User
from voteweb.web.auth import pending_votes
from voteweb.web.auth.login import start_session
from voteweb.web.forms import Form
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.urls import safe_path
from voteweb.web.views.votes import cast_pending, pending_title

_COMMENT_FORM = re.compile(r"/a/[0-9]+(?:/c/[0-9]+/reply|/comment)")


def log_in(user: User, greeting: str = "") -> None:
    """Log *user* in, and cast the vote that they pressed as a reader; raise LoggedOut."""
    token = pending_votes.token()
    vote = pending_votes.read(token)  # it belongs to the session that ends now
    start_session(user)
    if greeting:
        flash(greeting)
    cast_pending(vote, token)


def render_login_page(template: str, form: Form | None = None, **context: Any) -> ResponseReturnValue:
    """Return a page with which to log in, which says what for if a reader pressed a vote, or opened a form.

    All links between these pages keep the page to return to and the vote. Without a *form* the page refuses sign-up.
    """
    vote = pending_votes.read(pending_votes.token())
    token = pending_votes.token() if vote is not None else ""
    query = {"next": next_path()} | ({pending_votes.FIELD: token} if token else {})
    g.login_query = f"?{urlencode(query, safe='/', quote_via=quote)}"
    context |= {
        "pending_vote": token,
        "vote_title": pending_title(vote),
        "is_comment_vote": isinstance(vote, CommentId),
    }
    context |= {"next": next_path(), "login_query": g.login_query, "purpose": _purpose()}
    return render_template(template, form=form, **context), form.status if form else 403


def _purpose() -> str:
    """Return what a reader can do after log-in on the page that sent them here, "" if it is no form."""
    path = next_path().partition("?")[0]
    if path == "/submit":
        return _("After that you can post your article.")
    return _("After that you can write your comment.") if _COMMENT_FORM.fullmatch(path) else ""


def next_path() -> str:
    """Return the page of this site that is shown after log-in."""
    return safe_path(request.form.get("next") or request.args.get("next") or "/")
