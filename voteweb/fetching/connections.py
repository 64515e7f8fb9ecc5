"""Connections to web servers: to an address that was checked, for a limited time and number of bytes."""

import io
import socket
from collections.abc import Sequence
from ssl import SSLContext
from time import monotonic
from typing import Any

#: Addresses of one host that are tried.
_MAX_ADDRESSES = 4
#: Bytes that are read at once, less than a limit of ``bytes_left``: the default of Python 3.14 is more than that.
_BUFFERED_BYTES = 8_192
#: Reads of one answer: a server can send each byte alone, and each read takes time.
_MAX_READS = 2_000


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of *host*. Raises OSError, and ValueError if it is no host name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def connect(addresses: Sequence[str], port: int, deadline: float) -> socket.socket:
    """Return a connection to the first of *addresses* that accepts one. Raises OSError, also TimeoutError."""
    refusal: OSError = TimeoutError()
    for address in addresses[:_MAX_ADDRESSES]:
        try:
            # Half of the time that is left, so that one address which does not answer leaves some for the next.
            return socket.create_connection((address, port), timeout=_seconds_left(deadline) / 2)
        except OSError as error:
            refusal = error
    raise refusal


def start_tls(connection: socket.socket, context: SSLContext, host: str, deadline: float) -> socket.socket:
    """Return *connection* encrypted, once the server has proved that it is *host*. Raises OSError."""
    connection.settimeout(_seconds_left(deadline))
    return context.wrap_socket(connection, server_hostname=host)


def _seconds_left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class BoundedSocket(io.RawIOBase):
    """A connection as :mod:`http.client` uses it, which ends at a deadline and after ``bytes_left`` more bytes.

    The timeout of a socket starts again with each byte: a server that sends one now and then would never reach it.
    """

    def __init__(self, connection: socket.socket, deadline: float, bytes_left: int) -> None:
        self._connection = connection
        self._deadline = deadline
        self.bytes_left = bytes_left
        self._reads_left = _MAX_READS

    def sendall(self, data: bytes) -> None:
        """Send *data*. Raises OSError."""
        self._connection.settimeout(_seconds_left(self._deadline))
        self._connection.sendall(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill *buffer* with what the server sends, and return how many bytes that are. Raises OSError."""
        self._connection.settimeout(_seconds_left(self._deadline))
        count = self._connection.recv_into(buffer)
        self.bytes_left -= count
        self._reads_left -= 1
        if min(self.bytes_left, self._reads_left) < 0:
            raise OSError("the server sends more than is read")
        return count

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return what the server sends as a file, whose reads raise OSError, also TimeoutError."""
        return io.BufferedReader(self, _BUFFERED_BYTES)

    def close(self) -> None:
        """Do nothing: http.client calls this before it has read the answer."""
