"""Protection against cross-site request forgery: each form is sent by a page of this site, and with its token."""

from collections.abc import Callable
from functools import lru_cache
from hmac import compare_digest
from typing import Any, TypeVar, cast

from flask import Request, current_app, request, session
from flask.sessions import SessionMixin
from flask_wtf.csrf import CSRFError, generate_csrf
from itsdangerous import BadData, URLSafeTimedSerializer

from voteweb.core import config, links
from voteweb.core.errors import ForeignForm
from voteweb.web.base.context import request_app, settings
from voteweb.web.requests import rate_limits

View = TypeVar("View", bound=Callable[..., Any])

FIELD = "csrf_token"  # Flask-WTF's name for it, in forms and in the session


def refusals_shown_by_form(view: View) -> View:
    """Mark *view* as one whose form checks token and rate limit itself, so that it keeps what was typed."""
    view.refusals_shown_by_form = True  # type: ignore[attr-defined]
    return view


def shows_refusals() -> bool:
    """Tell whether the view of this request is marked with :func:`refusals_shown_by_form`."""
    return getattr(current_app.view_functions.get(request.endpoint or ""), "refusals_shown_by_form", False)


def csrf_token() -> str:
    """Return the token of this session; it is valid as long as the session, so it is signed only once."""
    return _signed(current_app.secret_key, nonce())


def token_of(stored: SessionMixin) -> str:
    """Return the token of the session *stored*, "" if it has none yet."""
    return _signed(request_app().secret_key, stored[FIELD]) if FIELD in stored else ""


def nonce() -> str:
    """Return the random text of which the tokens of this session are made."""
    if FIELD not in session:
        generate_csrf()
    return cast(str, session[FIELD])


def _serializer(key: Any) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(key, salt="wtf-csrf-token")  # Flask-WTF's, which makes and checks tokens in forms


# Without this, a member's list takes half as long again.
@lru_cache(maxsize=config.SESSION_CACHE_SIZE)
def _signed(key: Any, nonce: str) -> str:
    return str(_serializer(key).dumps(nonce))


def check_origin() -> None:
    """Raise ForeignForm unless this form was sent from a page of this site, as far as the browser tells."""
    if not is_from_this_site(request):
        rate_limits.skip_member_hit()  # another site must not use up what the member may do
        raise ForeignForm


def is_from_this_site(sent: Request) -> bool:
    """Tell whether the form of the request *sent* comes from a page of this site, as far as the browser tells.

    Browsers send Sec-Fetch-Site to https, and Origin or, the older ones, Referer with every form. Under https one of
    them is required; without it, programs such as curl may send none.
    """
    origin = sent.headers.get("Origin") or sent.referrer
    fetch_site = sent.headers.get("Sec-Fetch-Site")
    if fetch_site:
        return fetch_site in ("same-origin", "none")  # none: the reader has reloaded the answer to a form
    if origin:
        return _is_this_site(origin, sent)
    return not sent.is_secure


def _is_this_site(origin: str, sent: Request) -> bool:
    """Tell whether the URL *origin* is of this site, to which the request was *sent*.

    A site that is requested by http may be behind a proxy that browsers request by https.
    """
    try:
        address = links.read(origin).url
        requested = links.read(f"{address.protocol}//{sent.host}/").url
    except ValueError:
        return False
    if address.origin == requested.origin:
        return address.protocol == "https:" or not sent.is_secure
    site_url = settings().site_url
    return bool(site_url) and address.origin == links.read(site_url).url.origin


def check_csrf() -> None:
    """Raise CSRFError unless this request sends its session's token, or its form checks the token itself."""
    if has_valid_token(request, session):
        return
    rate_limits.skip_member_hit()  # the page that forged it must not use up what the member may do
    if not shows_refusals():
        raise CSRFError


def has_valid_token(sent: Request, stored: SessionMixin) -> bool:
    """Tell whether the request *sent* has a token of the session *stored*; tokens do not expire."""
    token = sent.form.get(FIELD) or sent.headers.get("X-CSRFToken", "")
    try:
        return compare_digest(_nonce_of(current_app.secret_key, token), stored.get(FIELD, ""))
    except BadData:
        return False


# Without this, a vote takes 1.4 times as long.
@lru_cache(maxsize=config.SESSION_CACHE_SIZE)
def _nonce_of(key: Any, token: str) -> str:
    return str(_serializer(key).loads(token))
