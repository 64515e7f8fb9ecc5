"""The site in this very process, where what it asks of Redis can be counted."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from redis.connection import AbstractConnection

from bench.processes import environment
from bench.settings import PASSWORD
from bench.visitor import token_in
from voteweb.app import create_app
from voteweb.core.config import from_env


def made(url: str) -> Flask:
    """Return the site on the database at *url*, with every page made anew."""
    return create_app(from_env(environment(url, VOTEWEB_PAGE_SECONDS="0")))


class Person:
    """Somebody with cookies at an app in this process; without a name a reader."""

    def __init__(self, app: Flask, name: str = "") -> None:
        self.name = name
        self._client: FlaskClient = app.test_client()
        self._token = ""
        if name:
            sent = {"csrf_token": token_in(self.get("/login")), "username": name, "password": PASSWORD}
            if self._client.post("/login", data=sent).status_code != 303:
                raise RuntimeError(f"{name} cannot log in.")
            self.take_token("/about")

    def take_token(self, path: str) -> None:
        """Use the token of the page at *path* from now on."""
        self._token = token_in(self.get(path))

    def get(self, path: str) -> bytes:
        """Return the page at *path*; raise RuntimeError when it is not there."""
        answer = self._client.get(path)
        if answer.status_code != 200:
            raise RuntimeError(f"{path}: {answer.status}")
        return bytes(answer.data)

    def post(self, path: str, **fields: Any) -> str:
        """Send a form to *path* and return where it leads; raise RuntimeError when it is refused."""
        answer = self._client.post(path, data={"csrf_token": self._token, **fields})
        if answer.status_code != 303 or answer.headers["Location"].startswith("/login"):
            raise RuntimeError(f"{path}: {answer.status}")
        return answer.headers["Location"]


class Trips:
    """What was sent to Redis: how often, which is the number of round trips, and the names of all commands."""

    def __init__(self) -> None:
        self.count = 0
        self.names: list[str] = []


@contextmanager
def counted() -> Iterator[Trips]:
    """Yield what this process sends to Redis while this lasts."""
    trips = Trips()
    send = AbstractConnection.send_packed_command

    def counting(self: Any, command: Any, *words: Any, **more: Any) -> Any:
        trips.count += 1
        trips.names += names(b"".join(command) if isinstance(command, list) else command)
        return send(self, command, *words, **more)  # type: ignore[no-untyped-call]

    AbstractConnection.send_packed_command = counting  # type: ignore[method-assign]
    try:
        yield trips
    finally:
        AbstractConnection.send_packed_command = send  # type: ignore[method-assign]


def names(packed: bytes) -> Iterator[str]:
    """Yield the names of the commands in what goes over the wire to Redis, in capitals."""
    at = 0

    def number() -> int:
        nonlocal at
        begin, at = at + 1, packed.index(b"\r\n", at) + 2
        return int(packed[begin : at - 2])

    while at < len(packed):
        for word in range(number()):
            size = number()
            if word == 0:
                yield packed[at : at + size].decode().upper()
            at += size + 2
