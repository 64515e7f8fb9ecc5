"""The WSGI layer that casts members' votes, and takes them back, before they reach Flask.

Flask takes half the time of a vote to match the address, open the session, call hooks and make a response, none of
which it needs. The layer asks the same functions as Flask's hooks whether a form is accepted; a request that it does
not accept passes through untouched, and Flask decides. A vote that fails passes through with the error, which the view
raises in place of voting.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, cast

from flask import redirect

from voteweb.core import config
from voteweb.core.caches import cache_short
from voteweb.core.comments import CommentId
from voteweb.core.config import Settings
from voteweb.core.models import Voter
from voteweb.web import rate_limits, read_only, security, voting
from voteweb.web.auth import csrf, login
from voteweb.web.auth.sessions import SessionInterface, cookie_name
from voteweb.web.caching import shared_pages
from voteweb.web.context import settings
from voteweb.web.flashes import vote_flash_cookie
from voteweb.web.flask_app import SiteFlask
from voteweb.web.monitoring import request_record
from voteweb.web.requests import SiteRequest
from voteweb.web.responses import prefers_json
from voteweb.web.urls import page_of, return_url_of

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

#: Where a request has the error with which its vote failed.
_FAILURE = "voteweb.vote_failure"
#: The addresses of votes on articles and on comments.
_ADDRESS = re.compile(r"/a/([1-9][0-9]{0,17})(?:/c/([1-9][0-9]{0,17}))?/(vote|unvote)")


class _Answer(NamedTuple):
    status: str
    headers: list[tuple[str, str]]
    body: bytes


def init_app(app: SiteFlask, settings: Settings) -> None:
    """Wrap *app*, whose sessions must be set up, in this layer."""
    app.wsgi_app = VoteMiddleware(app, settings)  # type: ignore[method-assign]


def raise_failure(environ: "WSGIEnvironment") -> None:
    """Raise the error with which the vote of *environ* has failed, if the layer has tried to cast it."""
    if _FAILURE in environ:
        raise environ.pop(_FAILURE)


class VoteMiddleware:
    """Casts votes and answers them; all requests but the usual ones, and votes that fail, pass through to *app*."""

    def __init__(self, app: SiteFlask, settings: Settings) -> None:
        self._flask, self._app = app, app.wsgi_app
        self._sessions = cast(SessionInterface, app.session_interface)
        self._host = security.site_host(settings)
        self._cookie = cookie_name(settings)
        self._last_headers = security.private_headers(settings)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a vote that is accepted and counts, else by the app."""
        address = _ADDRESS.fullmatch(environ.get("PATH_INFO", "")) if environ["REQUEST_METHOD"] == "POST" else None
        answer = self._answer(environ, *address.groups()) if address else None
        if answer is None:
            return self._app(environ, start_response)
        start_response(answer.status, answer.headers)
        return [answer.body]

    def _answer(self, environ: "WSGIEnvironment", id: str, number: str | None, act: str) -> _Answer | None:
        """Return the answer to a vote that counts; None for all others, with the error of one that was tried."""
        endpoint = f"{'votes' if number is None else 'comment_votes'}.{act}"
        if endpoint not in self._flask.view_functions:
            return None
        try:
            with self._flask.app_context():
                if read_only.error():
                    return None
                request = SiteRequest(environ, populate_request=False)
                voter = self._accepted(request)
                if voter is None:
                    return None
                target = int(id) if number is None else CommentId(int(id), int(number))
                hit = rate_limits.endpoint_hit(endpoint, "POST", voter.name)
                votes = voting.change(endpoint, target, voter, hit)
                record = request_record.get(environ)
                record.route, record.member = endpoint, voter.id
                return self._respond(request, endpoint, target, votes)
        except Exception as error:  # the view raises it, so that it is answered as that of any view
            environ[_FAILURE] = error
            return None

    def _accepted(self, request: SiteRequest) -> Voter | None:
        """Return the voter whose form *request* sends, None unless all is as usual."""
        environ, cookies = request.environ, request.cookies
        has_readable_body = not environ.get("CONTENT_TYPE") or request.is_short_form()
        if not has_readable_body or (self._host and not security.is_requested_host(request, self._host)):
            return None
        session = self._sessions.read(cookies.get(self._cookie))
        voter = login.voter_in(session)
        is_ours = voter and csrf.is_from_this_site(request) and csrf.has_valid_token(request, session)
        return voter if is_ours else None

    def _respond(self, request: SiteRequest, endpoint: str, id: int | CommentId, votes: int) -> _Answer:
        """Return the answer to a form, or to script, after whose act the article or comment has these *votes*."""
        if prefers_json(request.environ.get("HTTP_ACCEPT", "")):
            response = voting.script_response(endpoint, id, votes)
            answer = _Answer(response.status, list(response.headers), response.get_data())
            cookies = []
        else:
            page = page_of(id) if isinstance(id, int) else page_of(*id)
            answer = _redirect(return_url_of(request.form.get("next", ""), *page))
            cookies = [vote_flash_cookie(voting.ACTS[endpoint].outcome, secure=settings().secure)]
        if mark := shared_pages.mark_cookie():
            cookies.append(mark)
        headers = [*answer.headers, *(("Set-Cookie", cookie) for cookie in cookies), *self._last_headers]
        return answer._replace(headers=headers)


# Without this, a vote takes a tenth longer.
@cache_short(config.SESSION_CACHE_SIZE)
def _redirect(target: str) -> _Answer:
    """Return the answer that leads to *target* as Flask makes it, with its first headers."""
    response = redirect(target, 303)
    return _Answer(response.status, list(response.get_wsgi_headers({})), response.get_data())
