"""Headers and cookies of every response, added by a hook after requests; the module of each decides about it."""

from flask import Flask, Response, g, request, session

from voteweb.core.settings import Settings
from voteweb.web.auth.sessions import USER
from voteweb.web.caching import flashes, shared_pages
from voteweb.web.monitoring import request_record
from voteweb.web.requests import rate_limits, security, site_switches


def init_app(app: Flask, settings: Settings) -> None:
    """Finish every response of *app*, after the hooks of all that is set up later."""
    fixed, is_shared = security.fixed_headers(settings), settings.page_seconds > 0

    @app.after_request
    def finish(response: Response) -> Response:
        viewer, headers = g.get("viewer"), response.headers
        request_record.get(request.environ).complete(request.endpoint, viewer)

        if "counted_form" in g or "member_hit" in g:
            rate_limits.count_refused_form(response.status_code)
        if "rate_limit_refusal" in g:
            rate_limits.add_retry_after(response)
        if "read_only" in g:
            site_switches.add_retry_after(response)
        if "vote_flash" in g:
            flashes.set_vote_flash(response, None)
        if request.method == "POST" and session.get(USER):
            shared_pages.set_acted_cookie(response)

        if request.endpoint == "static":
            g.is_public = True
        is_public = g.get("is_public", False)
        headers.extend((*fixed, security.resource_policy(is_public=is_public)))

        # Static files and feeds have the same language for everybody, so they do not vary by it.
        language = g.get("negotiated_language")
        if language:
            headers["Content-Language"] = language.tag
            _vary(response, *security.VARY_PAGE)
        elif not is_public:
            _vary(response, *security.VARY)

        # The session cookie is set only after this function, if the session has changed. Browsers cache even a 404
        # or 410 for a while unless told not to.
        sets_cookie = session.modified or "Set-Cookie" in headers
        # A form token is in the session; a public response contains none, for members neither.
        has_session = bool(session) and not is_public
        is_personal = sets_cookie or has_session or viewer is not None or request.method == "POST"
        if is_personal or response.status_code >= 400:
            headers.set(*security.PRIVATE)
        elif is_shared and response.status_code == 200 and "Cache-Control" not in headers:
            headers.add(*security.SHARED)
        return response


def _vary(response: Response, *names: str) -> None:
    if "Vary" in response.headers:
        response.vary.update(names)
    else:  # Without this, a reader's page takes 3 % longer.
        response.headers.add("Vary", ", ".join(names))
