"""The lane of programs: a WSGI layer that answers lists and votes with a token before the request reaches Flask.

As in :mod:`voteweb.web.views.lane`, all that is not as usual passes to Flask, which answers the same. The first page of
a list is kept for VOTEWEB_PAGE_SECONDS, as pages are, but not for a member whose program has acted in this process
meanwhile. Of the member, everything is read each time.
"""

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec
from flask import g, request
from werkzeug.http import generate_etag

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import CommentId
from voteweb.core.errors import LoggedOut
from voteweb.core.models import Article, Right, User, Voter
from voteweb.core.rate_limits import member_limit
from voteweb.core.settings import Settings
from voteweb.core.site_switches import SwitchName
from voteweb.web.api import votes
from voteweb.web.api.operations import OPERATIONS, Page, link_to
from voteweb.web.api.shapes import Marks, article_rows
from voteweb.web.auth import bearer, login
from voteweb.web.base.context import request_app, settings, store
from voteweb.web.base.flask_app import SiteFlask, SiteRequest
from voteweb.web.base.request_bounds import is_api
from voteweb.web.caching import shared_pages
from voteweb.web.caching.own_marks import NO_MARK, Mark, queue_marks
from voteweb.web.caching.page_cache import Key, is_cached_address, page_key
from voteweb.web.monitoring import request_record
from voteweb.web.requests import rate_limits, security, site_switches

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from flask.typing import ResponseReturnValue

_EXTENSION = "voteweb.program_lane"
_VOTE = re.compile(rf"{config.API_PATH}/articles/([1-9]\d{{0,17}})(?:/comments/([1-9]\d{{0,17}}))?/vote", re.ASCII)
_ACTS = {"PUT": "vote", "DELETE": "unvote"}
#: The operations by the endpoints of their forms.
_NAMES = {row.form: row.name for row in OPERATIONS}
#: The headers of all answers of the API: pages of any site may use it, as it takes no cookies.
OPEN_HEADERS = (
    ("Access-Control-Allow-Origin", "*"),
    (
        "Access-Control-Expose-Headers",
        "Content-Language, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After",
    ),
)
#: Bytes that a list takes besides its rows.
_PAGE_BYTES = 2_000


def _program(voter: Voter) -> str:
    """Return the digest of the token of the program that acts for *voter*."""
    return voter.call.program if voter.call else ""


def _encode(mark: Mark) -> bytes:
    return msgspec.json.encode(Marks(mark.voted, mark.saved, mark.new))


_NO_MARKS = _encode(NO_MARK)


class _Kept(NamedTuple):
    """The first page of a list, as it was read when ``asked``, by the clock of lists that are kept.

    It is right as long as the ``switches`` are the same object. ``start`` is its JSON before the rows, and ``rows`` are
    these by id, without what a member did; ``shown`` is the entry with which members hide them on other lists.
    """

    asked: float
    switches: object
    start: bytes
    rows: dict[int, bytes]
    link: str
    shown: str


