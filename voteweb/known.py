"""Browsers that know a member: failed log-ins of strangers do not lock their members out.

Whoever logs in leaves a signed cookie that goes to the log-in page alone. A browser that has one for the name it
logs in with is counted by itself; all others under that name are counted together. So however often strangers
guess, the member comes in by a browser used before, and each of those is no better for guessing than one stranger.
"""

import secrets

from flask import Response, after_this_request, current_app, request
from itsdangerous import BadSignature, URLSafeSerializer

from voteweb import config
from voteweb.current import settings

COOKIE = "known"


def remember(name: str) -> None:
    """Let this browser know the member *name* from now on."""
    value = _signer().dumps([name.lower(), secrets.token_urlsafe(9)])

    @after_this_request
    def add(response: Response) -> Response:
        response.set_cookie(
            COOKIE,
            value,
            max_age=config.KNOWN_SECONDS,
            path="/login",
            secure=settings().secure,
            httponly=True,
            samesite="Lax",
        )
        return response


def whose(name: str) -> str:
    """Return under what a log-in as *name* is counted: the name, or this browser's own mark if it knows the name."""
    name = name.lower()
    try:
        known, mark = _signer().loads(request.cookies.get(COOKIE, ""))
    except (BadSignature, ValueError):
        return name
    return f"{name} {mark}" if known == name else name


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(str(current_app.secret_key), salt="known")
