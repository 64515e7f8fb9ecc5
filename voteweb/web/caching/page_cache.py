"""The page cache: a WSGI layer that answers requests for readers' pages before they reach Flask.

It caches only complete responses that are the same for every client without a session, one for each combination of
language, host and page number, and none for queries that the site does not link to.
"""

import gzip
import re
from collections.abc import Iterable
from concurrent.futures import Future
from functools import cached_property
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.http import is_resource_modified, parse_accept_header, remove_entity_headers
from werkzeug.sansio.http import parse_cookie
from werkzeug.wrappers import Response

from voteweb.core import config
from voteweb.core.caches import cache_short
from voteweb.core.config import Settings
from voteweb.web.auth import sessions
from voteweb.web.i18n import locale
from voteweb.web.monitoring import request_record

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

#: The queries that lists and conversations link to; Flask answers all others.
_PAGE = f"page=[1-9][0-9]{{0,{config.MAX_PAGE_DIGITS - 1}}}"
_QUERY = re.compile(f"{_PAGE}|order=(time|new)(&{_PAGE})?|of=(day|week|month|year|all)(&{_PAGE})?")
#: Headers that ask for an empty or partial response; the page to be cached is rendered without them.
_CONDITIONS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_RANGE", "HTTP_IF_RANGE")
#: Static files have a URL for each version, so that browsers request them only once.
_STATIC_PATH = "/static/"
#: A page that takes more than this part of the cache is not cached: it would displace too many others.
_MAX_PAGE_SHARE = 1 / 16
#: Request headers that are parsed once.
_HEADER_CACHE_SIZE = 1_024

#: Scheme, host, path, query and language.
Key = tuple[str, str, str, str, str]
HeaderList = list[tuple[str, str]]


def init_app(app: Flask, settings: Settings) -> None:
    """Wrap *app* in the page cache, unless *settings* switch it off."""
    if settings.page_seconds:
        names = sessions.cookie_names(settings)
        app.wsgi_app = PageCache(app.wsgi_app, settings.page_seconds, *names)  # type: ignore[method-assign]


