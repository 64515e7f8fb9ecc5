"""The choice of a language: remembered by the browser, so that it holds for readers and members alike."""

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from voteweb import config, language
from voteweb.login import settings
from voteweb.places import here
from voteweb.tokens import checks_own_token

blueprint = Blueprint("languages", __name__)


# It asks for no token: a reader's page has none, so that it can be kept, and this changes nothing but a cookie of
# the sender's own browser. Whoever made another's browser send it would have changed the language of the buttons.
@blueprint.post("/language")
@checks_own_token
def choose() -> ResponseReturnValue:
    """Remember the language that was chosen and lead back; one that we do not speak changes nothing."""
    answer = redirect(here(request.form.get("next", "")), 303)
    chosen = language.LANGUAGES.get(request.form.get("language", ""))
    if chosen:
        answer.set_cookie(
            language.COOKIE,
            chosen.code,
            max_age=config.LANGUAGE_SECONDS,
            secure=settings().secure,
            httponly=True,
            samesite="Lax",
        )
    return answer
