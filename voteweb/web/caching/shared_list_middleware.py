"""The WSGI layer that answers members' requests for lists before they reach Flask: from a frame, in one round trip.

Flask takes half the time of such a page to match the address, open the session and call hooks, none of which it needs.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from flask import g

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Voter
from voteweb.store.hints import HintCache
from voteweb.store.viewers import Viewer
from voteweb.web import flashes, security
from voteweb.web.auth import csrf, login
from voteweb.web.auth.sessions import SID, CookieSession, SessionInterface, cookie_name, cookie_names
from voteweb.web.caching import own_parts, shared_lists, shared_pages
from voteweb.web.caching.frames import Frame, Part
from voteweb.web.context import store
from voteweb.web.flask_app import FLASHES, SiteFlask
from voteweb.web.i18n.locale import LANGUAGES, Language
from voteweb.web.monitoring import request_record
from voteweb.web.own_marks import queue_marks
from voteweb.web.requests import parse_cookies

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def init_app(app: SiteFlask, settings: Settings) -> None:
    """Wrap *app* in this layer, unless *settings* switch shared lists off."""
    if settings.page_seconds:
        app.wsgi_app = SharedListMiddleware(app, settings)  # type: ignore[method-assign]


class SharedListMiddleware:
    """Answers requests that a frame serves; those with messages to show, among others, pass through to *app*."""

    def __init__(self, app: SiteFlask, settings: Settings) -> None:
        self._flask, self._app = app, app.wsgi_app
        self._shared = shared_pages.of_app(app)
        self._sessions = cast(SessionInterface, app.session_interface)
        self._cookie = cookie_name(settings)
        self._unwanted = cookie_names(settings) - {self._cookie} | {flashes.COOKIE}
        self._accounts: HintCache[int, tuple[Viewer, Language, Part] | None] = HintCache(config.HINT_CACHE_SIZE)
        self._last_headers = {code: security.private_headers(settings, LANGUAGES[code]) for code in LANGUAGES}

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer with a list that members share, else by the app."""
        cookies = parse_cookies(environ.get("HTTP_COOKIE", ""))
        if environ["REQUEST_METHOD"] != "GET" or self._cookie not in cookies or not self._unwanted.isdisjoint(cookies):
            return self._app(environ, start_response)
        session = self._sessions.read(cookies[self._cookie])
        voter = login.voter_in(session, session.get(SID, ""))
        frame = self._shared.find(environ, cookies, voter) if voter else None
        if voter is None or frame is None or FLASHES in session:
            return self._app(environ, start_response)
        try:
            page = self._fill(frame, session, voter, environ)
        except Exception as error:  # as Flask answers any error of a view
            return self._flask.respond_to_error(error, environ)(environ, start_response)
        if page is None:
            return self._app(environ, start_response)
        start_response("200 OK", self._headers(frame, page))
        return [page]

    def _fill(self, frame: Frame, session: CookieSession, voter: Voter, environ: "WSGIEnvironment") -> bytes | None:
        """Return the page of *frame* for *voter*, None if they must get another one."""
        with self._flask.app_context():
            g.language = frame.language
            known = store().my_sites.known(voter.id)
            reads_saves = known is not None and bool(known[0])
            pipeline = store().pipeline()
            read = store().viewers.queue_read(pipeline, voter)
            marks = queue_marks(pipeline, frame.content.ids, voter, read)
            pipeline.execute()
            viewer, token = login.set_viewer(read.result, voter), csrf.token_of(session)
            if viewer is None or not token or not shared_pages.may_share(viewer, frame.shown):
                return None
            if viewer.my and not reads_saves:  # this process has learnt of the viewer's choice in the meantime
                return None
            request_record.get(environ).complete(frame.route, viewer)
            parts = own_parts.parts_without_messages(token, self._account(read.result, voter.id, frame.language))
            return shared_lists.fill_frame(frame, parts, marks.result, viewer.name)

    def _account(self, viewer: Viewer, id: int, language: Language) -> Part:
        """Return the account links of *viewer*; to look them up by all that they show takes a twentieth of a list."""
        known = self._accounts.get(id, None)
        if known and known[0] is viewer and known[1] is language:
            return known[2]
        part = own_parts.account_part()
        self._accounts.put(id, (viewer, language, part))
        return part

    def _headers(self, frame: Frame, page: bytes) -> list[tuple[str, str]]:
        return [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", str(len(page))),
            *self._last_headers[frame.language.code],
        ]
