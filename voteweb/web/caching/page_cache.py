"""The page cache: a WSGI layer that answers requests for readers' pages before they reach Flask.

It caches only complete responses that are the same for every client without a session, one for each combination of
language, host and page number, and none for queries that the site does not link to.
"""

import gzip
import re
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.http import is_resource_modified, parse_accept_header, remove_entity_headers
from werkzeug.sansio.http import parse_cookie
from werkzeug.wrappers import Response

from voteweb.core import config, rate_limits
from voteweb.core.caches import BoundedCache, cache_short
from voteweb.core.settings import Settings
from voteweb.web.auth import sessions
from voteweb.web.base import request_bounds
from voteweb.web.caching import front_titles
from voteweb.web.i18n import locale
from voteweb.web.monitoring import request_record
from voteweb.web.requests import site_switches

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

#: The queries that lists and conversations link to; Flask answers all others.
_PAGE = f"page=[1-9][0-9]{{0,{config.MAX_PAGE_DIGITS - 1}}}(&from={config.TIME_PATTERN})?"
_QUERY = re.compile(f"{_PAGE}|order=(time|new)(&{_PAGE})?|of=(day|week|month|year|all)(&{_PAGE})?")
#: The queries with which programs ask for the first page of a list, in any order.
_API_QUERY = re.compile(r"((^|&)(order|period|group|domain|member|limit)=[\w%+.-]{1,100})+", re.ASCII)
#: Headers that ask for an empty or partial response; the page to be cached is rendered without them.
_CONDITIONS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_RANGE", "HTTP_IF_RANGE")
#: Static files have a URL for each version, so that browsers request them only once.
STATIC_PATH = "/static/"
#: The variable of a request for a page that a worker has rendered in the last COLD_SECONDS, for whomever.
IS_WARM = "voteweb.is_warm"
#: Of gzip's levels, 9 takes 2.4 s for 1 MB of two letters in random order, and this one 0.03 s. Lists are 0.5 % longer
#: by it, conversations 3 %.
_GZIP_LEVEL = 5
#: A page that takes more than this part of the cache is not cached: it would displace too many others.
_MAX_PAGE_SHARE = 1 / 16
#: Request headers that are parsed once.
_HEADER_CACHE_SIZE = 1_024

#: Scheme, host, path, query and language.
Key = tuple[str, str | None, str, str, str]


def init_app(app: Flask, settings: Settings) -> "PageCache | None":
    """Wrap *app* in the page cache, which is returned, unless *settings* switch it off."""
    if not settings.page_seconds:
        return None
    switches = partial(site_switches.known_to, app)
    cache = PageCache(app.wsgi_app, settings.page_seconds, sessions.cookie_name(settings), switches)
    app.wsgi_app = cache  # type: ignore[method-assign]
    return cache


class _Content:
    """A page as it is sent with *headers*: whole and compressed."""

    def __init__(self, body: bytes, headers: list[tuple[str, str]]) -> None:
        self._headers = headers
        self.plain = body, [*headers, ("Content-Length", str(len(body)))]
        self._compressed: tuple[bytes, list[tuple[str, str]]] | None = None
        #: That of functools.cached_property is one for all pages before Python 3.12.
        self._lock = Lock()

    @property
    def compressed(self) -> tuple[bytes, list[tuple[str, str]]]:
        with self._lock:
            if self._compressed is None:
                body = gzip.compress(self.plain[0], _GZIP_LEVEL, mtime=0)
                headers = [*self._headers, ("Content-Encoding", "gzip"), ("Content-Length", str(len(body)))]
                self._compressed = body, headers
            return self._compressed


