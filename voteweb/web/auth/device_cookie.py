"""Device cookies: failed log-ins by strangers do not lock members out of browsers they have used.

A log-in leaves a signed cookie that is sent to the log-in page alone. Attempts from a browser whose cookie names the
member are counted separately; all other attempts under that name are counted together. However often strangers guess,
the member can log in from a known browser, and each known browser allows no more guesses than one stranger has.
"""

import secrets

from flask import Response, after_this_request, current_app, request
from itsdangerous import BadSignature, URLSafeSerializer

from voteweb.core import config
from voteweb.web.context import settings

COOKIE = "known"
_DEVICE_ID_BYTES = 9


def remember(name: str) -> None:
    """Set the cookie that makes this browser known to the member *name*."""
    value = _signer().dumps([name.lower(), secrets.token_urlsafe(_DEVICE_ID_BYTES)])

    @after_this_request
    def set_cookie(response: Response) -> Response:
        response.set_cookie(
            COOKIE,
            value,
            max_age=config.DEVICE_COOKIE_SECONDS,
            path="/login",
            secure=settings().secure,
            httponly=True,
            samesite="Lax",
        )
        return response


def rate_limit_key(name: str) -> str:
    """Return the owner under which log-ins as *name* are counted: the name, or name and id of a known browser."""
    name = name.lower()
    try:
        known_name, device_id = _signer().loads(request.cookies.get(COOKIE, ""))
    except (BadSignature, ValueError):
        return name
    return f"{name} {device_id}" if known_name == name else name


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(str(current_app.secret_key), salt="known")
