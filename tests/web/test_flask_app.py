"""Responses have the headers that Flask would send, and hooks of others run before those of the site."""

from collections.abc import Callable

import pytest
from flask import Flask, Response, jsonify, make_response, redirect

from tests.web.conftest import MakeApp
from voteweb.web.flask_app import SiteResponse


@pytest.mark.parametrize(
    "make",
    [
        lambda: make_response("Tschüss"),
        lambda: make_response("", 304),
        lambda: make_response(iter(["streamed"])),
        lambda: redirect("/g/grün?a=ü b#ü", 303),
        lambda: jsonify(votes=2),
    ],
)
def test_headers_are_those_of_flask(app: Flask, make: Callable[[], Response]) -> None:
    with app.test_request_context() as context:
        response = make()
        assert isinstance(response, SiteResponse)
        environ = context.request.environ
        assert response.get_wsgi_headers(environ) == Response.get_wsgi_headers(response, environ)


def test_wsgi_layers_do_what_hooks_do(make_app: MakeApp) -> None:
    """lane.py answers without hooks: a new one must be repeated there."""
    app = make_app(site_url="https://news.example")
    hooks = {hook.__name__ for table in (app.before_request_funcs, app.after_request_funcs) for hook in table[None]}
    idle = {"_update_remember_cookie"}  # of Flask-Login, which does nothing here
    assert hooks - idle == {"check_host", "read_if_due", "_check_request", "_log_in_by_form", "finish"}
    others = (app.url_value_preprocessors, app.teardown_request_funcs, app.teardown_appcontext_funcs)
    assert not any(others)
    assert app.before_request_funcs.keys() == app.after_request_funcs.keys() == {None}
