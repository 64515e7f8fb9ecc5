"""Languages: which there are, and which of them an answer is in.

The choice that a reader made in the footer comes first, then what the browser asks for, then English.
"""

from dataclasses import dataclass
from functools import lru_cache

from flask import Flask, Response, g, has_request_context, request
from flask_babel import Babel, get_locale
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

#: The cookie that remembers a choice.
COOKIE = "language"


@dataclass(frozen=True, slots=True)
class Language:
    """A language with a catalogue in ``translations/<code>``.

    ``tag`` is what pages say about themselves (BCP 47), ``name`` what its own speakers call it, ``moment`` how
    they write a date with hour and minute (Unicode's pattern), ``comma`` what stands between the names of a list.
    """

    code: str
    tag: str
    name: str
    moment: str
    comma: str


ENGLISH = Language("en", "en", "English", "d MMM y, HH:mm", ", ")
CHINESE = Language("zh", "zh-Hans", "中文", "y年M月d日 HH:mm", "、")
#: All languages by code; a browser's zh-CN, zh-Hans or zh-TW is zh.
LANGUAGES = {each.code: each for each in (ENGLISH, CHINESE)}


def init_app(app: Flask) -> None:
    """Let *app* speak to each in their language, and say in which."""
    Babel(app, default_locale=ENGLISH.code, locale_selector=_select)
    app.jinja_env.globals.update(language=current, languages=tuple(LANGUAGES.values()))

    @app.after_request
    def add(response: Response) -> Response:
        # Only where the language was asked for: neither static files nor feeds, which are in one, ever do.
        if "language" in g:
            response.vary.update(("Accept-Language", "Cookie"))
            response.headers["Content-Language"] = g.language.tag
        return response


def current() -> Language:
    """Return the language of the present answer."""
    return LANGUAGES[get_locale().language]


def best(accepted: str) -> Language:
    """Return the language that suits the header Accept-Language best, English when none does."""
    return _best(accepted) if accepted else ENGLISH


def choose(chosen: str, accepted: str) -> Language:
    """Return the language of an answer by what a reader has *chosen* (the cookie's value) and the browser asks for."""
    return LANGUAGES.get(chosen) or best(accepted)


@lru_cache(maxsize=256)
def _best(accepted: str) -> Language:
    # Werkzeug's best_match prefers an exact tag over a better one: of "zh-CN, en;q=0.5" it would make English.
    for tag, quality in parse_accept_header(accepted, LanguageAccept):
        found = LANGUAGES.get(tag.replace("_", "-").partition("-")[0].lower())
        if found and quality > 0:
            return found
    return ENGLISH


def _select() -> str:
    if not has_request_context():
        return ENGLISH.code
    g.language = choose(request.cookies.get(COOKIE, ""), request.headers.get("Accept-Language", ""))
    return str(g.language.code)
