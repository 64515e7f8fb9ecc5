"""A page of the page cache, plain and compressed, and how it is sent to each request."""

import gzip
from collections.abc import Iterable
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from werkzeug.datastructures import Headers
from werkzeug.http import is_resource_modified, parse_accept_header, remove_entity_headers
from werkzeug.wrappers import Response

from voteweb.core.caches import cache_short
from voteweb.web.monitoring import request_record

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

HeaderList = list[tuple[str, str]]
#: All of a request on which the answer with a cached page depends, as the client has sent it.
DECIDING = (
    "REQUEST_METHOD", "wsgi.url_scheme", "HTTP_HOST", "PATH_INFO", "QUERY_STRING", "HTTP_COOKIE",
    "HTTP_ACCEPT_LANGUAGE", "HTTP_ACCEPT_ENCODING", "HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE",
)  # fmt: skip
SentRequest = tuple[str | None, ...]
#: Request headers that are parsed once.
_HEADER_CACHE_SIZE = 1_024


def sent_request(environ: "WSGIEnvironment") -> SentRequest:
    """Return all that decides how a cached page is sent to the request of *environ*."""
    return tuple(map(environ.get, DECIDING))


class Answer(NamedTuple):
    """A cached page as it is sent to requests that are the same in all that decides."""

    page: "CachedPage"
    status: str
    headers: HeaderList
    body: tuple[bytes, ...]

    def send(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Send this answer."""
        start_response(self.status, self.headers)
        return self.body

    def send_hit(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Send this answer to another request than the one that rendered the page, and record that."""
        request_record.record_hit(environ, self.page.route)
        return self.send(environ, start_response)


class CachedPage:
    """A page of a *route*, ready to be sent; it is valid before ``expires``, on the monotonic clock."""

    def __init__(self, response: Response, expires: float, route: str) -> None:
        self.expires = expires
        self.route = route
        self.requests: list[SentRequest] = []  # those whose answers are ready
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

    def answer(self, environ: "WSGIEnvironment") -> Answer:
        """Return how this page is sent to the request of *environ*: 304 if the client has it already."""
        if ("HTTP_IF_NONE_MATCH" in environ or "HTTP_IF_MODIFIED_SINCE" in environ) and not is_resource_modified(
            environ, self._tag, last_modified=self._last_modified
        ):
            headers = list(self._headers)
            remove_entity_headers(headers)
            return Answer(self, "304 Not Modified", headers, ())
        body, headers = self.body, self._plain_headers
        if _accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            body, headers = self._compressed
        return Answer(self, "200 OK", headers, () if environ["REQUEST_METHOD"] == "HEAD" else (body,))


# Takes 21 µs; a reader's page that is kept takes 25.
@cache_short(_HEADER_CACHE_SIZE)
def _accepts_gzip(accept_encoding: str) -> bool:
    return bool(accept_encoding) and parse_accept_header(accept_encoding).quality("gzip") > 0
