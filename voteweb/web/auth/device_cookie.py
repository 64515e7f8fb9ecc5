"""Device cookies: failed log-ins by strangers do not lock members out of browsers and networks they have used.

A log-in leaves a signed cookie that is sent to the log-in page alone. Attempts from a browser whose cookie names the
member are counted separately; all other attempts under that name are counted together. However often strangers guess,
the member can log in from a known browser, and each known browser allows no more guesses than one stranger has. So it
is with networks from which the member has logged in during the last KNOWN_NETWORK_SECONDS.
"""

import secrets
from contextlib import suppress

from flask import Response, after_this_request, current_app, request
from itsdangerous import BadSignature, URLSafeSerializer

from voteweb.core import config, rate_limits
from voteweb.core.errors import StorageFull
from voteweb.core.names import name_key
from voteweb.web.base.context import settings, store

_COOKIE = "known"
_DEVICE_ID_BYTES = 9


def remember(name: str) -> None:
    """Set the cookie that makes this browser known to the member *name*."""
    value = _signer().dumps([name_key(name), secrets.token_urlsafe(_DEVICE_ID_BYTES)])

    @after_this_request
    def set_cookie(response: Response) -> Response:
        response.set_cookie(
            _name(),
            value,
            max_age=config.DEVICE_COOKIE_SECONDS,
            path="/login",
            secure=settings().secure,
            httponly=True,
            samesite="Lax",
        )
        return response


def remember_network(name: str) -> None:
    """Make the network of this request known to the member *name*, who logs in; a full database does not stop that."""
    network = rate_limits.network(request.remote_addr)
    if network:
        with suppress(StorageFull):
            store().limits.remember_network(name, network)


def rate_limit_key(name: str) -> str:
    """Return the owner under which log-ins as *name* are counted.

    That is the name with the id of a known browser, else with a network from which the member has logged in before,
    else the name alone, for all strangers together.
    """
    name = name_key(name)
    try:
        known_name, device_id = _signer().loads(request.cookies.get(_name()) or request.cookies.get(_plain_name(), ""))
    except (BadSignature, ValueError):
        known_name, device_id = "", ""
    if name and known_name == name:
        return f"{name} {device_id}"
    network = rate_limits.network(request.remote_addr)
    return f"{name} {network}" if network and store().limits.knows_network(name, network) else name


def _name() -> str:
    """Return the name of the cookie; the prefix for cookies of one host alone would send it to every page."""
    return f"__Secure-{_plain_name()}" if settings().secure else _plain_name()


def _plain_name() -> str:
    """Return the name of the cookie without a prefix; sites at several ports of one host have one each."""
    return f"{_COOKIE}-{settings().site}" if settings().site else _COOKIE


def _signer() -> URLSafeSerializer:
    # A browser that is known to ann of one site is not known to ann of another with the same key.
    return URLSafeSerializer(str(current_app.secret_key), salt=_plain_name())
