"""Log-in: who the viewer is, who may send what, and the redirect to log-in and back."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar, cast

import flask_login
from flask import Flask, abort, current_app, flash, g, jsonify, redirect, request, session, url_for
from flask.sessions import SessionMixin
from flask.typing import ResponseReturnValue

from voteweb.core import browsers, config, errors, permissions
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import N_
from voteweb.core.models import LogInOutcome, Right, Role, User, Voter
from voteweb.core.site_switches import SwitchName
from voteweb.store.accounts.sessions import digest
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.viewers import NO_VIEWER, Viewer
from voteweb.web.auth import csrf, device_cookie, pending_votes
from voteweb.web.auth.sessions import PENDING, SID, USER
from voteweb.web.base.context import now, request_globals, store
from voteweb.web.base.flask_app import SiteRequest
from voteweb.web.base.request_bounds import is_api
from voteweb.web.base.responses import wants_json
from voteweb.web.base.urls import return_url
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.monitoring import metrics
from voteweb.web.requests import rate_limits, site_switches

View = TypeVar("View", bound=Callable[..., Any])

_manager = flask_login.LoginManager()
#: Tokens of sessions that were ended elsewhere, as this process has seen: who keeps the cookie is no member.
_ended: BoundedCache[str, bool] = BoundedCache(config.HINT_CACHE_SIZE)


class FlaskLoginUser(flask_login.UserMixin):
    """A member as Flask-Login needs it: the frozen User knows nothing of the web."""

    def __init__(self, user: User) -> None:
        self.user = user

    def get_id(self) -> str:
        """Return what the session cookie holds beside its token: the member's session id, id and name."""
        return f"{self.user.session}:{self.user.id}:{self.user.name}"


def init_app(app: Flask) -> None:
    """Set up log-in; the pages for it are in the blueprint "auth"."""
    _manager.init_app(app, add_context_processor=False)  # templating.py gives pages the viewer
    _manager.session_protection = None  # it binds sessions to addresses, which change on phones
    app.before_request(_check_request)


def queue_viewer(pipeline: Pipeline) -> Future[User | None]:
    """Queue a read of the viewer, to share a round trip with what the page reads.

    Also counts the request against its rate limit, whose refusal :func:`require_member` raises, and the session's use
    by a form.
    """
    voter = named_voter()
    if voter is None or "viewer" in g:
        g.setdefault("viewer", None)
        return pipeline.then(lambda: cast("User | None", g.viewer))
    read = store().viewers.queue_read(pipeline, voter)
    used = store().sessions.queue_use(pipeline, voter) if request.method == "POST" and not voter.call else None
    rate_limits.queue_member_hit(pipeline, voter.name)
    if voter.call:
        rate_limits.queue_program_hit(pipeline, voter.call.program)

    def set_read() -> User | None:
        read_viewer = read.result
        if used:
            read_viewer = read_viewer._replace(session=used.result)
        viewer = set_viewer(read_viewer, voter)
        if viewer is None and not voter.call:
            session.clear()  # the session was ended elsewhere
            _ended.put(voter.token, True)
            member = read_viewer.member
            if member is not None and member.banned:
                flash(error_message(ban_error(member)), "error")
        return viewer

    return pipeline.then(set_read)


def set_viewer(read: Viewer, voter: Voter) -> User | None:
    """Set the viewer of this request, the session's *voter*, to the one *read*; None if the session has ended.

    Where the site requires a second factor, those who lack it have the role of members until they have one.
    """
    user = read.member
    is_current = user is not None and (user.session, user.id) == (voter.session, voter.id)
    viewer, known = None, request_globals()
    has_key = (read.program if voter.call else read.session) is not None
    if user and is_current and has_key and permissions.may_log_in(user):
        viewer = user
        if permissions.lacks_second_factor(user) and SwitchName.SECOND_FACTOR in site_switches.current():
            viewer, known.lacks_rights = replace(user, role=Role.MEMBER), True
        if read.program and Right.MODERATE not in read.program.rights:
            viewer = replace(viewer, role=Role.MEMBER)
    known.viewer_read, known.viewer = read, viewer
    return viewer


def viewer_read() -> Viewer:
    """Return what was read with the viewer, once the viewer has been loaded; of a reader nothing."""
    read: Viewer = request_globals().get("viewer_read", NO_VIEWER)
    return read


def lacks_rights() -> bool:
    """Tell whether the viewer, once loaded, has no rights by their role until they have a second factor."""
    lacks: bool = request_globals().get("lacks_rights", False)
    return lacks


def ban_error(user: User) -> errors.Banned:
    """Return the error that tells *user*, who is banned or was refused, why."""
    if user.banned_until:
        return errors.BannedUntil(reason=user.ban_reason, when=user.banned_until)
    return (errors.Refused if user.held else errors.Banned)(reason=user.ban_reason)


def session_voter() -> Voter:
    """Return the voter that this session names; the vote's script checks the session. Raises LoggedOut."""
    voter = named_voter()
    if voter is None:
        raise errors.LoggedOut()
    return voter


def session_user_id() -> int:
    """Return the id of the member that this session names, 0 for a reader; the session may have ended."""
    voter = named_voter()
    return voter.id if voter else 0


def session_member_name() -> str:
    """Return the name of the member that this session names, "" for a reader; the session may have ended."""
    voter = named_voter()
    return voter.name if voter else ""


def named_voter() -> Voter | None:
    """Return what the session cookie says about its member, None for a reader; the session may have ended.

    In the API that is who the token says.
    """
    return g.voter if "voter" in g else voter_in(session)


def voter_in(stored: SessionMixin) -> Voter | None:
    """Return the voter that the session *stored* names, None for a reader."""
    token = stored.get(SID)
    session_id, id, name = [*stored.get(USER, "").split(":"), "", "", ""][:3]
    return Voter(int(id), name, session_id, token) if token and name and id.isdecimal() else None


