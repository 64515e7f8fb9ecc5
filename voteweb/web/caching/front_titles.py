"""Titles of the front page beside an article: the way on for whoever came for this one.

The process reads them with the switches, once a second. They are put into each answer, and are no part of what is kept
of a page: what is removed, held or renamed is gone from all pages within that second.
"""

from collections.abc import Callable

from flask import request
from markupsafe import Markup

from voteweb.core import config
from voteweb.core.models import Article
from voteweb.web.auth.login import viewer
from voteweb.web.base.context import request_app, request_globals, store
from voteweb.web.caching import own_parts
from voteweb.web.caching.fragment_cache import cached
from voteweb.web.caching.own_marks import not_hidden
from voteweb.web.i18n import locale

#: The viewer's part of a page for all members, and the key in the environment of a request for a reader's page: a list,
#: which gets the titles as they are in the page, and what returns them as they are later.
FRONT, IN_PAGE = "front", "voteweb.front_titles"


def beside(id: int) -> Markup:
    """Return the titles beside article *id*, none of them its own or hidden by the viewer; empty if there are none."""
    if mark := own_parts.own(FRONT):
        return mark
    titles = _render(id, not_hidden(store().context.front))
    if titles and viewer() is None and IN_PAGE in request.environ:
        request.environ[IN_PAGE].extend((titles.encode(), _reader_of(id)))
    return titles


def _render(id: int, articles: tuple[Article, ...]) -> Markup:
    titles = tuple((article.id, article.title) for article in articles if article.id != id)[: config.FRONT_TITLES]
    return cached("articles/_parts.html#front_titles", titles=titles) if titles else Markup()


def _reader_of(id: int) -> Callable[[], bytes]:
    """Return what returns the titles beside article *id* for a reader, in the language of this request, at any time."""
    app, language, site = request_app(), locale.current(), store().context
    known: tuple[tuple[Article, ...] | None, bytes] = (None, b"")

    def read() -> bytes:
        nonlocal known
        if (front := site.front) is not known[0]:
            with app.app_context():
                request_globals().language = language
                known = front, _render(id, front).encode()
        return known[1]

    return read
