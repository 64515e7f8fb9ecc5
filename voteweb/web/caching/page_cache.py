"""Readers' pages, answered before Flask: whoever asks, each is made once in a while and kept until then.

Only what is the same for everybody without a session is kept, and only what the site answered in full: a page of
its own for each language, host and page number, and nothing for queries that the site does not link to.
"""

import gzip
import re
from collections.abc import Iterable
from concurrent.futures import Future
from functools import cached_property, lru_cache
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.http import is_resource_modified, parse_accept_header, parse_cookie, remove_entity_headers
from werkzeug.wrappers import Response

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.web.i18n import locale
from voteweb.web.monitoring import request_record

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

#: The queries that lists link to; what follows other question marks is for Flask to understand.
_QUERY = re.compile("page=[1-9][0-9]{0,8}")
#: What makes an answer partial or empty; the page itself is always made in full.
_CONDITIONS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_RANGE", "HTTP_IF_RANGE")
#: Files have addresses of their own for every version, so that browsers ask for them once.
_FILES = "/static/"

Key = tuple[str, str, str, str, str]
HeaderList = list[tuple[str, str]]


def init_app(app: Flask, settings: Settings) -> None:
    """Wrap *app* in the page cache, unless *settings* switch it off."""
    if settings.page_seconds:
        cookie_name = app.config["SESSION_COOKIE_NAME"]
        app.wsgi_app = PageCache(app.wsgi_app, settings.page_seconds, cookie_name)  # type: ignore[method-assign]


class CachedPage:
    """One page of a *route*, ready to be sent: ``until`` is when it is too old, on the monotonic clock."""

    def __init__(self, response: Response, until: float, route: str) -> None:
        self.until = until
        self._route = route
        self.body = response.get_data()
        headers = Headers(response.headers)
        headers.remove("Content-Length")
        headers.remove(request_record.HEADER)  # it is that of the request for which the page was made
        # Weak: the plain and the compressed page are one page in two wrappings.
        tag = headers.get("ETag") or f'"{sha256(self.body).hexdigest()[:32]}"'
        headers["ETag"] = self.tag = tag if tag.startswith("W/") else f"W/{tag}"
        varies = [word for word in (headers.get("Vary"), "Accept-Encoding") if word]
        headers["Vary"] = ", ".join(varies)
        self.changed = headers.get("Last-Modified")
        self._headers = headers.to_wsgi_list()
        self._whole = [*self._headers, ("Content-Length", str(len(self.body)))]

    @cached_property
    def _compressed(self) -> tuple[bytes, HeaderList]:
        body = gzip.compress(self.body, mtime=0)
        return body, [*self._headers, ("Content-Encoding", "gzip"), ("Content-Length", str(len(body)))]

    def reuse(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer another request than the one it was made for, as :meth:`send` does, and note it."""
        note = request_record.get(environ)
        note.route, note.page = self._route, request_record.HIT
        return self.send(environ, start_response)

    def send(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request with this page, or with 304 where the asker has it already."""
        if ("HTTP_IF_NONE_MATCH" in environ or "HTTP_IF_MODIFIED_SINCE" in environ) and not is_resource_modified(
            environ, self.tag, last_modified=self.changed
        ):
            headers = list(self._headers)
            remove_entity_headers(headers)
            start_response("304 Not Modified", headers)
            return ()
        body, headers = self.body, self._whole
        if _takes_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            body, headers = self._compressed
        start_response("200 OK", headers)
        return () if environ["REQUEST_METHOD"] == "HEAD" else (body,)


class PageCache:
    """A WSGI layer that keeps readers' pages for some *seconds*, counted from when their making began.

    Requests with the cookie *session* pass through, and so does all that is no page. One page is made once at a
    time: whoever asks meanwhile waits for it. At most PAGES_KEPT pages and PAGES_KEPT_BYTES are kept.
    """

    def __init__(self, app: "WSGIApplication", seconds: float, session: str) -> None:
        self._app = app
        self._seconds = seconds
        self._session = f"{session}="
        self._lock = Lock()
        self._pages: dict[Key, CachedPage] = {}  # the oldest first
        self._bytes = 0
        self._makings: dict[Key, Future[CachedPage | None]] = {}

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer with a kept page where there may be one, else let the site answer."""
        key = self._key(environ)
        if key is None:
            return self._app(environ, start_response)
        page = self._pages.get(key)
        if page is not None and monotonic() < page.until:
            return page.reuse(environ, start_response)
        with self._lock:
            making = self._makings.get(key)
            mine = None if making else self._makings.setdefault(key, Future())
        if mine is not None:
            return self._make(key, mine, environ)(environ, start_response)
        page = making.result() if making else None
        # What could not be kept may be for one asker only, or a failure: everybody who waited asks for their own.
        return (page.reuse if page else self._app)(environ, start_response)

    def _key(self, environ: "WSGIEnvironment") -> Key | None:
        """Return what makes this request's page one of its own, None where the request must pass through."""
        query, cookies = environ.get("QUERY_STRING", ""), environ.get("HTTP_COOKIE", "")
        path = environ.get("PATH_INFO", "")
        if (
            environ["REQUEST_METHOD"] not in ("GET", "HEAD")
            or (query and not _QUERY.fullmatch(query))
            or (cookies and self._session in cookies)
            or path.startswith(_FILES)
        ):
            return None
        spoken = _language(cookies, environ.get("HTTP_ACCEPT_LANGUAGE", ""))
        return environ["wsgi.url_scheme"], environ.get("HTTP_HOST", ""), path, query, spoken

    def _make(self, key: Key, mine: "Future[CachedPage | None]", environ: "WSGIEnvironment") -> "WSGIApplication":
        """Return what answers this request: the page that the site makes, kept if it may be."""
        whole = {name: value for name, value in environ.items() if name not in _CONDITIONS}
        page, until = None, monotonic() + self._seconds
        try:
            response = Response.from_app(self._app, whole | {"REQUEST_METHOD": "GET"}, buffered=True)
            if _may_be_kept(response):
                note = request_record.get(environ)
                note.page = request_record.MISS
                page = CachedPage(response, until, note.route)
        finally:
            with self._lock:
                if page:
                    self._keep(key, page)
                del self._makings[key]
            mine.set_result(page)
        return page.send if page else response

    def _keep(self, key: Key, page: CachedPage) -> None:
        self._drop(key)
        self._pages[key] = page
        self._bytes += len(page.body)
        now = monotonic()
        for oldest in list(self._pages):
            if (
                self._pages[oldest].until > now
                and len(self._pages) <= config.PAGE_CACHE_SIZE
                and self._bytes <= config.PAGE_CACHE_BYTES
            ):
                break
            self._drop(oldest)

    def _drop(self, key: Key) -> None:
        page = self._pages.pop(key, None)
        self._bytes -= len(page.body) if page else 0


def _may_be_kept(response: Response) -> bool:
    control = response.cache_control
    return (
        response.status_code == 200
        and "Set-Cookie" not in response.headers
        and not (control.no_store or control.private)
        and len(response.get_data()) <= config.PAGE_CACHE_BYTES // 16
    )


@lru_cache(maxsize=1024)
def _takes_gzip(accepted: str) -> bool:
    return bool(accepted) and parse_accept_header(accepted).quality("gzip") > 0


@lru_cache(maxsize=1024)
def _language(cookies: str, accepted: str) -> str:
    return locale.choose(parse_cookie(cookies).get(locale.COOKIE, ""), accepted).code
