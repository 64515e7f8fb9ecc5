"""Who is looking: sessions, and the way to log in and back."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import flask_login
from flask import Flask, current_app, flash, g, jsonify, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from voteweb import gate, known, rules, tokens
from voteweb.current import settings as settings
from voteweb.current import store as store
from voteweb.errors import Banned, LoggedOut
from voteweb.i18n import refusal
from voteweb.language import gettext as _
from voteweb.models import User, Voter
from voteweb.places import pressed_at, wants_json
from voteweb.store.trip import Reply, Trip

View = TypeVar("View", bound=Callable[..., Any])

_SESSION_USER = "_user_id"  # Flask-Login's name for it
_manager = flask_login.LoginManager()


class Viewer(flask_login.UserMixin):
    """Flask-Login's view of a member: the frozen User knows nothing of the web."""

    def __init__(self, user: User) -> None:
        self.user = user

    def get_id(self) -> str:
        """Return what the session cookie holds: the member's session word, id and name."""
        return f"{self.user.session}:{self.user.id}:{self.user.name}"


def init_app(app: Flask) -> None:
    """Set up log-ins, and who may send what; the login pages are the accounts blueprint's."""
    _manager.init_app(app, add_context_processor=False)  # pages are given the viewer by filters.py
    _manager.session_protection = None  # binds sessions to addresses, which change under phones
    tokens.init_app(app)
    app.before_request(_check)


def page_trip() -> Trip:
    """Return an empty round trip for a page that only reads; without a session in the browser it is a reader's."""
    return store().trip(reader=not session.get(_SESSION_USER))


def ask_viewer(trip: Trip) -> Reply[User | None]:
    """Queue the question who the viewer is, to share a round trip with what the page asks for.

    What a member sends is counted against its limit in the same round trip; :func:`member` refuses it then.
    """
    word, id, name = _session()
    if not name or "viewer" in g:
        g.setdefault("viewer", None)
        return trip.ask([], lambda _: cast("User | None", g.viewer))
    asked = store().users.ask(trip, name)
    open_reports = store().reports.ask_count(trip)
    gate.ask_member(trip, name)

    def read(_: list[Any]) -> User | None:
        user = asked.value
        g.viewer = user if user and (user.session, str(user.id)) == (word, id) and rules.may_enter(user) else None
        g.open_reports = open_reports.value
        if g.viewer is None:
            session.clear()  # ended elsewhere: from now on this browser is a reader's
            if user is not None and user.banned:
                flash(refusal(Banned(reason=user.ban_reason)), "error")
        return cast("User | None", g.viewer)

    return trip.ask([], read)


def voter() -> Voter:
    """Return who votes by this session; the vote itself finds out whether it still holds. Raises LoggedOut."""
    word, id, name = _session()
    if not name:
        raise LoggedOut()
    return Voter(int(id), name, word)


def viewer_id() -> int:
    """Return the id of the member whose session this is, 0 for a reader; whether it still holds may not be known."""
    return int(_session()[1] or 0)


def _session() -> tuple[str, str, str]:
    """Return the word, id and name of the session that the cookie holds, all empty for a reader."""
    parts = session.get(_SESSION_USER, "").split(":")
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else ("", "", "")


def viewer() -> User | None:
    """Return the member who is looking, or None; asks Redis only if the page has not done so yet."""
    if "viewer" not in g:
        trip = store().trip()
        ask_viewer(trip)
        trip.go()
    return cast("User | None", g.viewer)


def token() -> str:
    """Return the proof that a form is the viewer's; "" for a reader, whose page holds none, so that it can be kept."""
    return tokens.proof() if viewer() else ""


def forget_viewer() -> None:
    """Answer the rest of this request as to a reader: the database cannot say who is looking."""
    g.viewer = None


def member(asked: User | None) -> User:
    """Return the member that was asked for; raise LoggedOut, which leads to log-in and back, for a reader.

    Raises TooFast where a limit refuses the request, unless it is a form that says so itself and keeps what was typed.
    """
    if asked is None:
        raise LoggedOut()
    refused = gate.excess()
    if refused is not None and not tokens.is_form():
        raise refused
    return asked


@_manager.user_loader  # type: ignore[untyped-decorator]
def _load(_id: str) -> Viewer | None:
    user = viewer()
    return Viewer(user) if user else None


def start_session(user: User) -> None:
    """Log *user* in under a new session, for as long as the site's sessions last."""
    session.clear()
    session.permanent = True
    flask_login.login_user(Viewer(user))
    known.remember(user.name)
    g.viewer = user


def end_session() -> None:
    """Log the viewer out in this browser."""
    flask_login.logout_user()
    session.clear()
    g.viewer = None


def members_only(view: View) -> View:
    """Let only members through; a reader is led to log-in and back.

    The mark alone stops requests without a session, before their token is asked for; whether the session
    still holds, the view learns when it loads the viewer, or the script that does what was asked for.
    """
    view.members_only = True  # type: ignore[attr-defined]
    return view


def _check() -> ResponseReturnValue | None:
    """Lead readers away from what is for members, and refuse what no form of ours has sent."""
    view = current_app.view_functions.get(request.endpoint or "")
    if getattr(view, "members_only", False) and not session.get(_SESSION_USER):
        return to_login()
    if view is not None and request.method == "POST":
        tokens.check()
    return None


def to_login() -> ResponseReturnValue:
    """Return the way to log in and back to where the viewer was; to script 401 and the words."""
    if wants_json():
        message = _("Please log in first.")
        return jsonify(error={"code": "login", "message": message}), 401
    back = pressed_at() if request.method == "POST" else request.full_path.rstrip("?")
    return redirect(url_for("accounts.login", next=back), 303)
