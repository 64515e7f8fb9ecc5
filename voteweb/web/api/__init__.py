"""The API: operations of programs on the site, each the act that a form does too, and their description as OpenAPI."""

from flask import Flask, Response, g, request

from voteweb.core.settings import Settings
from voteweb.web.api import choices as choices
from voteweb.web.api import conversations as conversations
from voteweb.web.api import lane, openapi, operations
from voteweb.web.api import lists as lists
from voteweb.web.api import me as me
from voteweb.web.api import moderation as moderation
from voteweb.web.api import search as search
from voteweb.web.api import site as site
from voteweb.web.api import votes as votes
from voteweb.web.api import writing as writing
from voteweb.web.base.request_bounds import is_api
from voteweb.web.requests import rate_limits

_ALLOWED = "Authorization, Content-Type, Idempotency-Key, If-None-Match"


def init_app(app: Flask, settings: Settings) -> None:
    """Register the operations in *app*, on a site without conversations none of theirs."""
    app.register_blueprint(operations.blueprint_of(with_comments=bool(settings.comments)))
    app.register_blueprint(openapi.blueprint)

    @app.after_request
    def allow_origins(response: Response) -> Response:
        """Allow pages of any site to use the API: it takes no cookies, so that they can do what any program can."""
        if request.path == "/api" or request.path.startswith("/api/"):
            response.headers.extend((*lane.OPEN_HEADERS, *(rate_limits.quota_headers() if g.get("voter") else ())))
            if g.get("is_replayed"):
                response.headers["Idempotency-Replayed"] = "true"
            if is_api(request.environ):
                response.vary.add("Authorization")
            if request.method == "OPTIONS":
                response.headers["Access-Control-Allow-Headers"] = _ALLOWED
                response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
                response.headers["Access-Control-Max-Age"] = "86400"
        return response
