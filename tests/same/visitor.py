"""A visitor of one of the two sites: keeps cookies, logs in, and records each answer."""

import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode

from tests.same.keys import Contents
from tests.same.side import Answer, Connection, Side

_TOKEN = re.compile(r'name="csrf_token"[^>]*? value="([^"]+)"')
_COOKIE = re.compile(r"([^=;]+)=([^;]*)")


class Record(NamedTuple):
    """An answer of one side: ``subject`` is an address of the table or a kind of work, as in allowed.txt."""

    subject: str
    status: str
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def text(self) -> str:
        return zlib.decompress(self.body).decode("utf-8", "backslashreplace")


class Records:
    """All that one side answered, by the place in the plan, and all keys that it stored there."""

    def __init__(self) -> None:
        self.answers: dict[str, Record] = {}
        self.keys: dict[str, Contents] = {}

    def add(self, place: str, subject: str, answer: Answer) -> None:
        assert place not in self.answers, place
        self.answers[place] = Record(subject, answer.status, sorted(answer.headers), zlib.compress(answer.body, 1))

    def add_run(self, place: str, subject: str, status: int, output: str) -> None:
        """Add the end of a command; its lines have no order."""
        self.add(place, subject, Answer(str(status), [], "\n".join(sorted(output.splitlines())).encode()))


class Visitor:
    """A visitor, by default a reader, who becomes the member *name* by :meth:`log_in`."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.address = f"10.0.{number // 250}.{number % 250 + 1}"
        self.cookies: dict[str, str] = {}
        self.token = ""

    @contextmanager
    def remembered(self) -> Iterator[None]:
        """Forget afterwards which cookies were set meanwhile."""
        cookies, token = dict(self.cookies), self.token
        yield
        self.cookies, self.token = cookies, token

    def ask(
        self,
        connection: Connection,
        method: str,
        url: str,
        fields: Mapping[str, Any] | None = None,
        *,
        language: str = "en",
        as_json: bool = False,
        known: str = "",
    ) -> Answer:
        """Send a request as the browser of this visitor, or as a script of the site, which may know an ETag."""
        sent = {"Accept-Language": language, "Referer": "http://localhost/"}
        if known:
            sent["If-None-Match"] = known
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if as_json:
            sent["Accept"] = "application/json"
        body = urlencode(fields or {}, doseq=True).encode()
        answer = connection.request(method, url, sent, body, self.address)
        for header, value in answer.headers:
            if header.lower() == "set-cookie" and (match := _COOKIE.match(value)):
                if match[2] and "Max-Age=0" not in value:
                    self.cookies[match[1]] = match[2]
                else:
                    self.cookies.pop(match[1], None)
        return answer

    def read_token(self, connection: Connection, page: str) -> None:
        """Keep the token of the forms on *page*."""
        match = _TOKEN.search(self.ask(connection, "GET", page).body.decode())
        self.token = match[1] if match else ""

    def log_in(self, connection: Connection, password: str) -> Answer:
        """Log in by the form and keep the token of the new session."""
        self.cookies.clear()
        self.read_token(connection, "/login")
        fields = {"username": self.name, "password": password, "csrf_token": self.token}
        answer = self.ask(connection, "POST", "/login", fields)
        if answer.status.startswith("303"):
            self.read_token(connection, "/account")
        return answer


def log_in_all(side: Side, connection: Connection, names: list[str], password: str, records: Records) -> list[Visitor]:
    """Return the logged-in visitors of these names; a moderator then bans the one who is named so."""
    visitors = []
    for number, name in enumerate(names):
        visitors.append(visitor := Visitor(name, number))
        side.wait(5)
        if name == "reader":
            visitor.read_token(connection, "/login")
        else:
            records.add(f"log-in of {name} at {side.now:.0f}", "log-in", visitor.log_in(connection, password))
    moderators = (visitor for visitor in visitors if visitor.name == "moderator")
    for moderator in moderators if "banned" in names else ():
        fields = {"csrf_token": moderator.token, "reason": "Spam & <i>ads</i>."}
        records.add(f"ban at {side.now:.0f}", "ban", moderator.ask(connection, "POST", "/u/banned/ban", fields))
    return visitors
