"""The floors: what remains of a web site when everything is left out that makes it one.

Each function makes a WSGI app for :mod:`bench.serve`; :func:`members` is also what the book's site is built on.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import flask_login
from flask import Flask
from flask_wtf.csrf import CSRFProtect, generate_csrf

from bench.settings import ANSWER, DATABASE_URL, SECRET
from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store import open_store


def bare() -> Any:
    """Return an app that gives one ready answer, headers and bytes, to whatever is asked."""
    folder = Path(os.environ[ANSWER])
    headers = [tuple(each) for each in json.loads((folder / "headers.json").read_text())]
    body = (folder / "body").read_bytes()

    def app(_environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", headers)
        return (body,)  # measured: granian sends a third more of these a second than of lists

    return app


def hello() -> Flask:
    """Return the smallest Flask there is."""
    app = Flask("hello")

    @app.get("/")
    def front() -> str:
        return "Hello"

    return app


def members() -> Flask:
    """Return a Flask that knows who is looking, from a signed cookie alone, and checks the tokens of forms.

    Set up as voteweb sets up the same three libraries.
    """
    app = Flask("members")
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


def asking() -> Flask:
    """Return :func:`members` that asks, before each answer, what voteweb's front page asks, and reads the answers.

    No page of a member can be faster that finds out who is looking and how the articles stand.
    """
    app = members()
    settings = Settings(redis_url=os.environ[DATABASE_URL], secret_key=SECRET)
    store = open_store(settings)
    hello, ranking = app.view_functions["front"], store.rankings.site(Order.SCORE)

    def front() -> Any:
        pipeline = store.pipeline()
        store.users.queue_get(pipeline, flask_login.current_user.get_id())
        store.reports.queue_count(pipeline)
        store.listings.queue_good(pipeline, settings.good_on_front)
        store.listings.queue_page(pipeline, ranking, 1)
        store.votes.queue_own_votes(pipeline, store.listings.recent_ids(ranking, 1), 1)
        pipeline.execute()
        return hello()

    app.view_functions["front"] = front
    return app


def _user(name: str) -> flask_login.UserMixin:
    user = flask_login.UserMixin()
    user.id = name
    return user
