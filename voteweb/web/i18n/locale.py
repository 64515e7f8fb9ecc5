"""Languages: which there are, and which of them an answer is in.

The choice that a reader made in the footer comes first, then what the browser asks for, then English.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from babel.support import NullTranslations, Translations
from flask import Flask, Response, g, has_request_context, request
from flask_babel import Babel, force_locale
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from voteweb.core import config, markup

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

_CATALOGUES = Path(__file__).parent / "translations"


def init_app(app: Flask) -> None:
    """Let *app* speak to each in their language, and say in which."""
    Babel(app, default_locale=ENGLISH.code, locale_selector=lambda: current().code)
    # Flask-Babel looks up the app, the locale and the domain anew for each word: a tenth of a page's time.
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        gettext=gettext, ngettext=ngettext, newstyle=True
    )
    app.jinja_env.globals.update(_=_shown, language=current, languages=tuple(LANGUAGES.values()))

    @app.after_request
    def add(response: Response) -> Response:
        # Only where the reader was asked for it: neither static files nor feeds, which are in one, ever do.
        if "readers_language" in g:
            response.vary.update(("Accept-Language", "Cookie"))
            response.headers["Content-Language"] = g.readers_language.tag
        return response


def gettext(words: str, /, **values: Any) -> str:
    """Return *words* in the language of this answer, with *values* in place of their names."""
    found = _catalogue(current().code).gettext(words)
    return found % values if values else found


def _shown(words: str, /, **values: Any) -> Markup:
    """Return what :func:`gettext` does as markup, in which *values* are escaped."""
    found = _markup(current().code, words)
    return found % values if values else found


@lru_cache(maxsize=config.TRANSLATION_CACHE_SIZE)
def _markup(code: str, words: str) -> Markup:
    return markup.trusted(_catalogue(code).gettext(words))


def ngettext(one: str, many: str, count: int, /, **values: Any) -> str:
    """Return the words for *count* things in the language of this answer, with *values* in place of their names."""
    found = _catalogue(current().code).ngettext(one, many, count)
    return found % values if values else found


@lru_cache
def _catalogue(code: str) -> NullTranslations:
    return Translations.load(str(_CATALOGUES), [code])


def current() -> Language:
    """Return the language of the present answer; English outside of a request."""
    if not has_request_context():
        return ENGLISH
    found: Language | None = g.get("language")
    if found is None:
        chosen = choose(request.cookies.get(COOKIE, ""), request.headers.get("Accept-Language", ""))
        found = g.language = g.readers_language = chosen
    return found


@contextmanager
def force_language(only: Language) -> Iterator[None]:
    """Speak *only* one language in this block, whatever the reader asked for."""
    g.language = only
    try:
        with force_locale(only.code):
            yield
    finally:
        del g.language


def best_match(accepted: str) -> Language:
    """Return the language that suits the header Accept-Language best, English when none does."""
    return _best(accepted) if accepted else ENGLISH


def choose(chosen: str, accepted: str) -> Language:
    """Return the language of an answer by what a reader has *chosen* (the cookie's value) and the browser asks for."""
    return LANGUAGES.get(chosen) or best_match(accepted)


@lru_cache(maxsize=256)
def _best(accepted: str) -> Language:
    # Werkzeug's best_match prefers an exact tag over a better one: of "zh-CN, en;q=0.5" it would make English.
    for tag, quality in parse_accept_header(accepted, LanguageAccept):
        found = LANGUAGES.get(tag.replace("_", "-").partition("-")[0].lower())
        if found and quality > 0:
            return found
    return ENGLISH
