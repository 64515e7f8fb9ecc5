"""Error pages: in the layout of the site, or as JSON for script; none shows a stack trace."""

import logging
from functools import cache

import pytest
from flask import Flask, abort

from tests.web.browser import JSON, Browser
from voteweb.app import create_app
from voteweb.core import errors
from voteweb.core.config import MAX_BODY_BYTES
from voteweb.core.errors import VotewebError
from voteweb.core.settings import Settings
from voteweb.store import Store

HEADINGS = {
    400: "Bad request",
    403: "Not allowed",
    404: "Page not found",
    405: "Method not allowed",
    409: "Already done",
    410: "No longer available",
    413: "Too large",
    415: "Not a form",
    429: "Too many requests",
    500: "Server error",
    503: "Temporarily unavailable",
}


@cache
def _failing_app(settings: Settings) -> Flask:
    app = create_app(settings)
    app.add_url_rule("/fail/<int:status>", "fail", lambda status: abort(status))
    app.add_url_rule("/refuse/<name>", "refuse", _refuse)
    app.add_url_rule("/bug", "bug", lambda: {}["a secret"])
    app.add_url_rule("/unusable", "unusable", _unusable)
    return app


@pytest.fixture
def app(settings: Settings, store: Store) -> Flask:
    """A site with addresses that fail with a status, with an error of ours, and with a bug."""
    app = _failing_app(settings)
    app.extensions["voteweb.store"] = store
    return app


def _refuse(name: str) -> None:
    values = {
        "names": "python",
        "name": "ann",
        "max": 5,
        "when": 1_456_789_012.0,
        "votes": 3,
        "reason": "spam",
        "right": "vote",
    }
    raise getattr(errors, name)(**values, minutes=10, domain="example.com", why="Spam.", group="redis", by="ann")


def _unusable() -> None:
    raise errors.ConfigError("a secret of the operator")


@pytest.fixture(params=["reader", "ann", "mod"])
def person(request: pytest.FixtureRequest) -> Browser:
    browser: Browser = request.getfixturevalue(request.param)
    return browser


def test_every_status_has_a_page_and_json_for_scripts(person: Browser) -> None:
    for status, heading in HEADINGS.items():
        person.open(f"/fail/{status}")
        assert (person.status, person.heading) == (status, heading)
        assert person.page.one("main").one("a", class_="button-secondary")["href"] == "/"
        told, id = person.main, person.headers["X-Request-Id"]
        assert (f"Status {status}" in told, f"request {id}." in told) == (status >= 500,) * 2
        error = person.open(f"/fail/{status}", headers=JSON).json["error"]
        assert (person.status, set(error), error["message"][-1]) == (status, {"code", "message"}, ".")
    assert (person.open("/fail/418").status, person.heading) == (418, "Bad request")


ERROR_NAMES = [
    name
    for name, cls in vars(errors).items()
    if isinstance(cls, type) and issubclass(cls, VotewebError) and cls.template and cls is not errors.LoggedOut
]


def test_every_error_class_shows_its_message(reader: Browser, subtests: pytest.Subtests) -> None:
    for name in ERROR_NAMES:
        with subtests.test(name):
            error = getattr(errors, name)
            assert reader.open(f"/refuse/{name}").status == error.status
            assert reader.intro.startswith(error.template.partition("%")[0])
            assert "%" not in reader.intro


@pytest.mark.parametrize("headers", [{}, JSON], ids=["page", "script"])
@pytest.mark.parametrize("address", ["/bug", "/unusable"])
def test_bug_shows_no_details_and_is_logged(
    address: str, headers: dict[str, str], person: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        person.open(f"{address}?next=/", headers=headers)
    assert person.status == 500
    for internal in ("Traceback", "KeyError", "a secret", "voteweb/", "flask"):
        assert internal not in person.text
    (record,) = caplog.records
    assert record.getMessage() == f"GET {address} failed"
    assert record.exc_info is not None


def test_readers_error_page_sets_no_cookie_and_offers_login(reader: Browser) -> None:
    for address in ("/nowhere", "/bug"):
        assert "Set-Cookie" not in reader.open(address).headers
    reader.open("/g/nope?page=2")
    assert reader.page.one("nav", class_="account").one("a", href="/login?next=/g/nope%3Fpage%3D2")


@pytest.mark.parametrize("address", ["/submit", "/a/1/vote"])
@pytest.mark.parametrize("person", ["reader", "mod"], indirect=True)
def test_too_large_body_is_413(address: str, person: Browser) -> None:
    person.post(address, {"text": "x" * (MAX_BODY_BYTES + 1)})
    assert (person.status, person.heading) == (413, "Too large")


@pytest.mark.parametrize(
    "address",
    [
        *("/%00", "/g/%ff", "/g/++", "/g/%2e%2e", "/?page=%ff", "/static/%2e%2e/app.py", "/static/%00"),
        *("/g/" + "x" * 5_000, "/a/-1", "/a/1.5", "/a/0", "/a/١", f"/a/{'9' * 5_000}", "/u/"),
    ],
)
def test_unknown_address_is_404(address: str, reader: Browser) -> None:
    assert reader.open(address).status == 404
    assert reader.heading == "Page not found"


def test_error_is_json_only_where_the_client_prefers_it(reader: Browser) -> None:
    browser, both = "text/html,application/xhtml+xml,*/*;q=0.8", "application/json, text/html"
    accepted = {browser: False, both: False, f"{both};q=0.5": True, "*/*": False, "": False, "rubbish;;q=x": False}
    for accept, is_json in accepted.items():
        reader.open("/nowhere", headers={"Accept": accept})
        assert (reader.response.content_type == "application/json") is is_json, accept
