"""Fetch a web page: follow its redirects, checking each, and read its beginning."""

import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPResponse
from ssl import VERIFY_X509_STRICT, SSLContext, create_default_context
from typing import Any, NamedTuple, cast

from voteweb.core import config, links
from voteweb.core.addresses import is_public_address
from voteweb.core.errors import NoTitle
from voteweb.fetching.connections import BoundedSocket, connect, resolve, start_tls

_REDIRECTS = (301, 302, 303, 307, 308)
_HTML = ("text/html", "application/xhtml+xml")
#: The beginning of a page whose server names no type.
_PAGE = re.compile(
    rb"(?is)(?:\xef\xbb\xbf)?\s*+(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|title|meta)\b"
)
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


class Page(NamedTuple):
    """The beginning of a page, the label of its charset as far as its server names one, and its host."""

    body: bytes
    charset: str
    host: str


def fetch_page(network: Network, link: str, deadline: float) -> Page:
    """Return the page at *link*. Raises NoTitle, OSError, HTTPException and ValueError."""
    headers = {"Accept": "text/html, application/xhtml+xml", "Accept-Encoding": "gzip"}
    for _ in range(1 + config.MAX_REDIRECTS):
        with send(network, link, deadline, headers=headers) as response:
            location = response.getheader("Location", "")
            if response.status not in _REDIRECTS or not location:
                return _read_page(response, links.host_of(link))
        link = links.read(location.encode("latin-1").decode("utf-8", "replace"), link).href
    raise NoTitle(NoTitle.unreachable)


@contextmanager
def send(
    network: Network,
    link: str,
    deadline: float,
    *,
    method: str = "GET",
    headers: Mapping[str, str],
    body: bytes | None = None,
) -> Iterator[HTTPResponse]:
    """Send a request to the server of *link* and yield its answer, of which MAX_FETCHED_BYTES can be read.

    No redirect is followed. Raises NoTitle, OSError, HTTPException and ValueError.
    """
    address = links.read(link)
    is_tls = address.url.protocol == "https:"
    port = int(address.url.port or (443 if is_tls else 80))
    if address.has_user or not address.host or port not in network.ports:
        raise NoTitle(NoTitle.unreachable)
    addresses = network.resolve(address.host, port)
    # One address that is not public is enough: the owner of the name would only have to ask again.
    if not addresses or not all(map(network.is_allowed, addresses)):
        raise NoTitle(NoTitle.unreachable)
    with closing(connect(addresses, port, deadline)) as plain:
        connection = start_tls(plain, network.tls(), address.host, deadline) if is_tls else plain
        with closing(connection):
            bounded = BoundedSocket(connection, deadline, _MAX_HEADER_BYTES)
            client = HTTPConnection(address.host, port)
            client.sock = cast(Any, bounded)
            always = {"Host": address.url.host, "User-Agent": network.user_agent, "Connection": "close"}
            client.request(method, address.url.pathname + address.url.search, body, {**always, **headers})
            with client.getresponse() as response:
                bounded.bytes_left += config.MAX_FETCHED_BYTES
                yield response


def _read_page(response: HTTPResponse, host: str) -> Page:
    if response.status != 200:
        raise NoTitle(NoTitle.refused, status=response.status)
    type = response.getheader("Content-Type", "")
    if type and (len(type) > _MAX_TYPE_LENGTH or response.headers.get_content_type() not in _HTML):
        raise NoTitle(NoTitle.no_page)
    encoding = response.getheader("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise NoTitle(NoTitle.no_page)
    body = _read_body(response, is_gzip=encoding != "identity")
    if not type and not _PAGE.match(body[:_BLOCK]):
        raise NoTitle(NoTitle.no_page)
    return Page(body, response.headers.get_content_charset("") or "", host)


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
