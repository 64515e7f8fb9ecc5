"""A session with a contender before it is measured: log in, check a page, read the token of its forms."""

import http.client
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookies import Morsel, SimpleCookie
from urllib.parse import urlencode, urlsplit

from bench.constants import PASSWORD

#: Cookies that expire within so many seconds are gone when a member comes back.
SHORT_SECONDS = 300
_CSRF_TOKEN = re.compile(r'name="csrf_token"[^>]* value="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Response:
    """One HTTP response."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def csrf_token(self) -> str:
        """The token of the page's forms."""
        return find_csrf_token(self.body)


def find_csrf_token(page: bytes) -> str:
    """Return the token of the forms on *page*; raise RuntimeError when there is none."""
    match = _CSRF_TOKEN.search(page.decode())
    if not match:
        raise RuntimeError("A page that should hold a CSRF token holds none.")
    return match[1]


class HttpSession:
    """A client of *origin* that keeps cookies until they are deleted, and follows no redirect."""

    def __init__(self, origin: str, cookie: str = "") -> None:
        self._host = urlsplit(origin).netloc
        self._cookies: SimpleCookie = SimpleCookie(cookie)

    @property
    def cookie(self) -> str:
        """The header Cookie of the next request."""
        return _header(self._cookies.values())

    @property
    def lasting_cookie(self) -> str:
        """The header Cookie of a request some minutes later, when cookies that expire soon are gone."""
        ages = ((morsel, morsel["max-age"]) for morsel in self._cookies.values())
        return _header(morsel for morsel, age in ages if not age or int(age) > SHORT_SECONDS)

    def get(self, path: str, **headers: str) -> Response:
        """Return the response to a GET of *path*, whatever its status."""
        return self._send("GET", path, b"", headers)

    def post(self, path: str, fields: Mapping[str, str]) -> Response:
        """Return the response to a form sent to *path*, whatever its status."""
        content_type = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._send("POST", path, urlencode(fields).encode(), content_type)

    def log_in(self, name: str, password: str = PASSWORD) -> str:
        """Log in to voteweb and return the token of the member's forms; raise RuntimeError on a refusal."""
        token = self.get("/login").csrf_token
        response = self.post("/login", {"csrf_token": token, "username": name, "password": password})
        if response.status != 303:
            raise RuntimeError(f"{name} cannot log in: {response.status}")
        return self.get("/about").csrf_token

    def _send(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Response:
        cookies = {"Cookie": self.cookie} if self._cookies else {}
        connection = http.client.HTTPConnection(self._host, timeout=30)
        try:
            connection.request(method, path, body or None, {"User-Agent": "bench", **cookies, **headers})
            raw_response = connection.getresponse()
            response = Response(raw_response.status, raw_response.getheaders(), raw_response.read())
        finally:
            connection.close()
        self.keep_cookies(response.headers)
        return response

    def keep_cookies(self, headers: Iterable[tuple[str, str]]) -> None:
        """Keep the cookies that these *headers* of a response set."""
        for name, value in headers:
            if name.lower() == "set-cookie":
                self._cookies.load(value)


def _header(cookies: Iterable[Morsel[str]]) -> str:
    return "; ".join(f"{cookie.key}={cookie.coded_value}" for cookie in cookies if cookie.value)
