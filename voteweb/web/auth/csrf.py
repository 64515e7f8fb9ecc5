"""Form tokens against cross-site request forgery: pages of members contain one, and every POST must send it back."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

from flask import Flask, current_app, request, session
from flask_wtf.csrf import CSRFProtect, generate_csrf, same_origin, validate_csrf
from wtforms import ValidationError

from voteweb.core import config

View = TypeVar("View", bound=Callable[..., Any])

_FIELD = "csrf_token"  # Flask-WTF's name for it, in forms and in the session
_protection = CSRFProtect()


def init_app(app: Flask) -> None:
    """Set up Flask-WTF's tokens; login.py calls :func:`check_csrf` after it has redirected readers."""
    _protection.init_app(app)


def csrf_handled_by_form(view: View) -> View:
    """Mark *view* as one whose form checks token and rate limit itself, so that it keeps what was typed."""
    view.csrf_handled_by_form = True  # type: ignore[attr-defined]
    return view


def is_handled_by_form() -> bool:
    """Tell whether the view of this request is marked with :func:`csrf_handled_by_form`."""
    return getattr(current_app.view_functions.get(request.endpoint or ""), "csrf_handled_by_form", False)


def csrf_token() -> str:
    """Return the token of this session; it is valid as long as the session, so it is signed only once."""
    nonce = session.get(_FIELD)
    return _signed(current_app.secret_key, nonce) if nonce else cast(str, generate_csrf())


@lru_cache(maxsize=config.SESSION_CACHE_SIZE)
def _signed(_key: str, _nonce: str) -> str:
    return cast(str, generate_csrf())


def check_csrf() -> None:
    """Raise CSRFError unless this request sends its session's token, or its form checks the token itself."""
    if not is_handled_by_form() and not _has_valid_token():
        _protection.protect()


def _has_valid_token() -> bool:
    """Tell whether Flask-WTF accepts this request's token; tokens do not expire, so each is validated only once."""
    token = request.form.get(_FIELD) or request.headers.get("X-CSRFToken", "")
    try:
        _validated(current_app.secret_key, session.get(_FIELD, ""), token)
    except ValidationError:
        return False
    return not request.is_secure or same_origin(request.referrer or "", request.host_url)


@lru_cache(maxsize=config.SESSION_CACHE_SIZE)
def _validated(_key: str, _nonce: str, token: str) -> None:
    validate_csrf(token)