class CachedPage:
    """A page of a *route*, ready to be sent.

    It is valid before ``expires``, on the monotonic clock, as long as the site has the ``switches`` under which it was
    rendered. It is sent with what *read* returns then in place of its part *titles*.
    """

    switches: object = None

    def __init__(
        self, response: Response, expires: float, route: str, titles: bytes = b"", read: Callable[[], bytes] = bytes
    ) -> None:
        self.expires = expires
        self.route = route
        self.body = response.get_data()
        headers = Headers(response.headers)
        headers.remove("Content-Length")
        # No text of a member has such an element: the first place in the page is theirs.
        self._before, _, self._after = self.body.partition(titles) if titles else (self.body, b"", b"")
        # A weak tag: the plain and the compressed body are two encodings of one page.
        tag = headers.get("ETag") or f'"{sha256(self._before + self._after).hexdigest()[:32]}"'
        headers["ETag"] = self._tag = tag if tag.startswith("W/") else f"W/{tag}"
        headers["Vary"] = ", ".join(name for name in (headers.get("Vary"), "Accept-Encoding") if name)
        self._last_modified = headers.get("Last-Modified")
        self._headers = headers.to_wsgi_list()
        self._read, self._sent = read, (titles, _Content(self.body, self._headers))

    def _content(self) -> _Content:
        """Return what is sent now: it is made anew once the titles are others."""
        shown, content = self._sent
        if (titles := self._read()) != shown:
            content = _Content(self._before + titles + self._after, self._headers)
            self._sent = titles, content
        return content

    def is_expired(self) -> bool:
        return monotonic() >= self.expires

    def send(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Send this page to the request of *environ*: 304 if the client has it already."""
        if ("HTTP_IF_NONE_MATCH" in environ or "HTTP_IF_MODIFIED_SINCE" in environ) and not is_resource_modified(
            environ, self._tag, last_modified=self._last_modified
        ):
            headers = list(self._headers)
            remove_entity_headers(headers)
            start_response("304 Not Modified", headers)
            return ()
        content, is_compressed = self._content(), _accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", ""))
        body, headers = content.compressed if is_compressed else content.plain
        start_response("200 OK", headers)
        return () if environ["REQUEST_METHOD"] == "HEAD" else (body,)

    def send_hit(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Send this page to another request than the one that rendered it, and record that."""
        request_record.record_hit(environ, self.route)
        return self.send(environ, start_response)


# Takes 21 µs; a reader's page that is kept takes 25.
@cache_short(_HEADER_CACHE_SIZE)
def _accepts_gzip(accept_encoding: str) -> bool:
    return bool(accept_encoding) and parse_accept_header(accept_encoding).quality("gzip") > 0


class PageCache:
    """A WSGI layer that caches readers' pages for *seconds* from when their rendering began.

    Requests with the *session_cookie*, and requests for anything but pages, pass through. A page is rendered
    by one request at a time; others wait for it. At most PAGE_CACHE_SIZE pages and PAGE_CACHE_BYTES are cached. A page
    ends once *switches* returns another object.
    """

    def __init__(
        self, app: "WSGIApplication", seconds: float, session_cookie: str, switches: Callable[[], object] = bool
    ) -> None:
        self._app = app
        self._switches = switches
        self._seconds = seconds
        self._session_cookie = session_cookie
        self._lock = Lock()
        #: Pages for *seconds*: a busy site renders each once a second, which takes 300 times as long as to send it.
        self._cached: BoundedCache[Key, CachedPage] = BoundedCache(config.PAGE_CACHE_BYTES)
        #: When each page that was cached gets cold, and the network whose reads it was counted against, for which it is
        #: cold: it could else have many pages rendered once a second. A page that is rendered again meanwhile stays
        #: warm no longer: who has no reads left could keep any number of pages warm.
        self._warm: BoundedCache[Key, tuple[float, str | None]] = BoundedCache(config.WARM_PAGES)
        #: Pages that are rendered now. Without waiting for them, 16 connections that ask for the front page take 8 %
        #: more processor time, and the slowest answers after a start come twice as late.
        self._pending: dict[Key, Future[CachedPage | None]] = {}

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer with a cached page if there is one, else by the app."""
        key = self._key(environ)
        return (self._hit(key) or self._find(key, environ))(environ, start_response)

    def before(self, app: "WSGIApplication") -> "WSGIApplication":
        """Return a layer that answers with a cached page if there is one, else by *app*, which has this cache."""
        return lambda environ, start_response: (self._hit(self._key(environ)) or app)(environ, start_response)

    def _hit(self, key: Key | None) -> "WSGIApplication | None":
        """Return what sends the page that is cached under *key*."""
        page = self._cached.get(key) if key else None
        is_valid = page and not page.is_expired() and page.switches is self._switches()
        return page.send_hit if page and is_valid else None

    def _find(self, key: Key | None, environ: "WSGIEnvironment") -> "WSGIApplication":
        """Return what answers the request of *environ*, for which no page is cached under *key*."""
        if key is None or not is_cached_address(environ) or environ.get("PATH_INFO", "").startswith(STATIC_PATH):
            return self._app
        with self._lock:
            pending = self._pending.get(key)
            future = None if pending else self._pending.setdefault(key, Future())
        if future is not None:
            return self._render(key, future, environ)
        page = pending.result() if pending else None
        # A response that was not cached may be for one client only, or a failure: each waiting request asks the app.
        return page.send_hit if page else self._app

    def _key(self, environ: "WSGIEnvironment") -> Key | None:
        """Return the key of the requested page, whether it is kept or not; None for a form, or a member."""
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD") or (
            "HTTP_AUTHORIZATION" in environ and request_bounds.is_api(environ)
        ):
            return None
        accepted = environ.get("HTTP_ACCEPT_LANGUAGE", "")
        language = _reader_language(environ.get("HTTP_COOKIE", ""), accepted, self._session_cookie)
        return page_key(environ, language) if language is not None else None

    def _render(self, key: Key, future: "Future[CachedPage | None]", environ: "WSGIEnvironment") -> "WSGIApplication":
        """Return the response of the app and cache it if possible; *future* gives the page to waiting requests."""
        unconditional = {name: value for name, value in environ.items() if name not in _CONDITIONS}
        began = monotonic()
        page, expires, switches, titles = None, began + self._seconds, self._switches(), list[Any]()
        (until, payer), reader = self._warm.get(key) or (0.0, ""), rate_limits.network(environ.get("REMOTE_ADDR"))
        is_warm = began < until and reader != payer
        try:
            unconditional |= {"REQUEST_METHOD": "GET", front_titles.IN_PAGE: titles}
            if is_warm:
                unconditional[IS_WARM] = True
            response = Response.from_app(self._app, unconditional, buffered=True)
            if _is_cacheable(response):
                record = request_record.get(environ)
                record.cache_status = request_record.MISS
                page = CachedPage(response, expires, record.route, *titles)
                page.switches = switches
            if bool(page) is not is_warm:  # one that is not cached any more is rendered for each request
                self._warm.put(key, (began + config.COLD_SECONDS if page else 0.0, reader))
        finally:
            with self._lock:
                if page:
                    self._cached.drop_oldest(CachedPage.is_expired)
                    # A short page counts as a longer one, so that there are no more than PAGE_CACHE_SIZE.
                    least = config.PAGE_CACHE_BYTES // config.PAGE_CACHE_SIZE
                    self._cached.put(key, page, max(len(page.body), least))
                del self._pending[key]
            future.set_result(page)
        return page.send if page else response


def _is_cacheable(response: Response) -> bool:
    control = response.cache_control
    return (
        response.status_code == 200
        and "Set-Cookie" not in response.headers
        and not (control.no_store or control.private)
        and len(response.get_data()) <= config.PAGE_CACHE_BYTES * _MAX_PAGE_SHARE
    )


def is_cached_address(environ: "WSGIEnvironment") -> bool:
    """Tell whether a page is cached under the address that *environ* requests: without a query or with a linked one."""
    is_short, query = len(environ.get("PATH_INFO", "")) <= config.MAX_CACHED_LENGTH, environ.get("QUERY_STRING", "")
    linked = _API_QUERY if query and request_bounds.is_api(environ) else _QUERY
    return is_short and (not query or linked.fullmatch(query) is not None)


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
