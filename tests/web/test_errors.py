"""Every failure in the site's own look, or as JSON where script asked; nobody sees a trace."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, abort

from tests import factories
from tests.web.browser import JSON, Browser
from voteweb.app import create_app
from voteweb.core import errors
from voteweb.core.config import MAX_BODY_BYTES, Settings
from voteweb.core.errors import VotewebError
from voteweb.store import Store

HEADINGS = {
    400: "That could not be read",
    403: "Not for you",
    404: "Nothing here",
    405: "Not like this",
    409: "Not twice",
    410: "Gone",
    413: "Too much",
    429: "Too fast",
    500: "Our mistake",
    503: "Back in a moment",
}


@pytest.fixture
def app(settings: Settings, fake_store: Store) -> Flask:
    """A site with addresses that fail by status, by a failure of ours, and by a mistake."""
    app = create_app(settings, fake_store)
    app.add_url_rule("/fail/<int:status>", "fail", lambda status: abort(status))
    app.add_url_rule("/refuse/<name>", "refuse", _refuse)
    app.add_url_rule("/mistake", "mistake", lambda: {}["a secret"])
    return app


def _refuse(name: str) -> None:
    raise getattr(errors, name)(names="python", name="ann", max=5, when=1_456_789_012.0, votes=3, reason="spam")


@pytest.fixture(params=["reader", "ann", "mod"])
def person(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Each person in turn."""
    return request.getfixturevalue(request.param)


def test_every_error_is_a_page_of_the_site(person: Browser) -> None:
    for status, heading in HEADINGS.items():
        person.open(f"/fail/{status}")
        assert (person.status, person.heading) == (status, heading)
        assert person.page.one("title").words == f"{heading} · voteweb"
        assert person.page.one("a", class_="wordmark")["href"] == "/"
        assert person.page.one("main").one("a", class_="call")["href"] == "/"
        assert f"Status {status}" in person.page.one("main").words
        assert person.answer.content_type == "text/html; charset=utf-8"


def test_script_is_told_in_json(person: Browser) -> None:
    for status in HEADINGS:
        person.open(f"/fail/{status}", headers=JSON)
        error = person.answer.json["error"]
        assert person.status == status
        assert set(error) == {"code", "message"}
        assert error["message"].endswith(".")


@pytest.mark.parametrize("status", [406, 415, 418, 431, 451, 501, 502, 504])
def test_a_status_without_words_of_its_own_still_is_a_page(status: int, reader: Browser) -> None:
    assert reader.open(f"/fail/{status}").status == status
    assert reader.heading


def _kinds(of: type[VotewebError] = VotewebError) -> list[type[VotewebError]]:
    return [kind for sub in of.__subclasses__() for kind in (sub, *_kinds(sub))]


@pytest.mark.parametrize("kind", [kind.__name__ for kind in _kinds() if kind.template and kind is not errors.LoggedOut])
def test_each_failure_of_ours_says_its_words(kind: str, reader: Browser) -> None:
    wanted = getattr(errors, kind)
    assert reader.open(f"/refuse/{kind}").status == wanted.status
    said = reader.page.one("p", class_="lead").words
    assert said.startswith(wanted.template.partition("%")[0])
    assert "%" not in said
    reader.open(f"/refuse/{kind}", headers=JSON)
    assert reader.answer.json["error"] == {"code": wanted.code, "message": said}


