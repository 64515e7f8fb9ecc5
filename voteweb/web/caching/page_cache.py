"""The page cache: a WSGI layer that answers requests for readers' pages before they reach Flask.

It caches only complete responses that are the same for every client without a session, one for each combination of
language, host and page number, and none for queries that the site does not link to.
"""

import re
from collections.abc import Iterable
from concurrent.futures import Future
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.sansio.http import parse_cookie
from werkzeug.wrappers import Response

from voteweb.core import config
from voteweb.core.caches import cache_short
from voteweb.core.config import Settings
from voteweb.web.auth import sessions
from voteweb.web.caching.cached_page import Answer, CachedPage, SentRequest, sent_request
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
Key = tuple[str, str | None, str, str, str]
#: Different requests for one page whose answers are ready, and those for all pages, at about a kilobyte each: a second
#: sees few more.
_MAX_PAGE_ANSWERS, _MAX_ANSWERS = 64, 4_096


def init_app(app: Flask, settings: Settings) -> None:
    """Wrap *app* in the page cache, unless *settings* switch it off."""
    if settings.page_seconds:
        cookie = sessions.cookie_name(settings)
        app.wsgi_app = PageCache(app.wsgi_app, settings.page_seconds, cookie)  # type: ignore[method-assign]


class PageCache:
    """A WSGI layer that caches readers' pages for *seconds* from when their rendering began.

    Requests with the *session_cookie*, and requests for anything but pages, pass through. A page is rendered
    by one request at a time; others wait for it. At most PAGE_CACHE_SIZE pages and PAGE_CACHE_BYTES are cached.
    """

    def __init__(self, app: "WSGIApplication", seconds: float, session_cookie: str) -> None:
        self._app = app
        self._seconds = seconds
        self._session_cookie = session_cookie
        self._lock = Lock()
        self._cached: dict[Key, CachedPage] = {}  # the oldest first
        self._cached_bytes = 0
        self._pending: dict[Key, Future[CachedPage | None]] = {}
        self._answers: dict[SentRequest, Answer] = {}  # of cached pages only

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer with a cached page if there is one, else by the app."""
        answer = self._answers.get(sent_request(environ))
        if answer is not None and monotonic() < answer.page.expires:
            return answer.send_hit(environ, start_response)
        return self._find(environ)(environ, start_response)

    def _find(self, environ: "WSGIEnvironment") -> "WSGIApplication":
        """Return what answers the request of *environ*."""
        key = self._key(environ)
        if key is None:
            return self._app
        page = self._cached.get(key)
        if page is not None and monotonic() < page.expires:
            return self._keep_answer(key, page, environ).send_hit
        with self._lock:
            pending = self._pending.get(key)
            future = None if pending else self._pending.setdefault(key, Future())
        if future is not None:
            return self._render(key, future, environ)
        page = pending.result() if pending else None
        # A response that was not cached may be for one client only, or a failure: each waiting request asks the app.
        return page.answer(environ).send_hit if page else self._app

    def _key(self, environ: "WSGIEnvironment") -> Key | None:
        """Return the key of the requested page, None for a request that passes through."""
        is_read = environ["REQUEST_METHOD"] in ("GET", "HEAD")
        if not is_read or not is_cached_address(environ) or environ.get("PATH_INFO", "").startswith(_STATIC_PATH):
            return None
        accepted = environ.get("HTTP_ACCEPT_LANGUAGE", "")
        language = _reader_language(environ.get("HTTP_COOKIE", ""), accepted, self._session_cookie)
        return page_key(environ, language) if language is not None else None

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
        return page.answer(environ).send if page else response

    def _keep_answer(self, key: Key, page: CachedPage, environ: "WSGIEnvironment") -> Answer:
        """Return the answer of *page* to the request of *environ*; an equal request gets it without being parsed."""
        answer, request = page.answer(environ), sent_request(environ)
        is_short = sum(len(text) for text in request if text) <= config.MAX_CACHED_LENGTH
        with self._lock:
            has_room = len(page.requests) < _MAX_PAGE_ANSWERS and len(self._answers) < _MAX_ANSWERS
            if is_short and has_room and self._cached.get(key) is page:
                page.requests.append(request)
                self._answers[request] = answer
        return answer

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
        if page:
            self._cached_bytes -= len(page.body)
            for request in page.requests:
                self._answers.pop(request, None)


def _is_cacheable(response: Response) -> bool:
    control = response.cache_control
    return (
        response.status_code == 200
        and "Set-Cookie" not in response.headers
        and not (control.no_store or control.private)
        and len(response.get_data()) <= config.PAGE_CACHE_BYTES * _MAX_PAGE_SHARE
    )


def is_linked_query(query: str) -> bool:
    """Tell whether a page is cached under *query*: under none, or one that lists and conversations link to."""
    return not query or _QUERY.fullmatch(query) is not None


def is_cached_address(environ: "WSGIEnvironment") -> bool:
    """Tell whether a page is cached under the address that *environ* requests."""
    is_short = len(environ.get("PATH_INFO", "")) <= config.MAX_CACHED_LENGTH
    return is_short and is_linked_query(environ.get("QUERY_STRING", ""))


def page_key(environ: "WSGIEnvironment", language: str) -> Key:
    """Return the key of the page that *environ* requests in the *language* with this code."""
    path, query = environ.get("PATH_INFO", ""), environ.get("QUERY_STRING", "")
    # An empty Host names no host; without one, a request is for the name of the server.
    return environ["wsgi.url_scheme"], environ.get("HTTP_HOST"), path, query, language


# Takes 6 µs; a reader's page that is kept takes 25.
@cache_short(_HEADER_CACHE_SIZE)
def _reader_language(header: str, accept_language: str, session_cookie: str) -> str | None:
    """Return the code of a reader's language; None if the *header* Cookie, read as Flask reads it, has a session."""
    cookies = parse_cookie(header)
    if session_cookie in cookies:
        return None
    return locale.negotiate(cookies.get(locale.COOKIE, ""), accept_language).code
