"""The way in, shared by log-in, sign-up and recovery: the session, the vote that was pressed, the page to return to."""

from typing import Any

from flask import flash, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core.comments import CommentId
from voteweb.core.models import User
from voteweb.web.auth import wishes
from voteweb.web.auth.login import start_session
from voteweb.web.forms import Form
from voteweb.web.urls import safe_path
from voteweb.web.views.wishes import cast, title


def enter(user: User, greeting: str = "") -> None:
    """Log *user* in, and cast the vote that they pressed as a reader; raise LoggedOut."""
    token = wishes.token()
    wish = wishes.read(token)  # it belongs to the session that ends now
    start_session(user)
    if greeting:
        flash(greeting)
    cast(wish, token)


def render_entrance(template: str, form: Form, **context: Any) -> ResponseReturnValue:
    """Return a page with a way in, which says what for if the reader pressed a vote."""
    wish = wishes.read(wishes.token())
    token = wishes.token() if wish is not None else ""
    context |= {"wish": token, "wished_title": title(wish), "is_comment_wished": isinstance(wish, CommentId)}
    return render_template(template, form=form, next=next_path(), **context), form.status


def next_path() -> str:
    """Return the page of this site to which the way in leads."""
    return safe_path(request.form.get("next") or request.args.get("next") or "/")
