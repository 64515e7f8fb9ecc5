"""Sessions with a contender before it is measured, and the requests of members: pages, votes, articles, log-ins."""

import http.client
import re
from collections.abc import Iterable, Mapping, Sequence
from http.cookies import Morsel, SimpleCookie
from urllib.parse import urlencode, urlsplit

from bench.constants import PASSWORD
from bench.load import Request
from voteweb.core import config
from voteweb.core.models import Right
from voteweb.core.validation import new_submission_token
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token

#: Cookies that expire within so many seconds are gone when a member comes back.
SHORT_SECONDS = 300
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_CSRF_TOKEN = re.compile(r'name="csrf_token"[^>]* value="([^"]+)"')


class Visitor:
    """A client of *origin* that keeps cookies until they are deleted, and follows no redirect.

    It is a reader until it logs in as the member *name*.
    """

    def __init__(self, origin: str, name: str = "", cookie: str = "", csrf_token: str = "") -> None:
        self.name = name
        self.csrf_token = csrf_token
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

    def read_csrf_token(self, path: str) -> None:
        """Send the token of the page at *path* with every form from now on; raise RuntimeError if there is none."""
        match = _CSRF_TOKEN.search(self.page(path).decode())
        if not match:
            raise RuntimeError("A page that should hold a CSRF token holds none.")
        self.csrf_token = match[1]

    def page(self, path: str, **headers: str) -> bytes:
        """Return the page at *path*; raise RuntimeError on any status but 200."""
        status, _, body = self._request("GET", path, None, headers)
        if status != 200:
            raise RuntimeError(f"{path}: {status}")
        return body

    def send(self, path: str, **fields: str | list[str]) -> str:
        """Send a form to *path* and return the location it redirects to; raise RuntimeError on a refusal."""
        form = urlencode({"csrf_token": self.csrf_token, **fields}, doseq=True).encode()
        status, location, _ = self._request("POST", path, form, FORM)
        if status != 303 or location.startswith("/login"):
            raise RuntimeError(f"{path}: {status} {location}")
        return location

    def _request(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, str, bytes]:
        """Return the status of the response, its header Location and its body."""
        cookies = {"Cookie": self.cookie} if self._cookies else {}
        connection = http.client.HTTPConnection(self._host, timeout=30)
        try:
            connection.request(method, path, body, {"User-Agent": "bench", **cookies, **headers})
            response = connection.getresponse()
            self.keep_cookies(response.headers.get_all("Set-Cookie", []))
            return response.status, response.headers.get("Location", ""), response.read()
        finally:
            connection.close()

    def keep_cookies(self, headers: Iterable[str]) -> None:
        """Keep the cookies of these headers Set-Cookie."""
        for value in headers:
            self._cookies.load(value)


def _header(cookies: Iterable[Morsel[str]]) -> str:
    return "; ".join(f"{cookie.key}={cookie.coded_value}" for cookie in cookies if cookie.value)


def log_in_members(origin: str, names: Sequence[str], path: str = "") -> list[Visitor]:
    """Log these members in to voteweb, or by the *path* of a baseline, which needs no password.

    Raises RuntimeError on a refusal.
    """
    members = [Visitor(origin, name) for name in names]
    for member in members:
        member.read_csrf_token(path.format(member.name) or "/login")
        if not path:
            member.send("/login", username=member.name, password=PASSWORD)
            member.read_csrf_token("/about")
    return members


def page_requests(paths: Sequence[str], members: Sequence[Visitor] = ()) -> list[Request]:
    """Return requests for *paths*, by the *members* in turn, or by a reader if there are none."""
    if not members:
        return [Request(path) for path in paths]
    count = max(len(paths), len(members))
    cookies = [member.lasting_cookie for member in members]
    return [Request(paths[n % len(paths)], headers={"Cookie": cookies[n % len(cookies)]}) for n in range(count)]


def cookie_after_vote(origin: str, member: Visitor, article: int) -> str:
    """Return the header Cookie of the page that *member* reads after a vote: cast one, and take it back."""
    visitor = Visitor(origin, member.name, member.lasting_cookie, member.csrf_token)
    for action in ("vote", "unvote"):
        visitor.send(f"/a/{article}/{action}")
    return visitor.cookie


def vote_form_request(member: Visitor, article: int, action: str = "vote", page: str = "/new") -> Request:
    """Return a vote as the form on *page* sends it; *action* is "vote" or "unvote"."""
    return _form_request(f"/a/{article}/{action}", member, next=page)


def vote_script_request(member: Visitor, article: int, action: str = "vote") -> Request:
    """Return a vote as the site's script sends it; *action* is "vote" or "unvote"."""
    headers = {"Accept": "application/json", "X-CSRFToken": member.csrf_token, "Cookie": member.lasting_cookie}
    return Request(f"/a/{article}/{action}", "POST", headers)


def give_tokens(store: Store, members: Sequence[Visitor]) -> dict[str, str]:
    """Give a program of each of the *members* a token with all rights, and return the tokens by name."""
    tokens = {member.name: new_token(member.name) for member in members}
    for name, token in tokens.items():
        store.programs.add(store.users.get(name), token, "bench", Right, 1)
    return tokens


def program_request(method: str, path: str, token: str) -> Request:
    """Return a request for *path* below the address of the API, as a program with this *token* sends it."""
    return Request(f"{config.API_PATH}{path}", method, {"Authorization": f"Bearer {token}"})


def submit_request(member: Visitor, group: str) -> Request:
    """Return a new article in *group*, with a link of its own."""
    return _form_request("/submit", member, groups=group, **new_article())


def new_article() -> dict[str, str]:
    """Return the fields of the form with a new article."""
    token = new_submission_token()
    title, link = f"An article as many others, but for {token}", f"https://example.com/articles/{token}"
    return {"once": token, "title": title, "link": link, "text": ""}


def _form_request(path: str, member: Visitor, **fields: str) -> Request:
    body = urlencode({"csrf_token": member.csrf_token, **fields}).encode()
    return Request(path, "POST", {**FORM, "Cookie": member.lasting_cookie}, body)
