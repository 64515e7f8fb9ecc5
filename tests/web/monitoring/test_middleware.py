"""The monitoring middleware: every response has a request id, and every request that is rendered is logged."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from voteweb.app import create_app
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.web.caching.page_cache import PageCache
from voteweb.web.monitoring import middleware, request_record
from voteweb.web.monitoring.request_record import HEADER


def small_app(environ: Any, start_response: Any) -> Iterable[bytes]:
    """Answer with a page that can be cached, a personal one, a missing one, or an exception."""
    request = Request(environ)
    request_record.get(environ).route = f"route of {request.path}"
    if request.path == "/broken":
        raise RuntimeError
    response = Response("nothing here", 404) if request.path == "/missing" else Response("a page")
    if request.path == "/personal":
        response.cache_control.private = True
    return response(environ, start_response)


@pytest.fixture
def client() -> Client:
    app = Flask(__name__)
    app.wsgi_app = PageCache(small_app, 60.0, "voteweb")  # type: ignore[method-assign]
    middleware.init_app(app, Settings(log="json"))
    return Client(app.wsgi_app, use_cookies=False)


def test_every_response_has_its_own_id_even_from_the_cache(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    paths = ["/", "/missing", "/personal", "/personal", "/", "/"]
    ids = [client.get(path, headers={HEADER: "made up"}).headers.getlist(HEADER) for path in paths]
    assert len({id for (id,) in ids}) == len(paths)
    assert all(len(id) == 12 and int(id, 16) >= 0 for (id,) in ids)
    logged = [[json.loads(line)["id"]] for line in capfd.readouterr().err.splitlines()]
    assert logged == ids[:4], "pages from the cache are not logged"


@pytest.mark.parametrize("token", ["", "a token of the operator's own"])
def test_request_is_logged_as_it_was_sent_and_answered(
    token: str, settings: Settings, store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also the one for which a page is rendered as a whole, to be kept."""
    site = replace(settings, page_seconds=60.0, log="json", metrics_token=token)

    def request(method: str, tag: str = "") -> str:
        client = create_app(site, store).test_client()  # nothing is kept yet
        return client.open("/feed.atom", method=method, headers={"If-None-Match": tag}, buffered=True).headers["ETag"]

    tag = request("HEAD")
    request("GET", tag)
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [(line["method"], line["status"]) for line in logged] == [("HEAD", 200), ("GET", 304)]


def test_exception_is_recorded_as_500_and_raised(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError):
        client.get("/broken")
    line = json.loads(capfd.readouterr().err)
    assert (line["path"], line["status"]) == ("/broken", 500)
