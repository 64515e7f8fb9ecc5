"""Responses of the site have the headers that Flask would send."""

from collections.abc import Callable

import pytest
from flask import Flask, Response, jsonify, make_response, redirect

from voteweb.web.flask_app import SiteResponse


@pytest.mark.parametrize(
    "make",
    [
        lambda: make_response("Tschüss"),
        lambda: make_response("Not found", 404),
        lambda: make_response("", 204),
        lambda: make_response("", 304),
        lambda: make_response(iter(["streamed"])),
        lambda: redirect("/g/go+redis?page=2#a17", 303),
        lambda: redirect("/g/grün?a=ü b#ü", 303),
        lambda: redirect("/somewhere"),
        lambda: jsonify(votes=2),
    ],
)
def test_headers_are_those_of_flask(app: Flask, make: Callable[[], Response]) -> None:
    with app.test_request_context() as context:
        response = make()
        assert isinstance(response, SiteResponse)
        environ = context.request.environ
        assert response.get_wsgi_headers(environ) == Response.get_wsgi_headers(response, environ)
