"""The outermost WSGI layer and the innermost: requests with too long an address or headers, or no valid host, end here.

Other layers remember what they have read of paths and headers, so that long ones would fill a worker's memory.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Flask

from voteweb.core import config, links

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

#: The characters of a name or an address, and of a port.
_HOST = re.compile(r"[0-9A-Za-z._:\[\]-]*[0-9A-Za-z._\]-]")
#: Characters of the longest name, and of a port with its colon.
_MAX_HOST_LENGTH = 253 + 6
#: The protocol whose requests may name no host, as Granian and as others spell it. For any other protocol an empty host
#: is one that Granian could not read, since it is not ASCII.
_HOSTLESS = ("HTTP/1", "HTTP/1.0")
#: Hosts that are checked once; without VOTEWEB_SITE_URL a request can name any.
_HOST_CACHE_SIZE = 64
_MESSAGES = {
    HTTPStatus.BAD_REQUEST: "The request names no valid host.",
    HTTPStatus.REQUEST_URI_TOO_LONG: f"The address is longer than {config.MAX_URL_BYTES:,} bytes.",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: f"The headers are longer than {config.MAX_HEADER_BYTES:,} bytes. "
    "Deleting this site's cookies may help.",
}


def is_api(environ: "WSGIEnvironment") -> bool:
    """Tell whether a request is for the API, also in a version that there is not."""
    path: str = environ.get("PATH_INFO", "")
    return path.startswith("/api/v")


def limit_headers(app: Flask) -> None:
    """Make *app* refuse requests whose headers are too long in all; cached pages need not ask, which costs 3 us."""
    inner = app.wsgi_app

    def limited(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        length = sum(len(value) for name, value in environ.items() if name.startswith("HTTP_"))
        if length > config.MAX_HEADER_BYTES:
            return _refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, environ, start_response)
        return inner(environ, start_response)

    app.wsgi_app = limited  # type: ignore[method-assign]


def init_app(app: Flask) -> None:
    """Wrap *app*, with all WSGI layers that it has so far, in the layer that checks what they remember.

    It answers 414 to a long address, 431 to long headers that a layer remembers, 400 to no host.
    """
    inner = app.wsgi_app

    def bounded(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        get = environ.get
        if is_api(environ):  # whatever a browser sends along is no token
            environ.pop("HTTP_COOKIE", None)
        if len(get("PATH_INFO", "")) + len(get("QUERY_STRING", "")) > config.MAX_URL_BYTES:
            return _refuse(HTTPStatus.REQUEST_URI_TOO_LONG, environ, start_response)
        remembered = (get("HTTP_COOKIE", ""), get("HTTP_ACCEPT_LANGUAGE", ""), get("HTTP_ACCEPT_ENCODING", ""))
        if sum(map(len, remembered)) > config.MAX_HEADER_BYTES:
            return _refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, environ, start_response)
        host = get("HTTP_HOST", "")
        must_name_host = host or get("SERVER_PROTOCOL") not in _HOSTLESS
        if must_name_host and (len(host) > _MAX_HOST_LENGTH or not _is_valid_host(host)):
            return _refuse(HTTPStatus.BAD_REQUEST, environ, start_response)
        return inner(environ, start_response)

    app.wsgi_app = bounded  # type: ignore[method-assign]


def _refuse(status: HTTPStatus, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    body = f"{status.value} {status.phrase}\n\n{_MESSAGES[status]}\n".encode()
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        **({"Access-Control-Allow-Origin": "*"} if is_api(environ) else {}),
    }
    start_response(f"{status.value} {status.phrase}", list(headers.items()))
    return () if environ["REQUEST_METHOD"] == "HEAD" else (body,)


# Takes 8 µs; a reader's page that is kept takes 25.
@lru_cache(maxsize=_HOST_CACHE_SIZE)
def _is_valid_host(host: str) -> bool:
    """Tell whether *host* is well-formed."""
    return _HOST.fullmatch(host) is not None and bool(links.host_of(f"http://{host}/"))
