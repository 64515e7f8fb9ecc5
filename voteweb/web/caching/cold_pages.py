"""Cold pages: a WSGI layer before Flask that refuses them to readers who ask for too many.

The page cache and the members' lane are around it, so that it meets only what must be rendered.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, cast

from flask import Response
from werkzeug.sansio.http import parse_cookie

from voteweb.core import config
from voteweb.core.addresses import networks
from voteweb.core.caches import BoundedCache, cache_short
from voteweb.core.cold_reads import ColdReads, hits_of
from voteweb.core.errors import TooFast
from voteweb.core.rate_limits import COLD
from voteweb.core.settings import Settings
from voteweb.web.auth import bearer, login
from voteweb.web.auth.sessions import SessionInterface, cookie_name
from voteweb.web.base import request_bounds
from voteweb.web.base.flask_app import SiteFlask
from voteweb.web.base.responses import prefers_json
from voteweb.web.caching.page_cache import IS_WARM, STATIC_PATH, page_key
from voteweb.web.i18n import locale
from voteweb.web.monitoring import metrics, request_record
from voteweb.web.requests.security import MONITORING_ENDPOINTS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

#: Endpoints that nobody is refused: a crawler must get the file that tells it where it is not welcome, and people whose
#: neighbours read too much can log in, after which they are not counted.
_FREE = MONITORING_ENDPOINTS | {
    "site_files.robots",
    "auth.login",
    "auth.second_factor",
    "auth.signup",
    "recovery.recover",
}


def init_app(app: SiteFlask, settings: Settings) -> None:
    """Wrap *app*, whose sessions and views must be set up, in the layer, unless *settings* have no limit."""
    factor = settings.limits * settings.cold_reads / COLD.burst
    if factor:
        app.wsgi_app = ColdPages(app, settings, factor)  # type: ignore[method-assign]


class ColdPages:
    """Passes requests on to the app, but for cold pages of those who have asked for too many."""

    def __init__(self, app: SiteFlask, settings: Settings, factor: float) -> None:
        self._flask, self._app = app, cast("WSGIApplication", app.wsgi_app)
        self._sessions, self._cookie = cast(SessionInterface, app.session_interface), cookie_name(settings)
        self._free = {rule.rule for rule in app.url_map.iter_rules() if rule.endpoint in _FREE}
        # Takes 15 µs, a seventh of a refusal.
        self._hits = cache_short(config.HINT_CACHE_SIZE)(partial(hits_of, exempt=networks(settings.cold_exempt)))
        self._reads = ColdReads(factor)
        #: Answers by all that they depend on, nothing of which is a visitor's own; with them, a refusal takes a tenth.
        self._answers: BoundedCache[tuple[object, ...], Response] = BoundedCache(config.FRAGMENT_CACHE_SIZE)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer with the app, or with 429."""
        refusal = self._refusal(environ) if environ["REQUEST_METHOD"] in ("GET", "HEAD") else None
        return (self._answer(refusal, environ) if refusal else self._app)(environ, start_response)

    def _refusal(self, environ: "WSGIEnvironment") -> TooFast | None:
        """Return why the request is refused, None if it is not."""
        path, hits = environ.get("PATH_INFO", ""), self._hits(environ.get("REMOTE_ADDR") or "")
        if not hits or IS_WARM in environ or path in self._free or path.startswith(STATIC_PATH):
            return None
        if request_bounds.is_api(environ) and bearer.has_token(environ):
            return None
        session = self._sessions.read(parse_cookie(environ.get("HTTP_COOKIE", "")).get(self._cookie))
        return None if login.names_member(session) else self._reads.take(hits)

    def _answer(self, refusal: TooFast, environ: "WSGIEnvironment") -> Response:
        """Return the answer to a request that is refused, as to a reader who asks for the front page."""
        cookies = parse_cookie(environ.get("HTTP_COOKIE", ""))
        language = locale.negotiate(cookies.get(locale.COOKIE, ""), environ.get("HTTP_ACCEPT_LANGUAGE", ""))
        path = config.API_PATH if request_bounds.is_api(environ) else "/"
        reader = {"PATH_INFO": path, "QUERY_STRING": "", "HTTP_COOKIE": "", "HTTP_ACCEPT_LANGUAGE": language.tag}
        page = prefers_json(environ.get("HTTP_ACCEPT", "")), page_key(environ | reader, language.code)
        key = *map(refusal.values.get, ("kind", "wait", "when")), *page
        answer = self._answers.get(key)
        if answer is not None:
            metrics.REFUSALS.labels(refusal.values["kind"]).inc()
            return answer
        answer = self._flask.respond_to_error(refusal, environ | reader, self._flask.handle_user_exception)
        request_record.get(environ).complete(None, None)
        return self._answers.put(key, answer)
