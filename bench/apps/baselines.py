"""The baselines: WSGI apps that do only a part of the work of a site, as a bound on its speed.

Each public function is a factory for :mod:`bench.apps.wsgi_server`.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import flask_login
from flask import Flask
from flask_wtf.csrf import CSRFProtect, generate_csrf

from bench.constants import DATABASE_URL, SECRET, STATIC_RESPONSE
from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store import open_store
from voteweb.web.auth import sessions
from voteweb.web.flask_app import SiteFlask


def static_response() -> Any:
    """Return a WSGI app that answers every request with the headers and the body from a folder."""
    folder = Path(os.environ[STATIC_RESPONSE])
    headers = [tuple(header) for header in json.loads((folder / "headers.json").read_text())]
    body = (folder / "body").read_bytes()

    def app(_environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", headers)
        return (body,)  # as measured, granian sends a third more tuples than lists a second

    return app


def plain_flask() -> Flask:
    """Return the smallest Flask app."""
    app = Flask("plain_flask")

    @app.get("/")
    def front() -> str:
        return "Hello"

    return app


def flask_with_login() -> Flask:
    """Return a Flask app that reads the member from a signed cookie alone, and checks the tokens of forms.

    It sets up Flask-Login and Flask-WTF as voteweb does, and leaves Flask as it is.
    """
    return _add_login(Flask("flask_with_login"))


def tuned_flask_with_login() -> Flask:
    """Return :func:`flask_with_login` with the requests, functions and sessions of voteweb's app."""
    app = _add_login(SiteFlask("tuned_flask_with_login"))
    sessions.init_app(app)
    return app


def _add_login(app: Flask) -> Flask:
    app.config.update(SECRET_KEY=SECRET, SESSION_REFRESH_EACH_REQUEST=False, WTF_CSRF_TIME_LIMIT=None)
    manager = flask_login.LoginManager(app)
    manager.session_protection = None
    CSRFProtect(app)

    @manager.user_loader  # type: ignore[untyped-decorator]
    def load(name: str) -> flask_login.UserMixin:
        return _user(name)

    @app.get("/")
    def front() -> str:
        return f"Hello {flask_login.current_user.get_id()}"

    @app.get("/log-in/<name>")
    def log_in(name: str) -> str:
        flask_login.login_user(_user(name))
        return f'<input name="csrf_token" value="{generate_csrf()}">'

    return app


def flask_with_queries() -> Flask:
    """Return :func:`flask_with_login` that also sends the queries of voteweb's front page and parses the replies.

    No page that knows the member and lists the articles can be faster.
    """
    app = flask_with_login()
    settings = Settings(redis_url=os.environ[DATABASE_URL], secret_key=SECRET)
    store = open_store(settings)
    front, ranking = app.view_functions["front"], store.rankings.site(Order.SCORE)

    def front_with_queries() -> Any:
        pipeline = store.pipeline()
        store.users.queue_get(pipeline, flask_login.current_user.get_id())
        store.reports.queue_count(pipeline)
        store.listings.queue_good(pipeline, config.GOOD_ON_FRONT)
        store.listings.queue_page(pipeline, ranking, 1)
        store.votes.queue_own(pipeline, store.listings.recent_ids(ranking, 1), 1)
        pipeline.execute()
        return front()

    app.view_functions["front"] = front_with_queries
    return app


def _user(name: str) -> flask_login.UserMixin:
    user = flask_login.UserMixin()
    user.id = name
    return user
