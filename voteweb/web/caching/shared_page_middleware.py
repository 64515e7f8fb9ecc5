"""The WSGI layer that answers members' requests for pages that they share, before they reach Flask.

A page takes one round trip; a list that is read afresh takes another if articles are new on it.

Flask takes half the time of a list, and a quarter of that of a conversation, to match the address, open the session and
call hooks, none of which these pages need.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from flask import g
from flask.sessions import SessionMixin

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.config import Settings
from voteweb.core.models import User, Voter
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.viewers import Viewer
from voteweb.web import flashes, security
from voteweb.web.auth import csrf, login
from voteweb.web.auth.sessions import SessionInterface, cookie_name
from voteweb.web.caching import own_parts
from voteweb.web.caching.frames import Part
from voteweb.web.context import store
from voteweb.web.flask_app import FLASHES, SiteFlask
from voteweb.web.i18n.locale import LANGUAGES, Language
from voteweb.web.monitoring import request_record
from voteweb.web.requests import parse_cookies

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

#: Returns a page for the viewer with these parts, None if the viewer must get another one.
Fill = Callable[[User, dict[str, Part]], bytes | None]


class SharedPage(Protocol):
    """A page that a request may be answered with, of this language and endpoint."""

    @property
    def language(self) -> Language: ...
    @property
    def route(self) -> str: ...
    def queue(self, pipeline: Pipeline, voter: Voter, viewer: Future[Viewer]) -> Fill:
        """Queue a read of what *voter* did there, whom *pipeline* reads before as *viewer*."""
        ...


#: Returns the page that may answer a request with these cookies by a member, None if there is none.
Find = Callable[["WSGIEnvironment", Mapping[str, str], Voter], SharedPage | None]


def init_app(app: SiteFlask, settings: Settings, finders: Sequence[Find]) -> None:
    """Wrap *app* in this layer, which answers with what one of *finders* finds."""
    app.wsgi_app = SharedPageMiddleware(app, settings, finders)  # type: ignore[method-assign]


class SharedPageMiddleware:
    """Answers requests for pages that are found; those with messages in the session, among others, pass to *app*."""

    def __init__(self, app: SiteFlask, settings: Settings, finders: Sequence[Find]) -> None:
        self._flask, self._app = app, app.wsgi_app
        self._finders = tuple(finders)
        self._sessions = cast(SessionInterface, app.session_interface)
        self._cookie = cookie_name(settings)
        self._accounts: BoundedCache[int, tuple[Viewer, Language, Part] | None] = BoundedCache(config.HINT_CACHE_SIZE)
        self._flash_end = "Set-Cookie", flashes.vote_flash_cookie(None, secure=settings.secure)
        self._last_headers = {code: security.private_headers(settings, LANGUAGES[code]) for code in LANGUAGES}

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer with a page that members share, else by the app."""
        cookies = parse_cookies(environ.get("HTTP_COOKIE", ""))
        if environ["REQUEST_METHOD"] != "GET" or self._cookie not in cookies:
            return self._app(environ, start_response)
        session = self._sessions.read(cookies[self._cookie])
        voter = login.voter_in(session)
        if voter is None or FLASHES in session:
            return self._app(environ, start_response)
        found = (find(environ, cookies, voter) for find in self._finders)
        page, flash = next(filter(None, found), None), flashes.vote_flash_of(cookies)
        try:
            html = self._fill(page, session, voter, environ, flash) if page else None
        except Exception as error:  # as Flask answers any error of a view
            return self._flask.respond_to_error(error, environ)(environ, start_response)
        if page is None or html is None:
            return self._app(environ, start_response)
        start_response("200 OK", self._headers(page, html, flash))
        return [html]

    def _fill(
        self,
        page: SharedPage,
        session: SessionMixin,
        voter: Voter,
        environ: "WSGIEnvironment",
        flash: flashes.VoteFlash | None,
    ) -> bytes | None:
        """Return *page* with the message *flash* for *voter*, None if they must get another one."""
        with self._flask.app_context():
            g.language = page.language
            known = store().my_sites.known(voter.id)
            reads_saves = known is not None and bool(known[0])
            pipeline = store().pipeline()
            read = store().viewers.queue_read(pipeline, voter)
            fill = page.queue(pipeline, voter, read)
            pipeline.execute()
            viewer, token = login.set_viewer(read.result, voter), csrf.token_of(session)
            if viewer is None or not token:
                return None
            if viewer.my and not reads_saves:  # this process has learnt of the viewer's choice in the meantime
                return None
            request_record.get(environ).complete(page.route, viewer)
            account = self._account(read.result, voter.id, page.language)
            messages = [("message", flashes.vote_message(flash))] if flash else []
            return fill(viewer, own_parts.parts_of(token, account, messages))

    def _account(self, viewer: Viewer, id: int, language: Language) -> Part:
        """Return the account links of *viewer*; to look them up by all that they show takes a twentieth of a list."""
        known = self._accounts.get(id, None)
        if known and known[0] is viewer and known[1] is language:
            return known[2]
        part = own_parts.account_part()
        self._accounts.put(id, (viewer, language, part))
        return part

    def _headers(self, page: SharedPage, html: bytes, flash: flashes.VoteFlash | None) -> list[tuple[str, str]]:
        end = [self._flash_end] if flash else []  # shown once
        return [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", str(len(html))),
            *end,
            *self._last_headers[page.language.code],
        ]
