"""Log-in: who the viewer is, who may send what, and the redirect to log-in and back."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import flask_login
from flask import Flask, abort, current_app, flash, g, jsonify, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from voteweb.core import permissions
from voteweb.core.errors import Banned, LoggedOut
from voteweb.core.models import User, Voter
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web import rate_limits
from voteweb.web.auth import csrf, device_cookie
from voteweb.web.context import store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.responses import wants_json
from voteweb.web.urls import return_url

View = TypeVar("View", bound=Callable[..., Any])

_SESSION_USER = "_user_id"  # Flask-Login's name for it
_manager = flask_login.LoginManager()


class FlaskLoginUser(flask_login.UserMixin):
    """A member as Flask-Login needs it: the frozen User knows nothing of the web."""

    def __init__(self, user: User) -> None:
        self.user = user

    def get_id(self) -> str:
        """Return what the session cookie holds: the member's session id, id and name."""
        return f"{self.user.session}:{self.user.id}:{self.user.name}"


def init_app(app: Flask) -> None:
    """Set up log-in and form tokens; the pages for it are in the blueprint "auth"."""
    _manager.init_app(app, add_context_processor=False)  # templating.py gives pages the viewer
    _manager.session_protection = None  # it binds sessions to addresses, which change on phones
    csrf.init_app(app)
    app.before_request(_check_request)


def page_pipeline() -> Pipeline:
    """Return an empty pipeline for a page that only reads; without a session, replicas may answer it."""
    return store().pipeline(reader=not session.get(_SESSION_USER))


def queue_viewer(pipeline: Pipeline) -> Future[User | None]:
    """Queue a read of the viewer, to share a round trip with what the page reads.

    If a limit applies to the request, it is counted in the same round trip; :func:`require_member` raises the refusal.
    """
    session_id, id, name = _session()
    if not name or "viewer" in g:
        g.setdefault("viewer", None)
        return pipeline.queue([], lambda _replies: cast("User | None", g.viewer))
    stored = store().users.queue_get(pipeline, name)
    open_reports = store().reports.queue_count(pipeline)
    rate_limits.queue_member_hit(pipeline, name)

    def set_viewer(_replies: list[Any]) -> User | None:
        user = stored.result
        is_current = user is not None and (user.session, str(user.id)) == (session_id, id)
        g.viewer = user if user and is_current and permissions.may_log_in(user) else None
        g.open_reports = open_reports.result
        if g.viewer is None:
            session.clear()  # the session was ended elsewhere
            if user is not None and user.banned:
                flash(error_message(Banned(reason=user.ban_reason)), "error")
        return cast("User | None", g.viewer)

    return pipeline.queue([], set_viewer)


def session_voter() -> Voter:
    """Return the voter that this session names; the vote's script checks the session. Raises LoggedOut."""
    session_id, id, name = _session()
    if not name:
        raise LoggedOut()
    return Voter(int(id), name, session_id)


def session_user_id() -> int:
    """Return the id of the member whom this session names, 0 for a reader; the session may have ended."""
    return int(_session()[1] or 0)


def _session() -> tuple[str, str, str]:
    """Return the session id, member id and name that the cookie holds, all empty for a reader."""
    parts = session.get(_SESSION_USER, "").split(":")
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else ("", "", "")


def viewer() -> User | None:
    """Return the logged-in member, or None; Redis is read at most once per request."""
    if "viewer" not in g:
        pipeline = store().pipeline()
        queue_viewer(pipeline)
        pipeline.execute()
    return cast("User | None", g.viewer)


def viewer_csrf_token() -> str:
    """Return the form token of a member, "" for a reader: pages without a token can be cached."""
    return csrf.csrf_token() if viewer() else ""


def treat_as_reader() -> None:
    """Handle the rest of this request as a reader's, since the database cannot tell who the viewer is."""
    g.viewer = None


def require_member(user: User | None) -> User:
    """Return *user*, who must be logged in; raise LoggedOut for a reader, which redirects to log-in and back.

    Raises TooFast if a limit refuses the request, unless a form handles it and keeps what was typed.
    """
    if user is None:
        raise LoggedOut()
    refusal = rate_limits.exceeded()
    if refusal is not None and not csrf.is_handled_by_form():
        raise refusal
    return user


def require_moderator(user: User | None) -> User:
    """Return *user*, who must be a moderator; raises LoggedOut and TooFast as :func:`require_member`, else 403."""
    member = require_member(user)
    if not permissions.may_moderate(member):
        abort(403)
    return member


@_manager.user_loader  # type: ignore[untyped-decorator]
def _load(_id: str) -> FlaskLoginUser | None:
    user = viewer()
    return FlaskLoginUser(user) if user else None


def start_session(user: User) -> None:
    """Log *user* in, with a new session of the site's session length."""
    session.clear()
    session.permanent = True
    flask_login.login_user(FlaskLoginUser(user))
    device_cookie.remember(user.name)
    g.viewer = user


def end_session() -> None:
    """Log the viewer out in this browser."""
    flask_login.logout_user()
    session.clear()
    g.viewer = None


def login_required(view: View) -> View:
    """Mark *view* as one for members only; a reader is redirected to log-in and back.

    The mark alone stops requests without a session, before their form token is checked. Whether the session is still
    valid is checked by the view when it loads the viewer, or by the script that carries out the act.
    """
    view.login_required = True  # type: ignore[attr-defined]
    return view


def _check_request() -> ResponseReturnValue | None:
    """Redirect readers from views that are for members, and check the form token of every POST."""
    view = current_app.view_functions.get(request.endpoint or "")
    if getattr(view, "login_required", False) and not session.get(_SESSION_USER):
        return login_redirect()
    if view is not None and request.method == "POST":
        csrf.check_csrf()
    return None


def login_redirect() -> ResponseReturnValue:
    """Return the redirect to log-in and back; for script, 401 with a message."""
    if wants_json():
        message = _("Please log in first.")
        return jsonify(error={"code": "login", "message": message}), 401
    target = return_url() if request.method == "POST" else request.full_path.rstrip("?")
    return redirect(url_for("auth.login", next=target), 303)
