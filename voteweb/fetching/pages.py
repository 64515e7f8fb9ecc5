"""Fetch a web page: follow its redirects, checking each, and read its beginning."""

import re
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from ssl import VERIFY_X509_STRICT, SSLContext, create_default_context
from typing import Any, NamedTuple, cast

from voteweb.core import config, links
from voteweb.core.addresses import is_public_address
from voteweb.core.errors import NoTitle
from voteweb.fetching.connections import BoundedSocket, connect, resolve, start_tls

_REDIRECTS = (301, 302, 303, 307, 308)
_HTML = ("text/html", "application/xhtml+xml")
_HEAD_END = re.compile(rb"</head|<body", re.IGNORECASE)
_BLOCK = 16_384
#: Blocks that are read: a server can send each byte as a block, and each takes time.
_MAX_BLOCKS = 2_000
#: Bytes of the headers: Python takes 200 ms for a megabyte of line ends.
_MAX_HEADER_BYTES = 32_768
#: Characters of a Content-Type: Python takes the square of its length to find its parts.
_MAX_TYPE_LENGTH = 1_000


def browser_tls() -> SSLContext:
    """Return a context that checks the certificates of servers as browsers do.

    Browsers take those of an authority without key identifiers, which many companies have; Python 3.13 does not.
    """
    context = create_default_context()
    context.verify_flags &= ~VERIFY_X509_STRICT
    return context


_tls = cache(browser_tls)


@dataclass(frozen=True)
class Network:
    """The part of the network that may be reached, and how; all but the ``user_agent`` is for tests, no setting.

    ``resolve`` returns the addresses of a host.
    """

    user_agent: str
    resolve: Callable[[str, int], Sequence[str]] = resolve
    is_allowed: Callable[[str], bool] = is_public_address
    ports: frozenset[int] = frozenset({80, 443})
    tls: Callable[[], SSLContext] = _tls


class _Target(NamedTuple):
    scheme: str
    host: str
    port: int
    path: str


def fetch_page(network: Network, link: str, deadline: float) -> tuple[bytes, str]:
    """Return the beginning of the page at *link*, and its charset as far as the server names one.

    Raises NoTitle, OSError, HTTPException and ValueError.
    """
    for _ in range(1 + config.MAX_REDIRECTS):
        target = _parse(link, network.ports)
        addresses = network.resolve(target.host, target.port)
        # One address that is not public is enough: the owner of the name would only have to ask again.
        if not addresses or not all(map(network.is_allowed, addresses)):
            raise NoTitle(NoTitle.unreachable)
        connection = connect(addresses, target.port, deadline)
        with closing(connection):
            if target.scheme == "https":
                connection = start_tls(connection, network.tls(), target.host, deadline)
            with closing(connection):
                bounded = BoundedSocket(connection, deadline, _MAX_HEADER_BYTES)
                with _request(bounded, target, network) as response:
                    location = response.getheader("Location", "")
                    if response.status not in _REDIRECTS or not location:
                        bounded.bytes_left += config.MAX_FETCHED_BYTES
                        return _read_page(response)
        link = links.read(location.encode("latin-1").decode("utf-8", "replace"), link).href
    raise NoTitle(NoTitle.unreachable)


def _parse(link: str, ports: frozenset[int]) -> _Target:
    address = links.read(link)
    port = int(address.port or (443 if address.scheme == "https" else 80))
    if address.has_user or not address.host or port not in ports:
        raise NoTitle(NoTitle.unreachable)
    return _Target(address.scheme, address.host, port, address.path + (f"?{address.query}" if address.query else ""))


def _request(bounded: BoundedSocket, target: _Target, network: Network) -> HTTPResponse:
    client = HTTPConnection(target.host, target.port)
    if target.scheme == "https":  # whose port is not named beside the host
        client = HTTPSConnection(target.host, target.port, context=network.tls())
    client.sock = cast(Any, bounded)
    headers = {
        "User-Agent": network.user_agent,
        "Accept": "text/html, application/xhtml+xml",
        "Accept-Encoding": "gzip",
        "Connection": "close",
    }
    client.request("GET", target.path, headers=headers)
    return client.getresponse()


def _read_page(response: HTTPResponse) -> tuple[bytes, str]:
    if response.status != 200:
        raise NoTitle(NoTitle.refused, status=response.status)
    is_long = len(response.getheader("Content-Type", "")) > _MAX_TYPE_LENGTH
    if is_long or response.headers.get_content_type() not in _HTML:
        raise NoTitle(NoTitle.no_page)
    encoding = response.getheader("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise NoTitle(NoTitle.no_page)
    return _read_body(response, is_gzip=encoding != "identity"), response.headers.get_content_charset("") or ""


def _read_body(response: HTTPResponse, *, is_gzip: bool) -> bytes:
    """Return the body up to the end of its head, or its first MAX_FETCHED_BYTES; it may be cut off anywhere."""
    decompressor = zlib.decompressobj(wbits=31)
    body, read = bytearray(), 0
    for _ in range(_MAX_BLOCKS):
        block = response.read1(min(_BLOCK, config.MAX_FETCHED_BYTES - read))
        read += len(block)
        # The end may have come in two blocks.
        searched = max(0, len(body) - 6)
        body += decompressor.decompress(block, config.MAX_FETCHED_BYTES - len(body)) if is_gzip else block
        is_full = read >= config.MAX_FETCHED_BYTES or len(body) >= config.MAX_FETCHED_BYTES
        if not block or is_full or _HEAD_END.search(body, searched):
            break
    return bytes(body)
