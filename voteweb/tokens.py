"""The proof that a form was ours: each page of a member holds it, and each form brings it back."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

from flask import Flask, current_app, request, session
from flask_wtf.csrf import CSRFProtect, generate_csrf, same_origin, validate_csrf
from wtforms import ValidationError

from voteweb import config

View = TypeVar("View", bound=Callable[..., Any])

_FIELD = "csrf_token"  # Flask-WTF's name for it, in forms and in the session
_csrf = CSRFProtect()


def init_app(app: Flask) -> None:
    """Let Flask-WTF give and take the tokens of *app*; when they are looked at, login.py says."""
    _csrf.init_app(app)


def checks_own_token(view: View) -> View:
    """Leave the token of this view's form, and the refusal of a limit, to the form, which then keeps what was typed."""
    view.checks_own_token = True  # type: ignore[attr-defined]
    return view


def is_form() -> bool:
    """Tell whether this request is for a form that looks at its token itself."""
    return getattr(current_app.view_functions.get(request.endpoint or ""), "checks_own_token", False)


def proof() -> str:
    """Return the token of this session; it is good as long as that is, so it need not be signed anew for each page."""
    word = session.get(_FIELD)
    return _signed(current_app.secret_key, word) if word else cast(str, generate_csrf())


@lru_cache(maxsize=config.PIECES_KEPT)
def _signed(_key: str, _word: str) -> str:
    return cast(str, generate_csrf())


def check() -> None:
    """Raise CSRFError, which says what is wrong, unless this request brings its session's token, or is a form's own."""
    if not is_form() and not _is_ours():
        _csrf.protect()


def _is_ours() -> bool:
    """Tell whether Flask-WTF would take this request's token, which it is asked but once: a token does not grow old."""
    sent = request.form.get(_FIELD) or request.headers.get("X-CSRFToken", "")
    try:
        _validated(current_app.secret_key, session.get(_FIELD, ""), sent)
    except ValidationError:
        return False
    return not request.is_secure or same_origin(request.referrer or "", request.host_url)


@lru_cache(maxsize=config.SESSIONS_KEPT)
def _validated(_key: str, _word: str, sent: str) -> None:
    validate_csrf(sent)
