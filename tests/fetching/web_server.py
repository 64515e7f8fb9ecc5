"""A web server that answers each path with a trick, as a hostile or a broken site could."""

import gzip
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from time import sleep

Send = Callable[[bytes], None]


def page(title: str, *headers: str, charset: str = "utf-8") -> bytes:
    """Return the answer with a page of this *title*."""
    body = f"<!doctype html><html><head><title>{title}</title></head><body>…".encode(charset)
    lines = ("HTTP/1.1 200 OK", f"Content-Type: text/html; charset={charset}", *headers, "", "")
    return "\r\n".join(lines).encode("latin-1") + body


def html(body: bytes, *headers: str) -> bytes:
    """Return the answer with this *body*, whose charset no header names."""
    return "\r\n".join(("HTTP/1.1 200 OK", "Content-Type: text/html", *headers, "", "")).encode() + body


def redirect(location: str) -> bytes:
    """Return the answer that leads to *location*."""
    return f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


def endless(*beginning: bytes) -> Callable[[Send], None]:
    """Return an answer that never ends, with *beginning* before it."""

    def answer(send: Send) -> None:
        send(b"".join(beginning))
        for _ in count():
            send(b"x" * 65_536)

    return answer


def drip(beginning: bytes, piece: bytes) -> Callable[[Send], None]:
    """Return an answer that sends *beginning*, and then *piece* again and again, each soon enough for any timeout."""

    def answer(send: Send) -> None:
        send(beginning)
        for _ in range(200):
            sleep(0.05)
            send(piece)

    return answer


class WebServer(socketserver.ThreadingTCPServer):
    """Answers each path with ``answers[path]``, bytes or a function that sends them; remembers the requests."""

    daemon_threads = True
    answers: dict[str, bytes | Callable[[Send], None]]

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = {}
        self.requests: list[str] = []
        self.tls = tls

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore that a client went away, or that it refused the certificate."""


class _Handler(socketserver.StreamRequestHandler):
    server: WebServer

    def setup(self) -> None:
        if self.server.tls:
            self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        super().setup()

    def finish(self) -> None:
        super().finish()
        self.request.close()

    def handle(self) -> None:
        lines = list(iter(lambda: self.rfile.readline().decode("latin-1").strip(), ""))
        self.server.requests.append("\n".join(lines))
        path = lines[0].split()[1]
        answer = self.server.answers.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        with suppress(OSError):
            if callable(answer):
                answer(self.wfile.write)
            else:
                self.wfile.write(answer)


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[WebServer]:
    """Yield a running server."""
    with WebServer(tls) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        yield server
        server.shutdown()


def bomb(megabytes: int) -> bytes:
    """Return so many megabytes of blanks, and a title after them, in some kilobytes of gzip."""
    return gzip.compress(b" " * megabytes * 2**20 + b"<title>Far away</title>", mtime=0)
