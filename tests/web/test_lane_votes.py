"""Votes that are cast before Flask: with the answer that Flask would give, and cast once."""

from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeApp
from voteweb.core.errors import Unavailable
from voteweb.store import Store
from voteweb.web.monitoring import request_record
from voteweb.web.views import votes

ACTS = ("/a/1/vote", "/a/1/unvote", "/a/1/c/1/vote", "/a/1/c/1/unvote")
#: A form with this type is one that the lane leaves to Flask.
OTHER_TYPE = "application/x-www-form-urlencoded; charset=utf-8"


@pytest.fixture
def site_url() -> str:
    """The address of the site."""
    return "https://news.example"


@pytest.fixture
def app(site_url: str, make_app: MakeApp, store: Store) -> Flask:
    """A site with an article and a comment by ann."""
    factories.comment(store, factories.article(store))
    return make_app(site_url=site_url, page_seconds=1.0)


def send(browser: Browser, path: str, **options: Any) -> tuple[Any, ...]:
    """Send a form to *path*; return all of the answer but its own id, and what the request's record has."""
    form = {"csrf_token": browser.csrf_token(), "next": "/new?page=2#top"}
    response = browser.post(path, form, **options).response
    record = request_record.get(response.request.environ)
    headers = [header for header in response.headers if header[0] != request_record.HEADER]
    return response.status, headers, response.data, record.route, record.member


@pytest.mark.parametrize("site_url", ["http://localhost", "https://news.example"])
@pytest.mark.parametrize("headers", [{}, JSON], ids=["form", "script"])
def test_answer_is_that_of_flask(
    headers: dict[str, str], app: Flask, bob: Browser, reached: list[str], store: Store
) -> None:
    bob.csrf_token()
    for _ in range(2):
        reached.clear()
        fast = [send(bob, path, headers=headers) for path in ACTS]
        assert not [path for path in reached if path in ACTS]
        reached.clear()
        assert [send(bob, path, headers=headers, content_type=OTHER_TYPE) for path in ACTS] == fast
        assert [path for path in reached if path in ACTS] == list(ACTS)
        assert {answer[0] for answer in fast} == {"200 OK" if headers else "303 SEE OTHER"}


@pytest.mark.parametrize(("error", "status"), [(Unavailable(), 503), (ZeroDivisionError("a secret"), 500)], ids=str)
def test_vote_that_fails_is_not_cast_again(
    error: Exception, status: int, app: Flask, bob: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def fail(*arguments: object, **_: object) -> int:
        calls.append(arguments)
        raise error

    bob.csrf_token()
    monkeypatch.setitem(votes.ACTS, "votes.vote", votes.ACTS["votes.vote"]._replace(change=fail))
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
    assert send(bob, "/a/1/vote")[0].startswith(str(status))
    assert (bob.status, len(calls)) == (status, 1)
    assert "secret" not in bob.text
    assert "</html>" in bob.text


def test_address_of_another_host_is_refused(bob: Browser, store: Store) -> None:
    assert bob.send("/a/1/vote", headers={"Host": "other.example"}).status == 421
    assert store.articles.get(1).votes == 1
