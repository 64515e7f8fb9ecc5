"""The end of a response, after the hooks of others."""

from flask import Flask, Response, session

from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.settings import Settings
from voteweb.store import Store


def site_with_hook(settings: Settings, store: Store, *, saves: bool) -> Flask:
    """Return the site with a hook of an extension, which sets a cookie or *saves* something in the session."""
    app = create_app(settings, store)

    @app.after_request
    def foreign(response: Response) -> Response:
        if saves:
            session["foreign"] = "1"
        else:
            response.set_cookie("foreign", "1")
        return response

    return app


def test_hooks_of_extensions_run_before_headers_are_decided(settings: Settings, store: Store) -> None:
    for saves, name in ((False, "foreign"), (True, "voteweb")):
        browser = Browser(site_with_hook(settings, store, saves=saves))
        response = browser.open("/").response
        assert browser.client.get_cookie(name)
        assert response.headers["Cache-Control"] == "private, no-store"
        assert response.vary.to_header() == "Accept-Language, Cookie"
