"""Sessions in signed cookies, as Flask stores them; a cookie's signature is checked once, its age each time.

The database knows which members' sessions are open; :mod:`voteweb.web.auth.login` asks it.
"""

from contextlib import suppress
from copy import deepcopy
from datetime import datetime
from functools import lru_cache
from typing import Any, cast

from flask import Flask, Request, Response, g, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, URLSafeTimedSerializer

from voteweb.core import clock, config
from voteweb.core.config import Settings
from voteweb.web.auth.signing import Signer
from voteweb.web.flask_app import FLASHES

#: What the session of a member holds: Flask-Login's text about the member, and the token of this session.
USER = "_user_id"
SID = "sid"
_COOKIE = "voteweb"


def cookie_name(settings: Settings) -> str:
    """Return the name of the session cookie.

    With https it has the prefix that makes browsers refuse it from any other host, such as one of the same domain.
    """
    return f"__Host-{_plain_name(settings)}" if settings.secure else _plain_name(settings)


def cookie_names(settings: Settings) -> frozenset[str]:
    """Return the names of all cookies that may hold a session: today's, and the one without a prefix."""
    return frozenset((cookie_name(settings), _plain_name(settings)))


def _plain_name(settings: Settings) -> str:
    """Return the name of the cookie without a prefix; sites at several ports of one host have one each."""
    return f"{_COOKIE}-{settings.site}" if settings.site else _COOKIE


def init_app(app: Flask, settings: Settings) -> None:
    """Install the session interface; the secret key of *app* must be set."""
    app.session_interface = SessionInterface(app, settings)


class CookieSession(SecureCookieSession):
    """A session; ``signed`` is the unix time at which its cookie was signed, 0 for none."""

    signed = 0.0

    @property
    def is_old(self) -> bool:
        """Whether this is a member's session from before the database knew them."""
        return USER in self and SID not in self


class SessionInterface(SecureCookieSessionInterface):
    """Sessions in cookies; a public response neither sets one nor varies by it.

    Flask marks a response as varying by cookie as soon as anything has read the session, as Flask-Login's hooks do.
    finishing.py does that instead.
    """

    session_class = CookieSession

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._plain_name = _plain_name(settings)
        self._max_old_age = settings.session_days * 86_400
        self._signer = cast(URLSafeTimedSerializer, super().get_signing_serializer(app))  # create_app requires a key
        self._signer.signer = Signer
        # Takes 50 µs; a member's list takes 270.
        self._verified = lru_cache(maxsize=config.SESSION_CACHE_SIZE)(self._verify)

    def _verify(self, cookie: str) -> tuple[dict[str, Any], datetime]:
        """Return the content of *cookie* and when it was signed; raise BadSignature."""
        return cast("tuple[dict[str, Any], datetime]", self._signer.loads(cookie, return_timestamp=True))

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return the serializer that signs sessions: the same for every request."""
        return self._signer

    def open_session(self, app: Flask, request: Request) -> CookieSession:
        """Return the session of the cookie of *request*, an empty one if it is not ours or too old."""
        name = self.get_cookie_name(app)
        session = self.read(request.cookies.get(name))
        if not session and name != self._plain_name:
            # Another host of the domain can set a cookie without the prefix, so no new session is taken from one.
            old = self.read(request.cookies.get(self._plain_name))
            if old.is_old:
                old.modified = True  # it moves to the cookie with a prefix
                return old
        return session

    def read(self, cookie: str | None) -> CookieSession:
        """Return the session of the value of a *cookie*, an empty one if it is not ours or too old."""
        if cookie:
            with suppress(BadSignature):
                content, signed = self._verified(cookie)
                # Only messages are lists, to which a request could append.
                session = CookieSession(deepcopy(content) if FLASHES in content else content)
                session.signed = signed.timestamp()
                max_age = self._max_old_age if session.is_old else config.MAX_SESSION_SECONDS
                # There is no least age: the machine that signed it may be a moment ahead of this one.
                if clock.now() - session.signed <= max_age:
                    return session
        return CookieSession()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Store the session in a cookie of *response*, unless the response is public."""
        if g.get("is_public"):
            return
        if session.modified:
            super().save_session(app, session, response)
        if self.get_cookie_name(app) != self._plain_name and self._plain_name in request.cookies:
            response.delete_cookie(self._plain_name, secure=True, httponly=True, samesite="Lax")
