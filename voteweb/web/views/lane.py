"""The members' lane: a WSGI layer that answers what members ask for most, before the request reaches Flask.

These are votes, and the pages that members share (:mod:`voteweb.web.caching.shared_pages`): lists that are kept, read
afresh if they are too old for the browser, and articles as long as nothing about them has changed. A page takes one
round trip, a list that is read afresh another if articles are new on it. Flask takes most of their time to match the
address, open the session, call hooks and make a response.

The lane asks the same functions as Flask's hooks whether a request is as usual. All others pass to Flask untouched,
among them those for pages that are not kept, and for an article that has changed.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from flask import redirect
from flask.sessions import SessionMixin
from werkzeug.sansio.http import parse_cookie

from voteweb.core import config
from voteweb.core.caches import BoundedCache, cache_short
from voteweb.core.comments import CommentId
from voteweb.core.errors import VotewebError
from voteweb.core.models import User, Voter
from voteweb.core.names import name_key
from voteweb.core.settings import Settings
from voteweb.store.connection.pipeline import Pipeline
from voteweb.store.members.viewers import Viewer
from voteweb.web.auth import csrf, login
from voteweb.web.auth.sessions import SessionInterface, cookie_name
from voteweb.web.base.context import request_globals, settings, store
from voteweb.web.base.flask_app import FLASHES, SiteFlask, SiteRequest
from voteweb.web.base.responses import prefers_json
from voteweb.web.base.urls import page_of, return_url_of
from voteweb.web.caching import flashes, own_parts, shared_pages
from voteweb.web.caching.own_marks import queue_marks, read_marks
from voteweb.web.caching.own_parts import Part, Pieces
from voteweb.web.caching.page_cache import Key, page_key
from voteweb.web.caching.shared_pages import Kept, Read, Rows
from voteweb.web.i18n import locale
from voteweb.web.i18n.locale import LANGUAGES, Language
from voteweb.web.monitoring import request_record
from voteweb.web.pages import shared_articles
from voteweb.web.pages.conversations import NOTED_READ, ChosenPage, is_prefetch, own_order, visit_goes_on
from voteweb.web.requests import rate_limits, security, site_switches
from voteweb.web.views import votes

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

#: The addresses of votes on articles and on comments, and that of an article; Flask takes some others too.
_VOTE = re.compile(r"/a/([1-9][0-9]{0,17})(?:/c/([1-9][0-9]{0,17}))?/(vote|unvote)", re.ASCII)
_ARTICLE = re.compile(r"/a/([1-9][0-9]{0,15})", re.ASCII)
#: The page for the viewer, cut, and the parts of it that not every page has; None if the viewer gets another one.
_Page = tuple[Pieces, dict[str, Part]] | None
#: Returns the page for the viewer once what was queued for it has been read.
_Finish = Callable[[User], _Page]


def init_app(app: SiteFlask, settings: Settings) -> None:
    """Wrap *app*, whose sessions and views must be set up, in the lane."""
    app.wsgi_app = Lane(app, settings)  # type: ignore[method-assign]


class _Answer(NamedTuple):
    status: str
    headers: list[tuple[str, str]]
    body: bytes

    def send(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        start_response(self.status, self.headers)
        return [self.body]


class _Sent(NamedTuple):
    """A request with the session of a member, who may have been logged out elsewhere."""

    environ: "WSGIEnvironment"
    cookies: Mapping[str, str]
    session: SessionMixin
    voter: Voter


class _Found(NamedTuple):
    """A page that is kept under this key, in this language; ``read`` reads a list afresh that is too old."""

    kept: Kept
    key: Key
    language: Language
    read: Read | None


class Lane:
    """Answers the usual requests of members; all others pass to the app."""

    def __init__(self, app: SiteFlask, settings: Settings) -> None:
        self._flask, self._app = app, cast("WSGIApplication", app.wsgi_app)
        self._shared = shared_pages.of_app(app)
        self._sessions = cast(SessionInterface, app.session_interface)
        self._cookie, self._host = cookie_name(settings), security.site_host(settings)
        self._has_comments = bool(settings.comments)
        #: Account links of members, until what they show changes: to look them up by that takes a twentieth of a list.
        self._accounts: BoundedCache[int, tuple[Viewer, Language, Part]] = BoundedCache(config.HINT_CACHE_SIZE)
        self._flash_end = "Set-Cookie", flashes.vote_flash_cookie(None, secure=settings.secure)
        self._vote_headers = security.private_headers(settings)
        self._page_headers = {code: security.private_headers(settings, LANGUAGES[code]) for code in LANGUAGES}

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer the request, else by the app."""
        cookies = parse_cookie(environ.get("HTTP_COOKIE", ""))
        answer = None
        if self._cookie in cookies:
            session = self._sessions.read(cookies[self._cookie])
            voter = login.voter_in(session)
            answer = self._answer(_Sent(environ, cookies, session, voter)) if voter else None
        return (answer or self._app)(environ, start_response)

    def _answer(self, sent: _Sent) -> "WSGIApplication | None":
        """Return what answers the request of a member, None unless all is as usual."""
        method, path = sent.environ["REQUEST_METHOD"], sent.environ.get("PATH_INFO", "")
        vote = _VOTE.fullmatch(path) if method == "POST" else None
        found = self._find(sent) if method == "GET" else None
        if not vote and not found:
            return None
        try:
            with self._flask.app_context():
                site_switches.refuse_lost()
                answer = self._vote(sent, *vote.groups()) if vote else self._page(sent, cast(_Found, found))
        except Exception as error:
            answer_error = votes.answer_failure if vote else self._flask.handle_user_exception
            return self._flask.respond_to_error(error, sent.environ, answer_error)
        return answer.send if answer else None

    def _find(self, sent: _Sent) -> _Found | None:
        """Return the page that the request asks for if it is kept and may be right; else it would be read in vain."""
        environ, cookies = sent.environ, sent.cookies
        if FLASHES in sent.session or self._shared.excluded.get(sent.voter.id):
            return None
        language = locale.negotiate(cookies.get(locale.COOKIE, ""), environ.get("HTTP_ACCEPT_LANGUAGE", ""))
        key = page_key(environ, language.code)
        kept = self._shared.kept.get(key)
        if kept is None:
            return None
        if kept.rows:
            is_current = shared_pages.ACTED not in cookies and shared_pages.clock() < kept.until
            read = None if is_current else kept.read
            is_right = is_current or read is not None
        else:
            is_others = kept.in_lane and self._has_comments and kept.poster != name_key(sent.voter.name)
            is_right, read = is_others and not environ.get("QUERY_STRING") and not is_prefetch(environ), None
        return _Found(kept, key, language, read) if is_right else None

    def _page(self, sent: _Sent, found: _Found) -> _Answer | None:
        """Return the page that was *found*, None if it is not right for the viewer."""
        request_globals().language = found.language
        flash, token = flashes.vote_flash_of(sent.cookies), csrf.token_of(sent.session)
        messages = [("message", flashes.vote_message(flash))] if flash else []
        html = self._fill(sent, found, token, messages) if token else None
        if html is None:
            return None
        headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(html)))]
        headers += [self._flash_end] if flash else []  # shown once
        return _Answer("200 OK", [*headers, *self._page_headers[found.language.code]], html)

    def _fill(self, sent: _Sent, found: _Found, token: str, messages: list[tuple[str, str]]) -> bytes | None:
        """Return the page that was *found*, with the viewer's parts; None if they must get another one."""
        site, voter, rows = store(), sent.voter, found.kept.rows
        pipeline = site.pipeline()
        read = site.viewers.queue_read(pipeline, voter)
        viewer = pipeline.then(lambda: login.set_viewer(read.result, voter))
        finish = _queue_list(sent, found, rows, pipeline) if rows else _queue_article(sent, found.key, pipeline)
        pipeline.execute()
        user = viewer.result
        page = finish(user) if user and shared_pages.may_share(user, found.kept.shown) else None
        if page is None:
            return None
        request_record.get(sent.environ).complete(found.kept.route, user)
        pieces, parts = page
        # The number beside the inbox is without the entries that this page has just shown.
        account = self._account(voter.id, login.viewer_read(), found.language)
        return own_parts.fill(pieces, own_parts.parts_of(token, account, messages) | parts)

    def _account(self, id: int, viewer: Viewer, language: Language) -> Part:
        """Return the account links of the *viewer* with this *id*."""
        known = self._accounts.get(id)
        if known and known[0] is viewer and known[1] is language:
            return known[2]
        part = [own_parts.account().encode()]
        self._accounts.put(id, (viewer, language, part))
        return part

    def _vote(self, sent: _Sent, id: str, number: str | None, act: str) -> _Answer | None:
        """Cast a vote, or take it back; return None for a form that is not accepted here."""
        endpoint = f"{'votes' if number is None else 'comment_votes'}.{act}"
        if endpoint not in self._flask.view_functions or site_switches.error():
            return None
        request, record = SiteRequest(sent.environ, populate_request=False), request_record.get(sent.environ)
        if not self._accepts(request, sent.session):
            return None
        target = int(id) if number is None else CommentId(int(id), int(number))
        record.route, record.member = endpoint, sent.voter.id
        count = votes.change(endpoint, target, sent.voter, rate_limits.endpoint_hit(endpoint, "POST", sent.voter.name))
        return self._answer_vote(request, endpoint, target, count)

    def _accepts(self, request: SiteRequest, session: SessionMixin) -> bool:
        """Tell whether *request* is a form that a page of this site sends, with the token of *session*."""
        has_readable_body = not request.environ.get("CONTENT_TYPE") or request.is_short_form()
        if not has_readable_body or (self._host and not security.is_requested_host(request, self._host)):
            return False
        return csrf.is_from_this_site(request) and csrf.has_valid_token(request, session)

    def _answer_vote(self, request: SiteRequest, endpoint: str, id: int | CommentId, count: int) -> _Answer:
        """Return the answer to a form, or to script, after whose act the article or comment has *count* votes."""
        if prefers_json(request.environ.get("HTTP_ACCEPT", "")):
            response = votes.script_response(endpoint, id, count)
            answer = _Answer(response.status, list(response.headers), response.get_data())
            cookies = []
        else:
            page = page_of(id) if isinstance(id, int) else page_of(*id)
            answer = _redirect(return_url_of(request.form.get("next", ""), *page))
            cookies = [flashes.vote_flash_cookie(votes.ACTS[endpoint].outcome, secure=settings().secure)]
        if acted := shared_pages.acted_cookie():
            cookies.append(acted)
        headers = [*answer.headers, *(("Set-Cookie", cookie) for cookie in cookies), *self._vote_headers]
        return answer._replace(headers=headers)