class _Answer(NamedTuple):
    """The answer of the operation *name*."""

    name: str
    headers: list[tuple[str, str]]
    body: bytes

    def send(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        start_response("200 OK", [*self.headers, ("Content-Length", str(len(self.body)))])
        return [self.body]


class Lane:
    """Answers the usual requests of programs; all others pass to the app."""

    def __init__(self, app: SiteFlask, settings: Settings) -> None:
        self._flask, self._app = app, cast("WSGIApplication", app.wsgi_app)
        self._host, self._seconds = security.site_host(settings), settings.page_seconds
        self._headers = [
            ("Content-Type", "application/json"),
            ("Vary", "Authorization"),
            *OPEN_HEADERS,
            *security.private_headers(settings),
        ]
        #: Lists for VOTEWEB_PAGE_SECONDS: with them, one takes a quarter of the time.
        self.kept: BoundedCache[Key, _Kept] = BoundedCache(config.SHARED_PAGES_BYTES)
        #: Programs that got a list which others can get when they were seen last, and when they acted since: those
        #: that are not here, or never get one, would be read in vain.
        self.since: BoundedCache[str, float] = BoundedCache(config.HINT_CACHE_SIZE)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer the request, else by the app."""
        voter = bearer.known_voter(environ) if is_api(environ) else None
        if voter is None:
            return self._app(environ, start_response)
        try:
            return (self._answer(environ, voter) or self._app)(environ, start_response)
        finally:
            if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
                program = _program(voter)
                self.since.put(program, max(self.since.get(program) or 0.0, shared_pages.clock()))

    def _answer(self, environ: "WSGIEnvironment", voter: Voter) -> "WSGIApplication | None":
        """Return what answers the request of a program of *voter*, None unless all is as usual."""
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        vote = _VOTE.fullmatch(path) if method in _ACTS else None
        kept = self._find(environ, voter) if method == "GET" else None
        if not vote and not kept:
            return None

        def refuse(error: Exception) -> "ResponseReturnValue":
            g.voter = voter
            return self._flask.handle_user_exception(error)

        try:
            with self._flask.app_context():
                site_switches.refuse_lost()
                g.voter = voter
                if SwitchName.PROGRAMS in site_switches.current():
                    return None
                answer = self._vote(environ, voter, *vote.groups()) if vote else self._list(voter, cast(_Kept, kept))
                if answer:
                    record = request_record.get(environ)
                    record.route, record.member = f"api.{answer.name}", voter.id
                    bearer.note_use()
        except LoggedOut:
            return None
        except Exception as error:
            return self._flask.respond_to_error(error, environ, refuse)
        return answer.send if answer else None

    def _find(self, environ: "WSGIEnvironment", voter: Voter) -> _Kept | None:
        """Return the list that the request asks for if it is kept, and right for a program of *voter*."""
        kept, since = self.kept.get(page_key(environ, "")), self.since.get(_program(voter))
        if kept is None or since is None or "HTTP_IF_NONE_MATCH" in environ:
            return None
        return kept if since <= kept.asked and shared_pages.clock() < kept.asked + self._seconds else None

    def _list(self, voter: Voter, kept: _Kept) -> _Answer | None:
        """Return the list that is *kept*, with what *voter* did; None if the program of *voter* gets another one."""
        site, program = store(), _program(voter)
        pipeline = site.pipeline()
        read = site.viewers.queue_read(pipeline, voter)
        viewer = pipeline.then(lambda: login.set_viewer(read.result, voter))
        rate_limits.queue_program_hit(pipeline, program)
        marks = queue_marks(pipeline, tuple(kept.rows), voter)
        pipeline.execute()
        user = viewer.result
        if user is None or not _gets_list_of_others(user, kept.shown) or (user.my and not marks.has_saves):
            self.since.put(program, math.inf)
            return None
        if rate_limits.exceeded() or kept.switches is not site_switches.current():
            return None
        marked = {id: _encode(mark) for id, mark in marks.read.result.items()}
        rows = [b'%s,"own":%s}' % (row, marked.get(id, _NO_MARKS)) for id, row in kept.rows.items()]
        body = b"%s%s]}" % (kept.start, b",".join(rows))
        headers = [("ETag", f'"{generate_etag(body)}"'), *([("Link", kept.link)] if kept.link else [])]
        return _Answer("list_articles", [*self._headers, *rate_limits.quota_headers(), *headers], body)

    def _vote(self, environ: "WSGIEnvironment", voter: Voter, id: str, number: str | None) -> _Answer | None:
        endpoint = f"{'votes' if number is None else 'comment_votes'}.{_ACTS[environ['REQUEST_METHOD']]}"
        request = SiteRequest(environ, populate_request=False)
        has_body = environ.get("CONTENT_LENGTH", "") not in ("", "0") or "HTTP_TRANSFER_ENCODING" in environ
        is_elsewhere = self._host and not security.is_requested_host(request, self._host)
        if endpoint not in self._flask.view_functions or has_body or is_elsewhere or site_switches.error():
            return None
        g.other_limit = member_limit(endpoint, "POST")
        vote = votes.cast(endpoint, int(id) if number is None else CommentId(int(id), int(number)))
        return _Answer(_NAMES[endpoint], [*self._headers, *rate_limits.quota_headers()], msgspec.json.encode(vote))


def init_app(app: SiteFlask, settings: Settings) -> None:
    """Wrap *app*, whose views must be set up, in the lane."""
    app.wsgi_app = app.extensions[_EXTENSION] = Lane(app, settings)  # type: ignore[method-assign]


def keep(asked: float, page: Page, articles: Iterable[Article], user: User | None, shown: str) -> None:
    """Keep the first *page* of a list, as it was read when *asked*, with its *articles*, if *user* gets that of others.

    *page* has no articles itself; *shown* is the entry with which members hide them on other lists.
    """
    if user is None or not user.call or not is_cached_address(request.environ):
        return
    if not settings().page_seconds or not _gets_list_of_others(user, shown):
        return
    lane = cast(Lane, request_app().extensions[_EXTENSION])
    rows = {row.id: msgspec.json.encode(row)[:-1] for row in article_rows(articles, has_marks=False)}
    start, link = msgspec.json.encode(page)[:-2], link_to(page.next) if page.next else ""
    kept = _Kept(asked, site_switches.current(), start, rows, link, shown)
    lane.kept.put(page_key(request.environ, ""), kept, sum(map(len, rows.values())) + _PAGE_BYTES)
    if (lane.since.get(user.call.program) or math.inf) == math.inf:
        lane.since.put(user.call.program, asked)


def _gets_list_of_others(user: User, shown: str) -> bool:
    """Tell whether a program of *user*, who has just been read, gets the same list as those of other members."""
    program = login.viewer_read().program
    return program is not None and Right.READ in program.rights and shared_pages.may_share(user, shown)
