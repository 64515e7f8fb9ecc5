"""A visitor of a site over the network: keeps cookies, fills in the forms of pages and presses their buttons."""

import copy
import http.client
import socket
import ssl
from collections.abc import Iterable
from http.cookies import SimpleCookie
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from tests.web.dom import fields_of, form_of, parse

PASSWORD = "correct horse battery"


class Answer(NamedTuple):
    """The answer to one request."""

    status: int
    headers: http.client.HTTPMessage
    body: str


class Visitor:
    """A visitor of the site at *address*, with a new connection for each request.

    *host* is the name that is asked for, by default the address. With a *certificate* to trust it asks by https.
    *source* is the visitor's own address, and *timeout* the seconds to wait for an answer. ``claims`` are more headers
    of every request, with names as they are and as often as they are there.
    """

    def __init__(
        self,
        address: tuple[str, int],
        *,
        host: str = "",
        certificate: Path | None = None,
        source: str = "127.0.0.1",
        timeout: float = 60.0,
    ) -> None:
        self.source = source
        self.claims: tuple[tuple[str, str], ...] = ()
        self._address = address
        self._host = host or f"{address[0]}:{address[1]}"
        self._timeout = timeout
        self._context = ssl.create_default_context(cafile=str(certificate)) if certificate else None
        self._cookies: dict[str, str] = {}

    @property
    def cookie(self) -> str:
        """The value of the header Cookie."""
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def at(self, address: tuple[str, int]) -> "Visitor":
        """Return this visitor, with the same cookies and host, at another machine of the site."""
        other = copy.copy(self)
        other._address = address
        return other

    def connect(self) -> socket.socket:
        """Return a connection on which nothing has been sent."""
        connection = socket.create_connection(self._address, self._timeout, (self.source, 0))
        return self._context.wrap_socket(connection, server_hostname=self._host) if self._context else connection

    def request(self, method: str, path: str, body: str | bytes | Iterable[bytes] = b"", **headers: str) -> Answer:
        """Send a request and read the whole answer; ``X_Name="..."`` is the header X-Name, and "" leaves one out.

        An iterable *body* is sent in chunks, without a Content-Length.
        """
        defaults = {"Host": self._host, "Cookie": self.cookie}
        if method == "POST":
            origin = f"{'https' if self._context else 'http'}://{self._host}"
            defaults |= {"Content-Type": "application/x-www-form-urlencoded", "Referer": f"{origin}/"}
        merged = defaults | {name.replace("_", "-"): value for name, value in headers.items()}
        message = http.client.HTTPMessage()
        for name, value in (*merged.items(), *self.claims):
            if value:
                message[name] = value
        connection = http.client.HTTPConnection(self._host)
        connection.sock = self.connect()
        try:
            connection.request(method, path, body, message)
            response = connection.getresponse()
            for header in response.headers.get_all("Set-Cookie", []):
                self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(header).items()}
            return Answer(response.status, response.headers, response.read().decode())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, **headers)

    def submit(self, path: str, fields: dict[str, str], **headers: str) -> Answer:
        """Open the page at *path* and send its form back to *path* with these *fields* filled in."""
        form = parse(self.get(path, **headers).body).one("form", action=path)
        return self.request("POST", path, urlencode(fields_of(form) | fields), **headers)

    def press(self, page: str, path: str) -> Answer:
        """Open *page* and press the button that sends its form to *path*."""
        form, _ = form_of(parse(self.get(page).body), path)
        return self.request("POST", path, urlencode(fields_of(form)))

    def sign_up(self, name: str, **headers: str) -> Answer:
        return self.submit("/signup", {"username": name, "password": PASSWORD}, **headers)

    def log_in(self, name: str) -> None:
        answer = self.submit("/login", {"username": name, "password": PASSWORD})
        assert answer.status == 303, f"{name} cannot log in: {answer.status}"

    def log_out_form(self) -> dict[str, str]:
        """Return the fields of the form that logs out, which ends the menu below the name."""
        return fields_of(parse(self.get("/account").body).one("form", action="/logout"))
