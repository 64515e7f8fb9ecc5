"""Sessions in signed cookies, as Flask stores them; a cookie's signature is checked once, its age each time.

The database knows which members' sessions are open; :mod:`voteweb.web.auth.login` asks it.
"""

from contextlib import suppress
from copy import deepcopy
from datetime import datetime
from functools import lru_cache
from typing import Any, cast

from flask import Flask, Request, Response, current_app, g
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, TimestampSigner, URLSafeTimedSerializer

from voteweb.core import clock, config
from voteweb.core.settings import Settings
from voteweb.web.base.flask_app import FLASHES


class Signer(TimestampSigner):
    """A signer that goes by the database's time."""

    def get_timestamp(self) -> int:
        return int(clock.now())


def signer_of(salt: str) -> URLSafeTimedSerializer:
    """Return what signs texts that a browser sends back, each kind with a *salt* of its own."""
    return URLSafeTimedSerializer(str(current_app.secret_key), salt=salt, signer=Signer)


#: The fields of a member's session: Flask-Login's text about the member, and the token of this session.
USER = "_user_id"
SID = "sid"
#: What the session of a reader holds who has given the password and is asked for a code: since when, and USER.
PENDING = "log-in"
#: The field of a session that a sign-up has made: the unix time of that, in whole seconds.
SIGNED_UP = "signed-up"
_COOKIE = "voteweb"


def cookie_name(settings: Settings) -> str:
    """Return the name of the session cookie; sites at several ports of one host have one each.

    With https it has the prefix that makes browsers refuse it from any other host, such as one of the same domain.
    """
    name = f"{_COOKIE}-{settings.site}" if settings.site else _COOKIE
    return f"__Host-{name}" if settings.secure else name


def init_app(app: Flask) -> None:
    """Install the session interface; the secret key of *app* must be set."""
    app.session_interface = SessionInterface(app)


class SessionInterface(SecureCookieSessionInterface):
    """Sessions in cookies; a public response neither sets one nor varies by it.

    Flask marks a response as varying by cookie as soon as anything has read the session, as Flask-Login's hooks do.
    finishing.py does that instead.
    """

    def __init__(self, app: Flask) -> None:
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

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        """Return the session of the cookie of *request*, an empty one if it is not ours or too old."""
        return self.read(request.cookies.get(self.get_cookie_name(app)))

    def read(self, cookie: str | None) -> SecureCookieSession:
        """Return the session of the value of a *cookie*, an empty one if it is not ours or too old."""
        if cookie:
            with suppress(BadSignature):
                content, signed = self._verified(cookie)
                # There is no least age: the machine that signed it may be a moment ahead of this one.
                if clock.now() - signed.timestamp() <= config.MAX_SESSION_SECONDS:
                    # Only messages are lists, to which a request could append.
                    return SecureCookieSession(deepcopy(content) if FLASHES in content else content)
        return SecureCookieSession()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Store the session in a cookie of *response*, unless the response is public."""
        if session.modified and not g.get("is_public"):
            super().save_session(app, session, response)
