"""Confirmation: acts that need the member's own password again, when the last check of it was some time ago."""

from flask import request

from voteweb.core import config, passwords
from voteweb.core.errors import N_, PasswordNeeded, TooFast
from voteweb.core.models import User
from voteweb.core.names import name_key
from voteweb.core.rate_limits import member_limit
from voteweb.web import rate_limits
from voteweb.web.auth.login import own_session, session_voter
from voteweb.web.context import now, store

#: The field of the form that :class:`~voteweb.core.errors.PasswordNeeded` shows.
FIELD = "own-password"


def require_recent_password(user: User) -> None:
    """Return if the viewer *user* gave the password lately, or gives it with this form.

    Else raise PasswordNeeded, whose page asks for it, keeps what this form sent, and sends it again.
    """
    session = own_session()
    if session and now() - session.checked < config.PASSWORD_CHECK_SECONDS:
        return
    typed = request.form.get(FIELD, "")
    if not typed:
        raise PasswordNeeded(minutes=config.PASSWORD_CHECK_SECONDS // 60)
    limit = member_limit("account.index", "POST")
    try:
        if limit:
            rate_limits.hit((limit, name_key(user.name)))
    except TooFast as error:
        raise PasswordNeeded(error.template, **error.values) from None
    if not passwords.verify(user.password, typed):
        raise PasswordNeeded(N_("This is not your password."))
    pipeline = store().pipeline()
    store().sessions.queue_use(pipeline, session_voter(), checked=True)
    pipeline.execute()
