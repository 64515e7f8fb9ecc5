"""The layer around the site: every answer carries the id of its request, and the listeners are told of each."""

from collections.abc import Iterable
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from voteweb.web.caching.page_cache import PageCache
from voteweb.web.monitoring import request_record
from voteweb.web.monitoring.middleware import MonitoringMiddleware
from voteweb.web.monitoring.request_record import HEADER, RequestRecord

Told = list[tuple[str, RequestRecord, float]]


def site(environ: Any, start_response: Any) -> Iterable[bytes]:
    """Answer as a site does: pages that may be kept, one that may not, one that is missing, one that breaks."""
    request = Request(environ)
    request_record.get(environ).route = f"route of {request.path}"
    if request.path == "/broken":
        raise RuntimeError
    response = Response("nothing here", 404) if request.path == "/missing" else Response("a page")
    if request.path == "/mine":
        response.cache_control.private = True
    return response(environ, start_response)


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def client(told: Told) -> Client:
    def listen(environ: Any, note: RequestRecord, seconds: float) -> None:
        told.append((environ["PATH_INFO"], note, seconds))

    return Client(MonitoringMiddleware(PageCache(site, 60.0, "voteweb"), [listen]), use_cookies=False)


def test_each_answer_carries_an_id_of_its_own_also_from_a_kept_page(client: Client, told: Told) -> None:
    paths = ["/", "/", "/", "/missing", "/mine", "/mine"]
    answers = [client.get(path) for path in paths]
    ids = [answer.headers.getlist(HEADER) for answer in answers]
    assert ids == [[note.id] for _, note, _ in told]
    assert len({id for (id,) in ids}) == len(paths)
    assert all(len(id) == 12 and int(id, 16) >= 0 for (id,) in ids)


def test_the_listeners_learn_what_became_of_it(client: Client, told: Told) -> None:
    for path in ("/", "/", "/missing", "/mine"):
        client.get(path)
    client.get("/", headers={"If-None-Match": "*"})
    client.post("/")
    assert [(path, note.route, note.status, note.page) for path, note, _ in told] == [
        ("/", "route of /", "200", "miss"),
        ("/", "route of /", "200", "hit"),
        ("/missing", "route of /missing", "404", "pass"),
        ("/mine", "route of /mine", "200", "pass"),
        ("/", "route of /", "304", "hit"),
        ("/", "route of /", "200", "pass"),
    ]
    assert all(seconds > 0 for *_, seconds in told)


def test_what_breaks_is_told_as_500_and_still_breaks(client: Client, told: Told) -> None:
    with pytest.raises(RuntimeError):
        client.get("/broken")
    ((path, note, _),) = told
    assert (path, note.status) == ("/broken", "500")


def test_an_id_of_the_sender_is_not_believed(client: Client) -> None:
    answer = client.get("/", headers={HEADER: "made up\\n"})
    assert "made up" not in str(answer.headers)
