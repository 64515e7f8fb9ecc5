"""The choice of a language, stored in a cookie for readers and members alike."""

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core import config
from voteweb.web.auth.csrf import csrf_handled_by_form
from voteweb.web.context import settings
from voteweb.web.i18n import locale
from voteweb.web.urls import safe_path

blueprint = Blueprint("language", __name__)


# It checks no form token: a reader's page has none, so that it can be cached, and this changes nothing but a cookie of
# the sender's browser. A forged request could at most change the language of the buttons.
@blueprint.post("/language")
@csrf_handled_by_form
def choose() -> ResponseReturnValue:
    """Store the chosen language and go back; an unknown one changes nothing."""
    response = redirect(safe_path(request.form.get("next", "")), 303)
    language = locale.LANGUAGES.get(request.form.get("language", ""))
    if language:
        response.set_cookie(
            locale.COOKIE,
            language.code,
            max_age=config.LANGUAGE_SECONDS,
            secure=settings().secure,
            httponly=True,
            samesite="Lax",
        )
    return response