@pytest.mark.parametrize("headers", [{}, JSON], ids=["page", "script"])
def test_a_mistake_shows_nothing_of_itself_and_is_logged(
    headers: dict[str, str], person: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        person.open("/mistake?next=/", headers=headers)
    assert person.status == 500
    for word in ("Traceback", "KeyError", "a secret", "voteweb/", "flask"):
        assert word not in person.answer.text
    (record,) = caplog.records
    assert record.getMessage() == "GET /mistake failed"
    assert record.exc_info is not None


@pytest.mark.parametrize(
    ("address", "named"),
    [("/mistake", True), ("/fail/500", True), ("/fail/503", True), ("/refuse/Unavailable", True), ("/fail/404", False)],
)
def test_a_failure_of_ours_names_its_request_so_that_it_can_be_quoted(
    address: str, named: bool, person: Browser
) -> None:
    id = person.open(address).answer.headers["X-Request-Id"]
    assert (f"request {id}." in person.page.one("main").words) is named


def test_a_database_that_answers_nonsense_is_a_mistake_in_the_sites_look(ann: Browser, fake_store: Store) -> None:
    fake_store.connection.client.set("user:ann", "not a hash")
    for address, heading in (("/", "Our mistake"), ("/about", "Our mistake"), ("/nowhere", "Nothing here")):
        assert ann.open(address).heading == heading
        assert "WRONGTYPE" not in ann.answer.text


def test_an_error_of_a_member_keeps_the_member(ann: Browser) -> None:
    for address in ("/nowhere", "/fail/403", "/fail/500"):
        assert ann.open(address).page.all("form", action="/logout")


def test_an_error_of_a_reader_sets_no_cookie(reader: Browser) -> None:
    for address in ("/nowhere", "/fail/400", "/mistake", "/a/1/vote"):
        assert "Set-Cookie" not in reader.open(address).answer.headers


@pytest.mark.parametrize(
    "address", ["/submit", "/login", "/signup", "/a/1/vote", "/a/1/groups", "/groups/new", "/logout"]
)
@pytest.mark.parametrize("person", ["reader", "mod"], indirect=True)
def test_a_body_that_is_too_large_is_413(address: str, person: Browser, fake_store: Store) -> None:
    factories.article(fake_store)
    person.post(address, {"text": "x" * (MAX_BODY_BYTES + 1)})
    assert (person.status, person.heading) == (413, "Too much")
    person.post(address, {"text": "x" * (MAX_BODY_BYTES + 1)}, headers=JSON)
    assert person.status in (401, 413)
    assert person.answer.json["error"]["message"]


@pytest.mark.parametrize(
    "sent",
    [
        {"content_type": "application/json", "data": b"{"},
        {"content_type": "multipart/form-data; boundary=x", "data": b"--x\r\nnonsense"},
        {"content_type": "multipart/form-data", "data": b"x"},
        {"content_type": "application/x-www-form-urlencoded", "data": b"title=%ff%00%&=&&%zz\xff=\xfe"},
        {"content_type": "text/plain; charset=nonsense", "data": b"\x00\xff"},
        {"content_type": "application/x-www-form-urlencoded", "data": b"&".join([b"a=b"] * 20_000)},
    ],
    ids=["json", "broken multipart", "no boundary", "rubbish", "charset", "many fields"],
)
@pytest.mark.parametrize("address", ["/submit", "/login", "/a/1/vote", "/groups/new"])
def test_a_body_that_is_no_form_is_a_clear_refusal(sent: dict[str, Any], address: str, mod: Browser) -> None:
    mod.answer = mod.client.post(address, buffered=True, **sent)
    assert mod.status in (303, 400, 413, 422)
    if mod.status != 303:
        assert mod.heading


@pytest.mark.parametrize(
    "address",
    [
        *("/%00", "/%ff", "/g/%ff", "/g/%00", "/g/++", "/g/python+", "/g/%2B", "/g/%2e%2e", "/?page=%ff", "/new/"),
        *("/static/../app.py", "/static/%2e%2e/app.py", "/static/%00", "/" + "x" * 5_000, "/g/" + "x" * 5_000),
        *("/a/-1", "/a/1.5", "/a/x", "/g/", "/u/"),
    ],
)
def test_an_address_that_is_none_is_404(address: str, reader: Browser) -> None:
    assert reader.open(address).status == 404
    assert reader.heading == "Nothing here"


def test_a_failing_request_is_answered_as_its_sender_accepts(reader: Browser) -> None:
    for accept, is_json in (
        ("application/json", True),
        ("application/json, text/html;q=0.5", True),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", False),
        ("*/*", False),
        ("", False),
        ("rubbish;;q=x", False),
    ):
        reader.open("/nowhere", headers={"Accept": accept})
        assert (reader.answer.content_type == "application/json") is is_json, accept


def test_an_error_page_offers_a_way_to_log_in_and_back(reader: Browser, settings: Settings) -> None:
    reader.open("/g/nope?page=2")
    assert reader.page.one("nav", class_="account").one("a", href="/login?next=/g/nope%3Fpage%3D2")
