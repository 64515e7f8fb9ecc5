"""A browser without script: it opens pages, fills in the forms that are on them, and presses buttons."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin

from flask import Flask, session
from flask_wtf.csrf import generate_csrf
from werkzeug.datastructures import Headers
from werkzeug.test import TestResponse

from tests.web.dom import Element, fields_of, form_of, parse
from voteweb.core.models import User
from voteweb.web.auth import login

PASSWORD = "correct horse battery"
#: Headers of a request from the site's own scripts.
JSON = {"Accept": "application/json"}


class Browser:
    """One browser with its cookies; ``response`` is the last response, ``page`` its tree."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()
        self.site = app.extensions["voteweb.store"].context.settings.site_url or "http://localhost"
        self.response: TestResponse
        #: As they were when :meth:`start_session` logged them in.
        self.user: User
        self.address = "/"

    @property
    def page(self) -> Element:
        return parse(self.text)

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def headers(self) -> Headers:
        return self.response.headers

    @property
    def text(self) -> str:
        return self.response.text

    @property
    def json(self) -> Any:
        return self.response.json

    @property
    def location(self) -> str:
        return self.headers["Location"]

    @property
    def heading(self) -> str:
        return self.page.one("h1").text

    @property
    def intro(self) -> str:
        """The paragraph below the heading; on an error page, the message."""
        return self.page.one("p", class_="intro").text

    @property
    def alert(self) -> str:
        """The error above the form of the page."""
        return self.page.one("div", role="alert").text

    @property
    def refusal(self) -> str:
        """The error in a form that moderators send."""
        return self.page.one("p", role="alert").text

    @property
    def main(self) -> str:
        """The text of the page without its header and footer."""
        return self.page.one("main").text

    @property
    def log(self) -> list[str]:
        """The sentence of each entry of the log on the page."""
        return [entry.all("p")[0].text for entry in self.page.one("main").one(class_="log").all("li")]

    @property
    def flashes(self) -> list[str]:
        """The messages about the last request."""
        paragraphs = self.page.all("p", class_="flash")
        return [paragraph.text for paragraph in paragraphs if paragraph.attrs.get("role") != "note"]

    @property
    def titles(self) -> list[str]:
        """The titles of the articles in the list of the page."""
        return [row.one("a", class_="title").text for row in self.page.all("li", class_="article")]

    def open(self, address: str, **options: Any) -> "Browser":
        """Request *address* without following a redirect."""
        self.response = self.client.get(address, buffered=True, **{"base_url": self.site} | options)
        self.address = address
        return self

    def follow(self) -> "Browser":
        """Follow the redirects of the last response."""
        for _ in range(5):
            if self.status not in (301, 302, 303):
                return self
            self.open(urljoin(self.address, self.location))
        raise AssertionError(f"too many redirects to {self.location}")

    def open_next(self) -> "Browser":
        """Open the next page of the list."""
        return self.open(self.page.one("a", rel="next")["href"])

    def value(self, name: str) -> str:
        """Return what is in the only input *name* of the page."""
        return self.page.one("input", name=name)["value"]

    def form(self, action: str) -> Element:
        """Return the form of the page that is sent to *action*."""
        return self.page.one("form", action=action)

    def submit(self, action: str, **typed: Any) -> "Browser":
        """Send the form of the page that goes to *action*; *typed* replaces values of its fields."""
        return self.post(action, fields_of(self.form(action)) | typed)

    def fill_in(self, address: str, **typed: Any) -> "Browser":
        """Open the page at *address*, and send its form that goes there, too."""
        return self.open(address).submit(address, **typed)

    def press(self, formaction: str, **options: Any) -> "Browser":
        """Press the button that sends its form to *formaction*."""
        form, button = form_of(self.page, formaction)
        own = {button["name"]: button["value"]} if "name" in button else {}
        return self.post(formaction, fields_of(form) | own, **options)

    def post(self, address: str, data: Any = None, **options: Any) -> "Browser":
        """Send *data* to *address* as a form."""
        headers = {"Referer": f"{self.site}/"} | (options.pop("headers", None) or {})  # https forms must have it
        options = {"base_url": self.site, "headers": headers} | options
        self.response = self.client.post(address, data=data or {}, buffered=True, **options)
        self.address = address
        return self

    def send(self, address: str, headers: Any = None, **fields: Any) -> "Browser":
        """Send *fields* with the token of this session, whatever the page offers."""
        return self.post(address, {"csrf_token": self.csrf_token(), **fields}, headers=headers)

    def log_in(self, name: str, password: str = PASSWORD, next: str = "/") -> "Browser":
        """Log in on the page for it; the response redirects to *next*."""
        return self.open("/login", query_string={"next": next}).submit("/login", username=name, password=password)

    def log_out(self) -> "Browser":
        """Press the button of the menu below the name."""
        return self.open("/new").submit("/logout")

    def start_session(self, user: User) -> "Browser":
        """Log in without a page: set the cookie that a log-in sets."""
        with self.session():
            login.start_session(user)
        self.user = user
        return self

    @contextmanager
    def session(self) -> Iterator[None]:
        """Run this block in a request whose session is that of this browser afterwards."""
        with (
            self.client.session_transaction(base_url=self.site) as cookie,
            self.client.application.test_request_context(),
        ):
            session.update(cookie)
            yield
            content = dict(session)
            cookie.clear()
            cookie.update(content)

    def is_logged_in(self) -> bool:
        """Open a page and tell whether it is a member's."""
        return 'href="/account"' in self.open("/nowhere").text

    @property
    def session_cookie(self) -> str:
        cookie = self.client.get_cookie("voteweb")
        assert cookie
        return cookie.value

    def csrf_token(self) -> str:
        """Return the form token of this session, without opening a page that has it."""
        with self.session():
            return str(generate_csrf())

    def field_error(self, name: str) -> str:
        """Return the error beside the field *name*, which must refer to it."""
        field = self.page.one("main").one(name=name)
        assert field.attrs.get("aria-invalid") == "true", f"{name} is not marked"
        assert f"{field['id']}-errors" in field["aria-describedby"].split()
        return self.page.by_id(f"{field['id']}-errors").text
