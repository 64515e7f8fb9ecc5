"""The site inside this process, where the commands that it sends to Redis can be recorded."""

from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from bench.constants import PASSWORD
from bench.http_session import find_csrf_token
from bench.processes import environment
from voteweb.app import create_app
from voteweb.core.config import from_env


def create_site_app(url: str, **settings: str) -> Flask:
    """Return the app of the site on the database at *url*, by default without cached pages and access log."""
    return create_app(from_env(environment(url, **{"VOTEWEB_PAGE_SECONDS": "0", "VOTEWEB_LOG": "off"} | settings)))


class InProcessClient:
    """A client of an app in this process; the member *name* is logged in, "" is a reader."""

    def __init__(self, app: Flask, name: str = "") -> None:
        self.name = name
        self._client: FlaskClient = app.test_client()
        self.csrf_token = ""
        if name:
            fields = {"csrf_token": find_csrf_token(self.get("/login")), "username": name, "password": PASSWORD}
            if self._client.post("/login", data=fields).status_code != 303:
                raise RuntimeError(f"{name} cannot log in.")
            self.read_csrf_token("/about")

    @property
    def cookie(self) -> str:
        """The header Cookie with the session alone."""
        name = self._client.application.config["SESSION_COOKIE_NAME"]
        cookie = self._client.get_cookie(name)
        return f"{name}={cookie.value}" if cookie else ""

    def read_csrf_token(self, path: str) -> None:
        """Send the token of the page at *path* with every form from now on."""
        self.csrf_token = find_csrf_token(self.get(path))

    def get(self, path: str) -> bytes:
        """Return the page at *path*; raise RuntimeError on any status but 200."""
        response = self._client.get(path)
        if response.status_code != 200:
            raise RuntimeError(f"{path}: {response.status}")
        return bytes(response.data)

    def post(self, path: str, **fields: Any) -> str:
        """Send a form to *path* and return the location it redirects to; raise RuntimeError on a refusal."""
        response = self._client.post(path, data={"csrf_token": self.csrf_token, **fields})
        if response.status_code != 303 or response.headers["Location"].startswith("/login"):
            raise RuntimeError(f"{path}: {response.status}")
        return response.headers["Location"]
