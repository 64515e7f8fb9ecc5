"""Authentication: a name with its password, on the page of log-in or inside another form."""

from collections.abc import Callable
from contextlib import suppress

from flask import Flask, current_app, g, request, session

from voteweb.core import config, passwords, validation
from voteweb.core.errors import (
    N_,
    Banned,
    Busy,
    CodeNeeded,
    Invalid,
    LoggedOut,
    NoSuchMember,
    PasswordChanged,
    PasswordNeeded,
    StorageFull,
    TooFast,
)
from voteweb.core.models import LogInOutcome, User
from voteweb.core.names import name_key
from voteweb.core.rate_limits import LOGIN_BY_ADDRESS, LOGIN_BY_NAME, SECOND_FACTOR, Limit, member_limit
from voteweb.web.auth import csrf, device_cookie
from voteweb.web.auth.login import ban_error, note_log_in, session_voter, start_session, viewer_read
from voteweb.web.auth.sessions import USER
from voteweb.web.base.context import now, store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.requests import rate_limits

#: The fields with which a form logs in a member whose session has ended, beside its own fields.
NAME_FIELD, PASSWORD_FIELD, CODE_FIELD = "log-in-name", "log-in-password", "log-in-code"  # nosec B105


def init_app(app: Flask) -> None:
    """Log in by forms that carry name and password; login.py has checked where they come from."""
    app.before_request(_log_in_by_form)


def _log_in_by_form() -> None:
    """Log in the sender of a form with name and password; the view then handles it as a member's.

    If the log-in is refused for any reason, the view shows the form again as it was typed.
    """
    if request.method != "POST" or NAME_FIELD not in request.form or session.get(USER):
        return
    if not csrf.shows_refusals() or not csrf.has_valid_token(request, session):
        return
    try:
        user = authenticate(request.form[NAME_FIELD], request.form.get(PASSWORD_FIELD, ""))
        g.asks_for_code = bool(user.second_factor)
        if code := request.form.get(CODE_FIELD, "").strip():
            confirm_log_in(user, code)
        start_session(user, has_code=bool(code))
    except (Invalid, Banned, CodeNeeded, TooFast, Busy, LoggedOut, StorageFull) as error:
        g.log_in_error = error_message(error)
        return
    g.pop("viewer")  # the view reads the member, and counts the form, as for every request
    g.pop("skips_member_hit", None)
    g.csrf_valid = True  # Flask-WTF's mark: the token was of the session before


def log_in_error() -> str:
    """Return why the log-in inside this form was refused, "" if it was not."""
    error: str = g.get("log_in_error", "")
    return error


def authenticate(name: str, password: str) -> User:
    """Return the member with this name and this password; raise Invalid, Banned, TooFast.

    Each attempt is counted before the password is checked, so that many at once do not get around the limit. A
    successful one is refunded, and no other: else logging in to one's own account would erase attempts on others.
    """
    name = validation.normal_name(name)
    hits = (*rate_limits.address_hits(LOGIN_BY_ADDRESS), (LOGIN_BY_NAME, device_cookie.rate_limit_key(name)))
    pipeline = store().pipeline()
    stored = store().users.queue_get(pipeline, name) if validation.is_member_name(name) else None
    rate_limits.hit(*hits, reads=pipeline)
    user = stored.result if stored else None
    try:
        form = passwords.find_form(user.password if user else "", password)
    except Busy:
        store().limits.refund(hits)
        raise
    if form is None or user is None or user.left:
        note_log_in(user.name if user and not user.left else "", LogInOutcome.REFUSED)
        raise Invalid(_("No member has this name and this password."))
    store().limits.refund(hits)
    if user.banned:
        note_log_in(user.name, LogInOutcome.BANNED)
        raise ban_error(user)
    if passwords.needs_rehash(user.password, form):
        _rehash(user, password)
    return user


def confirm_log_in(user: User, typed: str) -> None:
    """Return if *typed* is a code of the second factor of *user*; raise CodeNeeded, TooFast, LoggedOut."""
    try:
        use_code(user, typed, store().second_factors.use_code)
    except CodeNeeded:
        if typed.strip():
            note_log_in(user.name, LogInOutcome.CODE)
        raise


def use_code(user: User, typed: str, act: Callable[[User, str], object], *, limit: Limit = SECOND_FACTOR) -> None:
    """Do *act*, which takes a code of the second factor of *user*; raise what it does, and TooFast.

    An attempt is counted against *limit* before the code is checked, as that of a log-in is.
    """
    if not typed.strip():
        raise CodeNeeded()
    hit = limit, name_key(user.name)
    rate_limits.hit(hit)
    act(user, typed)
    store().limits.refund([hit])


def _rehash(user: User, password: str) -> None:
    """Hash the verified *password* of *user* again; a failure leaves the hash as it is."""
    with suppress(PasswordChanged, NoSuchMember, Busy, StorageFull):
        store().users.refresh_hash(user.name, passwords.hash_password(password), verified=user.password)
        current_app.logger.info("rehashed the password of %s", user.name)


#: The field of the form that :class:`~voteweb.core.errors.PasswordNeeded` shows.
FIELD = "own-password"


#: The views whose forms give a way into the account, or another password: these ask for the password each time, however
#: lately it was typed, so that whoever has stolen a session does not keep the account. Some have a field of their own.
GIVE_ACCESS = frozenset({
    "account.index", "account.second_factor", "recovery.codes", "mail.index", "mail.remove",
    "my_site.set_inbox_feed", "my_site.set_saved_feed", "programs.index",
})  # fmt: skip


def require_recent_password(user: User, *, takes_away: bool = False) -> None:
    """Return if the viewer *user* gave the password lately, or gives it with this form.

    For GIVE_ACCESS it must come with this form, unless that *takes_away* what was given. Else raise PasswordNeeded,
    whose page asks for it, keeps what this form sent, and sends it again.
    """
    session, each_time = viewer_read().session, request.endpoint in GIVE_ACCESS and not takes_away
    if not each_time and session and now() - session.checked < config.PASSWORD_CHECK_SECONDS:
        return
    typed = request.form.get(FIELD, "")
    if not typed:
        template = PasswordNeeded.each_time if each_time else ""
        raise PasswordNeeded(template, minutes=config.PASSWORD_CHECK_SECONDS // 60)
    limit = member_limit("account.index", "POST")
    hits = [(limit, name_key(user.name))] if limit else []
    try:
        rate_limits.hit(*hits)
    except TooFast as error:
        raise PasswordNeeded(error.template, **error.values) from None
    if not passwords.verify(user.password, typed):
        raise PasswordNeeded(N_("This is not your password."))
    store().limits.refund(hits)
    if not each_time:
        store().read(store().sessions.queue_use, session_voter(), checked=True)