class CachedPage:
    """A page of a *route*, ready to be sent; it is valid before ``expires``, on the monotonic clock."""

    def __init__(self, response: Response, expires: float, route: str) -> None:
        self.expires = expires
        self._route = route
        self.body = response.get_data()
        headers = Headers(response.headers)
        headers.remove("Content-Length")
        headers.remove(request_record.HEADER)  # it belongs to the request for which the page was rendered
        # A weak tag: the plain and the compressed body are two encodings of one page.
        tag = headers.get("ETag") or f'"{sha256(self.body).hexdigest()[:32]}"'
        headers["ETag"] = self._tag = tag if tag.startswith("W/") else f"W/{tag}"
        headers["Vary"] = ", ".join(name for name in (headers.get("Vary"), "Accept-Encoding") if name)
        self._last_modified = headers.get("Last-Modified")
        self._headers = headers.to_wsgi_list()
        self._plain_headers = [*self._headers, ("Content-Length", str(len(self.body)))]

    @cached_property
    def _compressed(self) -> tuple[bytes, HeaderList]:
        body = gzip.compress(self.body, mtime=0)
        return body, [*self._headers, ("Content-Encoding", "gzip"), ("Content-Length", str(len(body)))]

    def send_hit(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Send this page as :meth:`send` does, for another request than the one that rendered it, and record that."""
        record = request_record.get(environ)
        record.route, record.cache_status = self._route, request_record.HIT
        return self.send(environ, start_response)

    def send(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Send this page, or 304 if the client has it already."""
        if ("HTTP_IF_NONE_MATCH" in environ or "HTTP_IF_MODIFIED_SINCE" in environ) and not is_resource_modified(
            environ, self._tag, last_modified=self._last_modified
        ):
            headers = list(self._headers)
            remove_entity_headers(headers)
            start_response("304 Not Modified", headers)
            return ()
        body, headers = self.body, self._plain_headers
        if _accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            body, headers = self._compressed
        start_response("200 OK", headers)
        return () if environ["REQUEST_METHOD"] == "HEAD" else (body,)


class PageCache:
    """A WSGI layer that caches readers' pages for *seconds* from when their rendering began.

    Requests with one of the *session_cookies*, and requests for anything but pages, pass through. A page is rendered
    by one request at a time; others wait for it. At most PAGE_CACHE_SIZE pages and PAGE_CACHE_BYTES are cached.
    """

    def __init__(self, app: "WSGIApplication", seconds: float, *session_cookies: str) -> None:
        self._app = app
        self._seconds = seconds
        self._session_cookies = frozenset(session_cookies)
        self._lock = Lock()
        self._cached: dict[Key, CachedPage] = {}  # the oldest first
        self._cached_bytes = 0
        self._pending: dict[Key, Future[CachedPage | None]] = {}

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer with a cached page if there is one, else by the app."""
        key = self._key(environ)
        if key is None:
            return self._app(environ, start_response)
        page = self._cached.get(key)
        if page is not None and monotonic() < page.expires:
            return page.send_hit(environ, start_response)
        with self._lock:
            pending = self._pending.get(key)
            future = None if pending else self._pending.setdefault(key, Future())
        if future is not None:
            return self._render(key, future, environ)(environ, start_response)
        page = pending.result() if pending else None
        # A response that was not cached may be for one client only, or a failure: each waiting request asks the app.
        return (page.send_hit if page else self._app)(environ, start_response)

    def _key(self, environ: "WSGIEnvironment") -> Key | None:
        """Return the key of the requested page, None for a request that passes through."""
        query, path = environ.get("QUERY_STRING", ""), environ.get("PATH_INFO", "")
        if (
            environ["REQUEST_METHOD"] not in ("GET", "HEAD")
            or not is_linked_query(query)
            or path.startswith(_STATIC_PATH)
            or len(path) > config.MAX_CACHED_LENGTH
        ):
            return None
        accepted = environ.get("HTTP_ACCEPT_LANGUAGE", "")
        language = _reader_language(environ.get("HTTP_COOKIE", ""), accepted, self._session_cookies)
        if language is None:
            return None
        return environ["wsgi.url_scheme"], environ.get("HTTP_HOST", ""), path, query, language

    def _render(self, key: Key, future: "Future[CachedPage | None]", environ: "WSGIEnvironment") -> "WSGIApplication":
        """Return the response of the app and cache it if possible; *future* gives the page to waiting requests."""
        unconditional = {name: value for name, value in environ.items() if name not in _CONDITIONS}
        page, expires = None, monotonic() + self._seconds
        try:
            response = Response.from_app(self._app, unconditional | {"REQUEST_METHOD": "GET"}, buffered=True)
            if _is_cacheable(response):
                record = request_record.get(environ)
                record.cache_status = request_record.MISS
                page = CachedPage(response, expires, record.route)
        finally:
            with self._lock:
                if page:
                    self._add(key, page)
                del self._pending[key]
            future.set_result(page)
        return page.send if page else response

    def _add(self, key: Key, page: CachedPage) -> None:
        self._remove(key)
        self._cached[key] = page
        self._cached_bytes += len(page.body)
        now = monotonic()
        for oldest in list(self._cached):
            if (
                self._cached[oldest].expires > now
                and len(self._cached) <= config.PAGE_CACHE_SIZE
                and self._cached_bytes <= config.PAGE_CACHE_BYTES
            ):
                break
            self._remove(oldest)

    def _remove(self, key: Key) -> None:
        page = self._cached.pop(key, None)
        self._cached_bytes -= len(page.body) if page else 0


def _is_cacheable(response: Response) -> bool:
    control = response.cache_control
    return (
        response.status_code == 200
        and "Set-Cookie" not in response.headers
        and not (control.no_store or control.private)
        and len(response.get_data()) <= config.PAGE_CACHE_BYTES * _MAX_PAGE_SHARE
    )


def is_linked_query(query: str) -> bool:
    """Tell whether a page is kept under *query*: under none, or one that lists and conversations link to."""
    return not query or _QUERY.fullmatch(query) is not None


@cache_short(_HEADER_CACHE_SIZE)
def _accepts_gzip(accept_encoding: str) -> bool:
    return bool(accept_encoding) and parse_accept_header(accept_encoding).quality("gzip") > 0


@cache_short(_HEADER_CACHE_SIZE)
def _reader_language(header: str, accept_language: str, session_cookies: frozenset[str]) -> str | None:
    """Return the code of a reader's language; None if the *header* Cookie, read as Flask reads it, has a session."""
    cookies = parse_cookie(header)
    if not session_cookies.isdisjoint(cookies):
        return None
    return locale.negotiate(cookies.get(locale.COOKIE, ""), accept_language).code
