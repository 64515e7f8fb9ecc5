"""How the site is found: absolute addresses, and the one address under which search engines know a page."""

from functools import lru_cache
from typing import Any

from flask import Flask, request, url_for
from werkzeug.sansio.utils import get_current_url

from voteweb.login import settings

#: The pages that search engines may show. Nobody without an account sees the form to post: it leads to log-in.
_SHOWN = {"articles.good", "articles.show", "articles.submit", "groups.index", "status.about"}
#: Those of them that go on, page by page.
_PAGED = {"articles.front", "articles.new", "groups.by_score", "groups.by_time", "users.show", "log.index"}
#: What makes another list of one of them, which search engines need not know.
_FILTERS = {"log.index": ("who", "kind")}
_KNOWN = _SHOWN | _PAGED


def init_app(app: Flask) -> None:
    """Give the templates of *app* the functions of this module."""
    app.jinja_env.globals.update(absolute=absolute, canonical=canonical)


def absolute(path: str = "/") -> str:
    """Return the full address of a *path* of this site: under the public address, or the one that was asked for."""
    return (settings().site_url.rstrip("/") or _asked(request.scheme, request.host)) + path


@lru_cache(maxsize=64)
def _asked(scheme: str, host: str) -> str:
    return get_current_url(scheme, host).rstrip("/")


def canonical(**known_as: str) -> str:
    """Return the one full address of this page; "" for a page that search engines should not show.

    *known_as* holds the true spelling of parts of the address. Of the query only the page's number is kept.
    """
    endpoint = request.endpoint or ""
    if endpoint not in _KNOWN or any(request.args.get(name) for name in _FILTERS.get(endpoint, ())):
        return ""
    values: dict[str, Any] = {**(request.view_args or {}), **known_as}
    number = request.args.get("page", "1") if endpoint in _PAGED else "1"
    path = url_for(endpoint, **values) if values else request.path
    return absolute(path + (f"?page={number}" if number != "1" else ""))
