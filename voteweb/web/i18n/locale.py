"""Languages of the site, and the choice of one for each response.

The language that a reader chose in the footer comes first, then those that the browser accepts, then English.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from babel.support import NullTranslations, Translations
from flask import Flask, g, has_request_context, request
from flask_babel import Babel, force_locale
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from voteweb.core import markup
from voteweb.core.caches import cache_short
from voteweb.web.base.context import request_globals

#: The name of the cookie that stores a reader's choice.
COOKIE = "language"
#: Formats hour and minute of a datetime.
TIME_PATTERN = "{0.hour:02}:{0.minute:02}"


@dataclass(frozen=True, slots=True)
class Language:
    """A language with a catalogue in ``translations/<code>``; the messages themselves are English.

    ``tag`` is its BCP 47 tag, ``name`` its name in the language itself, ``datetime_pattern`` formats a datetime and the
    short name of its month as date, hour and minute, and ``separator`` separates the names of a list.
    """

    code: str
    tag: str
    name: str
    datetime_pattern: str
    separator: str


ENGLISH = Language("en", "en", "English", "{0.day} {month} {0.year}, " + TIME_PATTERN, ", ")
CHINESE = Language("zh", "zh-Hans", "中文", "{0.year}年{month}{0.day}日 " + TIME_PATTERN, "、")
#: All languages by code; a browser's zh-CN, zh-Hans or zh-TW is zh.
LANGUAGES = {language.code: language for language in (ENGLISH, CHINESE)}

_CATALOGUES = Path(__file__).parent / "translations"
#: Values of Accept-Language that are parsed once.
_HEADER_CACHE_SIZE = 256


def init_app(app: Flask) -> None:
    Babel(
        app,
        default_locale=ENGLISH.code,
        default_translation_directories=str(_CATALOGUES),
        locale_selector=lambda: current().code,
    )
    # Flask-Babel looks up the app, the locale and the domain for each message, which takes a tenth of a page's time.
    app.jinja_env.globals.update(
        _=_markup_gettext, gettext=gettext, language=current, languages=tuple(LANGUAGES.values())
    )


def gettext(message: str, /, **values: Any) -> str:
    """Return *message* in the current language, with *values* filled in."""
    translation = _catalogue(current().code).gettext(message)
    return translation % values if values else translation


def _markup_gettext(message: str, /, **values: Any) -> Markup:
    """Return *message* in the current language as markup, with *values* escaped and filled in."""
    translation = _trusted(current().code, message)
    return translation % values if values else translation


# Without this, a list whose rows are not kept takes a fifteenth longer: it asks for a hundred messages.
@lru_cache(maxsize=4_096)
def _trusted(code: str, message: str) -> Markup:
    return markup.trusted(_catalogue(code).gettext(message))


def ngettext(singular: str, plural: str, count: int, /, **values: Any) -> str:
    """Return the message for *count* things in the current language, with *values* filled in."""
    translation = _catalogue(current().code).ngettext(singular, plural, count)
    return translation % values if values else translation


@lru_cache
def _catalogue(code: str) -> NullTranslations:
    return Translations.load(str(_CATALOGUES), [code])


def current() -> Language:
    """Return the language of the current response; English outside of one."""
    try:
        language: Language | None = request_globals().get("language")
    except RuntimeError:  # outside of an app
        return ENGLISH
    if language is None:
        if not has_request_context():
            return ENGLISH
        language = negotiate(request.cookies.get(COOKIE, ""), request.headers.get("Accept-Language", ""))
        g.language = g.negotiated_language = language
    return language


@contextmanager
def force_language(language: Language) -> Iterator[None]:
    """Use *language* in this block in place of the reader's own."""
    g.language = language
    try:
        with force_locale(language.code):
            yield
    finally:
        del g.language


def negotiate(choice: str, accept_language: str) -> Language:
    """Return the language for the value of the cookie and of the header Accept-Language, each "" if not sent."""
    return LANGUAGES.get(choice) or _best_match(accept_language)


# Takes 19 µs; a reader's page that is kept takes 25.
@cache_short(_HEADER_CACHE_SIZE)
def _best_match(accept_language: str) -> Language:
    """Return the language that the header Accept-Language prefers, English if it accepts none of the site's."""
    # Werkzeug's best_match prefers an exact tag over a better one: for "zh-CN, en;q=0.5" it would return English.
    for tag, quality in parse_accept_header(accept_language, LanguageAccept):
        language = LANGUAGES.get(tag.replace("_", "-").partition("-")[0].lower())
        if language and quality > 0:
            return language
    return ENGLISH