def names_member(stored: SessionMixin) -> bool:
    """Tell, without a round trip, whether the session *stored* is a member's, as far as this process knows."""
    voter = voter_in(stored)
    return voter is not None and voter.token not in _ended


def _browser() -> str:
    return browsers.family(request.user_agent.string)


def viewer() -> User | None:
    """Return the logged-in member, or None; Redis is read at most once per request."""
    try:
        user: User | None = request_globals().viewer
    except AttributeError:  # not read yet
        user = store().read(queue_viewer)
    return user


def treat_as_reader() -> None:
    """Handle the rest of this request as a reader's, since the database cannot tell who the viewer is."""
    g.viewer, g.lacks_rights = None, False


def require_member(user: User | None) -> User:
    """Return *user*, who must be logged in; raise LoggedOut for a reader, which redirects to log-in and back.

    Raises TooFast if a limit refuses the request, unless a form handles it and keeps what was typed.
    """
    if user is None:
        raise errors.LoggedOut()
    refusal = rate_limits.exceeded()
    if refusal is not None and not csrf.shows_refusals():
        raise refusal
    return user


def require_moderator(user: User | None) -> User:
    """Return *user*, who must be a moderator; raises NotAllowed, and as :func:`require_member`."""
    member = require_member(user)
    if not permissions.may_moderate(member):
        raise errors.NotAllowed(errors.NotAllowed.moderators)
    return member


def require_admin(user: User | None) -> User:
    """Return *user*, who must be an admin; raises NotAllowed, and as :func:`require_member`."""
    member = require_member(user)
    if not permissions.may_administer(member):
        raise errors.NotAllowed(errors.NotAllowed.admins)
    return member


@_manager.user_loader  # type: ignore[untyped-decorator]
def _load(_id: str) -> FlaskLoginUser | None:
    user = viewer()
    return FlaskLoginUser(user) if user else None


def start_session(user: User, *, has_code: bool = False) -> None:
    """Log *user* in, who has just given the password, with a new session; raise LoggedOut if it has changed.

    Raises CodeNeeded for one with a second factor, unless *has_code* tells that a code of it was given too.
    """
    if user.second_factor and not has_code:
        raise errors.CodeNeeded()
    token = secrets.token_urlsafe(18)
    store().sessions.open(user, token, _browser())
    note_log_in(user.name, LogInOutcome.IN)
    session.clear()
    g.pop("csrf_token", None)  # Flask-WTF keeps that of the session before
    session.permanent = True
    session[SID] = token
    flask_login.login_user(FlaskLoginUser(user))
    device_cookie.remember(user.name)
    device_cookie.remember_network(user.name)
    g.viewer = user


def ask_for_code(user: User) -> None:
    """Remember in this browser for CODE_SECONDS that *user* has given the password."""
    session[PENDING] = f"{int(now())} {FlaskLoginUser(user).get_id()}"


def pending_member() -> User | None:
    """Return who has given the password in this browser and is asked for a code, None if nobody is any more."""
    since, _, id = session.get(PENDING, "").partition(" ")
    if not id or now() >= int(since) + config.CODE_SECONDS:
        return None
    user = store().users.find(id.split(":")[2])
    return user if user and FlaskLoginUser(user).get_id() == id and permissions.may_log_in(user) else None


def note_log_in(name: str, outcome: LogInOutcome) -> None:
    """Note an attempt to log in as the member *name*, "" if there is none; a full database does not stop the log-in."""
    metrics.LOG_INS.labels(outcome).inc()
    network = rate_limits.sign_up_network()
    with suppress(errors.StorageFull, errors.DataDamaged):
        digest = store().limits.digest(network)[: config.NETWORK_DIGEST_LENGTH] if network else ""
        store().sessions.note_log_in(name, outcome, digest, _browser())


def log_out() -> None:
    """End the session of this browser, also on the server; raise Unavailable if only this browser has forgotten it."""
    try:
        voter = named_voter()
        if voter:
            store().sessions.end(voter.name, digest(voter.token))
    except errors.Unavailable as error:
        raise errors.Unavailable(
            N_("You are logged out in this browser, but the site could not end the session in its database. If "
               "somebody may have copied it, log out everywhere later.")
        ) from error  # fmt: skip
    finally:
        end_session()


def end_other_sessions(user: User) -> None:
    """Log *user* out in all browsers but this one; raise LoggedOut."""
    session_id = store().sessions.end_others(session_voter())
    session[USER] = FlaskLoginUser(replace(user, session=session_id)).get_id()


def end_session() -> None:
    """Make this browser forget its session, which has ended or ends on the server."""
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
    """Refuse forms of other sites, and bodies that are no forms; redirect readers to log-in, and check form tokens."""
    if is_api(request.environ):
        return None  # a token is no cookie: a browser sends none by itself
    view = current_app.view_functions.get(request.endpoint or "")
    if request.method == "POST":
        csrf.check_origin()
        if view is not None and not cast(SiteRequest, request).is_form:
            abort(415)
    if getattr(view, "login_required", False) and not session.get(USER):
        return login_redirect()
    if view is not None and request.method == "POST":
        csrf.check_csrf()
        site_switches.check_form(handled_by_form=csrf.shows_refusals())
    return None


def login_redirect() -> ResponseReturnValue:
    """Return the redirect to log-in and back, with the vote that was pressed; for script, 401 with a message."""
    if wants_json():
        message = _("Please log in first.")
        return jsonify(error={"code": "login", "message": message}), 401
    target = return_url() if request.method == "POST" else request.full_path.rstrip("?")
    return redirect(url_for("auth.login", next=target, vote=pending_votes.new_token() or None), 303)
