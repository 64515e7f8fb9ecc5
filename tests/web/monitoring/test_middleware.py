"""The monitoring middleware: every response has a request id, and the listeners get a record of every request."""

from collections.abc import Iterable
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from voteweb.web.caching.page_cache import PageCache
from voteweb.web.monitoring import request_record
from voteweb.web.monitoring.middleware import MonitoringMiddleware
from voteweb.web.monitoring.request_record import HEADER, RequestRecord

Records = list[tuple[str, RequestRecord, float]]


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
def records() -> Records:
    """The path, record and duration of each request."""
    return []


@pytest.fixture
def client(records: Records) -> Client:
    def listen(environ: Any, record: RequestRecord, seconds: float) -> None:
        records.append((environ["PATH_INFO"], record, seconds))

    return Client(MonitoringMiddleware(PageCache(small_app, 60.0, "voteweb"), [listen]), use_cookies=False)


def test_every_response_has_its_own_id_even_from_the_cache(client: Client, records: Records) -> None:
    paths = ["/", "/", "/", "/missing", "/personal", "/personal"]
    responses = [client.get(path, headers={HEADER: "made up"}) for path in paths]
    ids = [response.headers.getlist(HEADER) for response in responses]
    assert ids == [[record.id] for _, record, _ in records]
    assert len({id for (id,) in ids}) == len(paths)
    assert all(len(id) == 12 and int(id, 16) >= 0 for (id,) in ids)


def test_exception_is_recorded_as_500_and_raised(client: Client, records: Records) -> None:
    with pytest.raises(RuntimeError):
        client.get("/broken")
    ((path, record, _),) = records
    assert (path, record.status) == ("/broken", "500")
