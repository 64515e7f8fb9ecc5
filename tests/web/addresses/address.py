"""An address of the site: who may request it, what a form sends to it, and how it is protected and cached."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from string import Formatter
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode

from flask import Flask
from werkzeug.routing import MapAdapter

from tests.web.state import TOKEN
from voteweb.core.models import Role
from voteweb.core.resources import resource_folder
from voteweb.core.settings import Settings
from voteweb.store.schema.values import digest_of
from voteweb.web import api, views
from voteweb.web.base import static_files

#: Those who send requests. Each but the reader is an account of this name in the site of conftest.py: the poster has
#: posted article 1 just now, the late one article 2 too long ago to edit it, and the session of the banned has ended.
READER, MEMBER, POSTER, LATE, MODERATOR, ADMIN, BANNED = PEOPLE = (
    "reader", "member", "poster", "late", "moderator", "admin", "banned",
)  # fmt: skip
MEMBERS = (MEMBER, POSTER, LATE, MODERATOR, ADMIN)
STAFF = (MODERATOR, ADMIN)
LOGGED_OUT = (READER, BANNED)
ROLES = {MODERATOR: Role.MODERATOR, ADMIN: Role.ADMIN}

#: What fills the variable parts of an address unless a row says otherwise; "id" is the sender's article.
PARTS = {
    "id": "1", "name": "python", "names": "python", "token": TOKEN, "format": "atom", "number": "1",
    "filename": "site.css", "digest": digest_of(TOKEN),
}  # fmt: skip


class Caching(StrEnum):
    """Who may cache a page."""

    PUBLIC = "everybody: it is the same for members and in all languages"
    READERS = "the site itself for readers, and nobody for members"
    NOBODY = "nobody"


#: The settings of a site with mail.
MAIL: dict[str, Any] = {
    "mail_url": "smtp://localhost:9", "mail_from": "news@news.example", "site_url": "http://localhost",
}  # fmt: skip


@cache
def _routes() -> MapAdapter:
    """Return all routes of a site."""
    app = Flask(__name__, static_folder=None)
    static_files.init_app(app, resource_folder("static"))
    settings = Settings(**MAIL)
    views.init_app(app, settings)
    api.init_app(app, settings)
    return app.url_map.bind("localhost")


@dataclass(frozen=True)
class Address:
    """A method of a route; several rows of one differ in ``case``.

    ``allowed`` are those who get 200, or ``accepted`` for a form. Others get ``refused``: by default readers are
    redirected to log-in and members get 403. ``refused_as_json`` holds where script gets another status. Without
    ``writes`` the request changes nothing in the database, nor does that of those in ``idle``. ``parameters`` are
    those of the query that the page reads. ``returns_to`` is where an accepted form leads without a field ``next``,
    None for a form that ignores that field. ``keeps_typed`` marks forms that are shown again with what was typed.
    """

    path: str
    method: str = "GET"
    case: str = ""
    allowed: tuple[str, ...] = PEOPLE
    refused: Mapping[str, int] = field(default_factory=dict)
    refused_as_json: Mapping[str, int] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    accepted: int = 303
    writes: bool = False
    idle: tuple[str, ...] = ()
    keeps_typed: bool = False
    returns_to: str | None = None
    caching: Caching = Caching.READERS
    is_html: bool = True
    parts: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join(filter(None, (self.method, self.path, self.case)))

    @property
    def endpoint(self) -> str:
        """The name of the view that it leads to."""
        endpoint: str = _routes().match(self.url().partition("?")[0], self.method)[0]
        return endpoint

    @property
    def part_names(self) -> list[str]:
        """The names of the variable parts of the path."""
        return [name for _, name, _, _ in Formatter().parse(self.path) if name]

    @property
    def kept(self) -> list[str]:
        """The typed texts that the form shows again when it is refused."""
        return [typed for typed in self.fields.values() if typed.startswith(("Kept", "https")) and self.keeps_typed]

    @property
    def sender(self) -> str:
        """The most powerful of those who may send this."""
        return next((person for person in (ADMIN, MODERATOR, MEMBER, POSTER) if person in self.allowed), READER)

    def url(self, person: str = "", more_query: Mapping[str, str] = MappingProxyType({}), **parts: str) -> str:
        """Return the address as the browser of *person* sends it, with *parts* in place of the usual ones."""
        own_article = {"id": "2"} if person == LATE else {}
        member = {"name": "zoe"} if self.path.startswith("/u/") else {}
        values = {**PARTS, **own_article, **member, **self.parts, **parts}
        path = self.path.format_map({name: quote(values[name], errors="surrogatepass") for name in self.part_names})
        query = urlencode({**self.query, **more_query}, errors="surrogatepass")
        return f"{path}?{query}" if query else path

    def status(self, person: str, *, as_json: bool = False) -> int:
        """Return the status that *person* gets."""
        if person in self.allowed:
            return self.accepted if self.method == "POST" else 200
        if as_json and person in self.refused_as_json:
            return self.refused_as_json[person]
        if person in self.refused:
            return self.refused[person]
        if person in LOGGED_OUT:
            return 401 if as_json else 303
        return 403
