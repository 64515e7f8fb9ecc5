"""The baselines: WSGI apps that do only a part of the work of a site, as a bound on its speed.

``python -m bench.baselines FACTORY PORT [THREADS]`` serves one as ``voteweb run`` serves voteweb.
"""

import os
import sys
from collections.abc import Iterable
from typing import Any
from urllib.request import urlopen

import flask_login
from flask import Flask
from flask_wtf.csrf import CSRFProtect, generate_csrf

from bench.constants import FRONT_PAGE, HOST, SECRET
from voteweb.cli.run import web_server
from voteweb.web.auth import sessions
from voteweb.web.base.flask_app import SiteFlask


def static_response() -> Any:
    """Return a WSGI app that answers every request with the headers and the body of a reader's front page."""
    with urlopen(os.environ[FRONT_PAGE]) as response:
        added_by_server = ("date", "server", "connection")
        headers = [(name, value) for name, value in response.getheaders() if name.lower() not in added_by_server]
        body = response.read()

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


def _user(name: str) -> flask_login.UserMixin:
    user = flask_login.UserMixin()
    user.id = name
    return user


if __name__ == "__main__":
    factory, port, *threads = sys.argv[1:]
    server = web_server(f"bench.baselines:{factory}", HOST, int(port), workers=1)
    server.blocking_threads = int(threads[0]) if threads else server.blocking_threads
    server.serve()
