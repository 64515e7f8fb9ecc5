"""Sessions in signed cookies, as Flask stores them; a cookie's signature is checked once, its age each time."""

from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, cast

from flask import Flask, Request, Response, g
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, URLSafeTimedSerializer

from voteweb.core import config


def init_app(app: Flask) -> None:
    """Install the session interface; the secret key of *app* must be set."""
    app.session_interface = SessionInterface(app)


class SessionInterface(SecureCookieSessionInterface):
    """Sessions in cookies; a public response neither sets one nor varies by it.

    Flask marks a response as varying by cookie as soon as anything has read the session, as Flask-Login's hooks do.
    """

    def __init__(self, app: Flask) -> None:
        self._signer = super().get_signing_serializer(app)
        self._verified = lru_cache(maxsize=config.SESSION_CACHE_SIZE)(self._verify)

    def _verify(self, cookie: str) -> tuple[dict[str, Any], datetime]:
        """Return the content of *cookie* and when it was signed; raise BadSignature."""
        signer = cast(URLSafeTimedSerializer, self._signer)  # create_app requires a key
        return cast("tuple[dict[str, Any], datetime]", signer.loads(cookie, return_timestamp=True))

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return the serializer that signs sessions: the same for every request."""
        return self._signer

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        """Return the session of the cookie of *request*, an empty one if it is not ours or too old."""
        cookie = request.cookies.get(self.get_cookie_name(app))
        if cookie:
            with suppress(BadSignature):
                content, signed = self._verified(cookie)
                if timedelta(0) <= datetime.now(UTC) - signed <= app.permanent_session_lifetime:
                    return self.session_class(deepcopy(content))
        return self.session_class()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Store the session in a cookie of *response*, unless the response is public."""
        if not g.get("is_public"):
            super().save_session(app, session, response)
