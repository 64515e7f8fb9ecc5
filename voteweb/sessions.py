"""Sessions in signed cookies, as Flask keeps them; what a cookie holds is looked at once, its age each time."""

from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, cast

from flask import Flask, Request, Response, g
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, URLSafeTimedSerializer

from voteweb import config


def init_app(app: Flask) -> None:
    """Let *app*, whose key is set by now, keep its sessions so."""
    app.session_interface = Sessions(app)


class Sessions(SecureCookieSessionInterface):
    """Sessions in cookies; an answer that is the same for everybody neither sets one nor varies by it.

    Flask calls an answer varying as soon as anything has looked at the session, Flask-Login's hooks among them.
    """

    def __init__(self, app: Flask) -> None:
        self._signer = super().get_signing_serializer(app)
        self._checked = lru_cache(maxsize=config.SESSIONS_KEPT)(self._check)

    def _check(self, cookie: str) -> tuple[dict[str, Any], datetime]:
        """Return what *cookie* holds and when it was signed; raise BadSignature."""
        signer = cast(URLSafeTimedSerializer, self._signer)  # create_app wants a key
        return cast("tuple[dict[str, Any], datetime]", signer.loads(cookie, return_timestamp=True))

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return what signs the sessions of *app*: the same for every request."""
        return self._signer

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        """Return the session that the cookie of *request* holds, an empty one where that is not ours or too old."""
        cookie = request.cookies.get(self.get_cookie_name(app))
        if cookie:
            with suppress(BadSignature):
                content, signed = self._checked(cookie)
                if timedelta(0) <= datetime.now(UTC) - signed <= app.permanent_session_lifetime:
                    return self.session_class(deepcopy(content))
        return self.session_class()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Let *response* carry the session, unless it is for everybody."""
        if not g.get("for_everybody"):
            super().save_session(app, session, response)
