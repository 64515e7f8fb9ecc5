"""A person at a browser without script: opens pages, fills in the forms that are on them, presses buttons."""

from typing import Any
from urllib.parse import urljoin

from flask import Flask
from werkzeug.test import TestResponse

from tests.web.dom import Element, fields_of, parse

PASSWORD = "correct horse battery"
#: What a fetch of our own scripts says it wants.
JSON = {"Accept": "application/json"}


class Browser:
    """One browser with its cookies; ``answer`` is the last answer, ``page`` its tree."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()
        self.site = app.extensions["voteweb.settings"].site_url or "http://localhost"
        self.answer: TestResponse
        self.address = "/"

    @property
    def page(self) -> Element:
        """The page that is shown."""
        return parse(self.answer.text)

    @property
    def status(self) -> int:
        """The status of the last answer."""
        return self.answer.status_code

    @property
    def location(self) -> str:
        """Where the last answer leads to."""
        return self.answer.headers["Location"]

    @property
    def flashes(self) -> list[str]:
        """What the page says of the last entry."""
        return [each.words for each in self.page.all("p", class_="flash")]

    @property
    def heading(self) -> str:
        """The heading of the page."""
        return self.page.one("h1").words

    def open(self, address: str, **options: Any) -> "Browser":
        """Open *address* and go nowhere else."""
        self.answer = self.client.get(address, buffered=True, **{"base_url": self.site} | options)
        self.address = address
        return self

    def follow(self) -> "Browser":
        """Go where the last answer leads to, as far as it leads."""
        for _ in range(5):
            if self.status not in (301, 303):
                return self
            self.open(urljoin(self.address, self.location))
        raise AssertionError(f"led in a circle at {self.location}")

    def form(self, action: str) -> Element:
        """Return the form of the page that is sent to *action*."""
        return self.page.one("form", action=action)

    def submit(self, action: str, **typed: Any) -> "Browser":
        """Send the form of the page that goes to *action*, with what is *typed* in place of what it holds."""
        return self.post(action, fields_of(self.form(action)) | typed)

    def press(self, formaction: str, **options: Any) -> "Browser":
        """Press the button that sends the form it points to elsewhere, to *formaction*."""
        form = self.page.by_id(self.page.one("button", formaction=formaction)["form"])
        return self.post(formaction, fields_of(form), **options)

    def post(self, address: str, data: dict[str, Any] | None = None, **options: Any) -> "Browser":
        """Send *data* to *address* as a form."""
        headers = {"Referer": f"{self.site}/"} | (options.pop("headers", None) or {})  # which https forms must have
        options = {"base_url": self.site, "headers": headers} | options
        self.answer = self.client.post(address, data=data or {}, buffered=True, **options)
        self.address = address
        return self

    def log_in(self, name: str, password: str = PASSWORD, back: str = "/") -> "Browser":
        """Log in by the page for it, and arrive at *back*."""
        return self.open("/login", query_string={"next": back}).submit("/login", username=name, password=password)

    def token(self) -> str:
        """Return the token that the forms of this member's pages hold."""
        return self.open("/about").form("/logout").one("input", name="csrf_token")["value"]

    def error_at(self, name: str) -> str:
        """Return the words beside the field *name*, which must point to them."""
        field = self.page.one("main").one(name=name)
        assert field.attrs.get("aria-invalid") == "true", f"{name} is not marked"
        assert f"{field['id']}-errors" in field["aria-describedby"].split()
        return self.page.by_id(f"{field['id']}-errors").words
