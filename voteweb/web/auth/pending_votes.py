"""Pending votes: one that a reader has pressed, which the log-in or sign-up that follows casts.

The token of a pending vote is signed with the form token of the browser in which the button was pressed, and is a field
of the form of log-in or sign-up; no link and no form from elsewhere can make one that this browser's log-in would cast.
"""

from flask import request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.store.schema.values import parse_comment
from voteweb.web.auth import csrf
from voteweb.web.auth.sessions import signer_of

#: The field of the forms of log-in and sign-up, and the part of their addresses, that holds the token.
FIELD = "vote"
_VOTES = ("votes.vote", "comment_votes.vote")


def new_token() -> str:
    """Return the token of the vote that this form asks for; "" for any other request."""
    if request.endpoint not in _VOTES:
        return ""
    parts = request.view_args or {}
    return str(_signer().dumps(".".join(str(parts[name]) for name in ("id", "number") if name in parts)))


def token() -> str:
    """Return the token that this request sends, "" for none; it may be another browser's."""
    return request.values.get(FIELD, "")[: config.MAX_PENDING_VOTE_LENGTH]


def read(token: str) -> int | CommentId | None:
    """Return the article or comment for which *token* asks a vote, None unless this browser got it lately."""
    try:
        named = str(_signer().loads(token, max_age=config.PENDING_VOTE_SECONDS))
    except BadSignature:
        return None
    return parse_comment(named) or int(named)


def _signer() -> URLSafeTimedSerializer:
    return signer_of(f"pending vote {csrf.nonce()}")