def _queue_list(sent: _Sent, found: _Found, last: Rows, pipeline: Pipeline) -> _Finish:
    """Queue a read of the viewer's acts on the *last* rows of a list, and of the list itself if it is too old."""
    asked, finish_read = shared_pages.clock(), found.read(pipeline) if found.read else None
    queued = queue_marks(pipeline, last.ids, sent.voter)

    def finish(user: User) -> _Page:
        if finish_read is None:
            # This process has learnt of the viewer's choice, or of other switches, in the meantime.
            if (user.my and not queued.has_saves) or found.kept.switches is not site_switches.current():
                return None
            return found.kept.pieces, {shared_pages.ROWS: last.fill(queued.read.result, user.name)}
        try:
            articles, context = finish_read()
        except VotewebError:  # such as that a group has another name now: the view answers it
            return None
        marks = read_marks(articles, user, queued)
        pieces, rows = shared_pages.keep_list(sent.environ, asked, found.kept, articles, context)
        return pieces, {shared_pages.ROWS: rows.fill(marks.by_id, user.name)}

    return finish


def _queue_article(sent: _Sent, key: Key, pipeline: Pipeline) -> _Finish:
    """Queue a read of article and conversation for the viewer, and a note of the visit.

    A view that makes the page instead notes it once more, and shows as new what this has found.
    """
    site, match, voter = store(), _ARTICLE.fullmatch(key[2]), sent.voter
    id = int(match[1]) if match else 0
    goes_on = visit_goes_on(sent.environ, id)
    thread = site.threads.queue_read(pipeline, id, viewer_id=voter.id, visitor=voter.name, goes_on=goes_on)
    sent.environ[NOTED_READ] = thread
    marks = queue_marks(pipeline, (id,), voter, in_list=False)

    def finish(user: User) -> _Page:
        article = thread.result.article
        if article is None:
            return None
        mark = marks.read.result.get(id)
        article = mark.on(article) if mark else article
        chosen, more = ChosenPage(article, thread.result, order=own_order(user)), site.pipeline()
        pieces = shared_pages.find_article(key, *shared_articles.inputs(article, chosen))
        if pieces is None:
            return None
        conversation = chosen.queue(more, user)
        more.execute()
        return pieces, shared_articles.own(user, article, conversation.result)

    return finish


# Without this, a vote takes a tenth longer.
@cache_short(config.SESSION_CACHE_SIZE)
def _redirect(target: str) -> _Answer:
    """Return the answer that leads to *target* as Flask makes it, with its first headers."""
    response = redirect(target, 303)
    return _Answer(response.status, list(response.get_wsgi_headers({})), response.get_data())
