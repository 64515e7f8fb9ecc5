"""Somebody at a contender's pages before they are measured: logs in, looks, finds tokens."""

import http.client
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from bench.settings import PASSWORD

_TOKEN = re.compile(r'name="csrf_token"[^>]* value="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def token(self) -> str:
        """The token of the page's forms."""
        return token_in(self.body)


def token_in(page: bytes) -> str:
    """Return the token of the forms on *page*; raise RuntimeError when there is none."""
    found = _TOKEN.search(page.decode())
    if not found:
        raise RuntimeError("A page that should hold a token holds none.")
    return found[1]


class Visitor:
    """One person with cookies."""

    def __init__(self, origin: str) -> None:
        self._place = urlsplit(origin).netloc
        self._cookies: dict[str, str] = {}

    @property
    def cookie(self) -> str:
        """The header Cookie that this visitor sends."""
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def open(self, path: str, **headers: str) -> Answer:
        """Get *path* and return the answer, whatever it is."""
        return self._send("GET", path, b"", headers)

    def post(self, path: str, fields: Mapping[str, str]) -> Answer:
        """Send a form to *path* and return the answer, whatever it is."""
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._send("POST", path, urlencode(fields).encode(), form)

    def log_in(self, name: str, password: str = PASSWORD) -> str:
        """Log in to voteweb and return the token of this member's forms; raise RuntimeError when it refuses."""
        token = self.open("/login").token
        answer = self.post("/login", {"csrf_token": token, "username": name, "password": password})
        if answer.status != 303:
            raise RuntimeError(f"{name} cannot log in: {answer.status}")
        return self.open("/about").token

    def _send(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        mine = {"Cookie": self.cookie} if self._cookies else {}
        connection = http.client.HTTPConnection(self._place, timeout=30)
        try:
            connection.request(method, path, body or None, {"User-Agent": "bench", **mine, **headers})
            got = connection.getresponse()
            answer = Answer(got.status, got.getheaders(), got.read())
        finally:
            connection.close()
        for name, value in answer.headers:
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self._cookies[key] = rest.partition(";")[0]
        return answer
