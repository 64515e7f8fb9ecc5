"""Somebody on the web who asks for https://news.example, wherever that is served in a test."""

import http.client
import socket
import ssl
import sys
from collections.abc import Iterable
from http.cookies import SimpleCookie
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from tests.helpers import needs
from tests.web.dom import fields_of, parse

HOST = "news.example"


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: str


class Visitor:
    """A visitor at 127.0.0.<number>, who keeps cookies, and trusts *certificate* where the *port* speaks https."""

    def __init__(self, port: int, certificate: Path | None, number: int = 1) -> None:
        needs(number == 1 or sys.platform == "linux", "Linux, where all of 127.0.0.0/8 is this machine")
        self.address = f"127.0.0.{number}"
        self._port = port
        self._context = ssl.create_default_context(cafile=str(certificate)) if certificate else None
        self._cookies: dict[str, str] = {}

    def connect(self) -> socket.socket:
        """Return a connection that nothing has been sent on."""
        line = socket.create_connection(("127.0.0.1", self._port), timeout=60, source_address=(self.address, 0))
        return self._context.wrap_socket(line, server_hostname=HOST) if self._context else line

    def ask(self, method: str, path: str, body: str | bytes | Iterable[bytes] = b"", **headers: str) -> Answer:
        """Send a request; ``X_Name=…`` is a header X-Name. All is read and the connection closed.

        A *body* in pieces is sent chunk by chunk, without a word of how much is coming.
        """
        sent = {"Host": HOST, "Referer": f"https://{HOST}/", "Cookie": "; ".join(map("=".join, self._cookies.items()))}
        if method == "POST":
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(HOST)
        connection.sock = self.connect()
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value})
            answer = connection.getresponse()
            for line in answer.headers.get_all("Set-Cookie", []):
                self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
            return Answer(answer.status, answer.headers, answer.read().decode())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """Open a page."""
        return self.ask("GET", path, **headers)

    def fill_in(self, path: str, typed: dict[str, str], **headers: str) -> Answer:
        """Open the page at *path* and send its form back there with what is *typed*."""
        form = parse(self.get(path, **headers).body).one("form", action=path)
        return self.ask("POST", path, urlencode(fields_of(form) | typed), **headers)

    def press(self, page: str, path: str) -> Answer:
        """Open *page* and press the button that sends its form to *path*."""
        found = parse(self.get(page).body)
        form = found.by_id(found.one("button", formaction=path)["form"])
        return self.ask("POST", path, urlencode(fields_of(form)))
