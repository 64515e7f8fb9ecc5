"""Responses from the page cache: compressed, conditional, and with the headers of the app."""

import gzip
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Response

from tests.web.caching.conftest import CountingApp


def test_head_has_the_headers_of_the_page_and_no_body(client: Client, counting_app: CountingApp) -> None:
    first = client.head("/")
    page = client.get("/")
    assert counting_app.rendered["/"] == 1
    assert counting_app.last_request.method == "GET"
    assert first.data == b""
    assert dict(first.headers) == dict(page.headers)
    assert first.headers["Content-Length"] == str(len(page.data))


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [("gzip, deflate, br", True), ("*", True), ("", False), ("gzip;q=0", False)],
)
def test_page_is_compressed_for_clients_that_accept_it(
    accepted: str, compressed: bool, client: Client, counting_app: CountingApp
) -> None:
    response = client.get("/", headers={"Accept-Encoding": accepted} if accepted else {})
    assert response.headers.get("Content-Encoding") == ("gzip" if compressed else None)
    assert response.headers["Content-Length"] == str(len(response.data))
    assert (gzip.decompress(response.data) if compressed else response.data) == b"/ 1"
    assert "Accept-Encoding" in response.headers["Vary"]


def test_page_is_compressed_once_while_others_are_sent(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    accepts, compress = {"Accept-Encoding": "gzip"}, gzip.compress
    slow, begun, sent = client.get("/slow").data, Event(), Event()
    compressed = []

    def compress_slowly(body: bytes, *args: Any, **options: Any) -> bytes:
        compressed.append(body)
        if body == slow:
            begun.set()
            assert sent.wait(10)
        return compress(body, *args, **options)

    monkeypatch.setattr(gzip, "compress", compress_slowly)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(client.get, "/slow", headers=accepts)
        assert begun.wait(10)
        second = pool.submit(client.get, "/slow", headers=accepts)
        other = pool.submit(client.get, "/other", headers=accepts)
        other.add_done_callback(lambda _: sent.set())
        bodies = [answer.result().data for answer in (first, second, other)]
    assert [gzip.decompress(body) for body in bodies] == [b"/slow 1", b"/slow 1", b"/other 1"]
    assert sorted(compressed) == [b"/other 1", b"/slow 1"]
    # RFC 1952: 2 tells that the slowest algorithm was used, which takes seconds for some texts.
    assert bodies[0][8] != 2


def test_page_that_the_client_has_is_not_sent_again(client: Client, clock: list[float]) -> None:
    tag = client.get("/", headers={"Accept-Encoding": "gzip"}).headers["ETag"]
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        again = client.get("/", headers={"If-None-Match": tag, **headers})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == tag
        assert "Content-Length" not in again.headers
        assert "Content-Encoding" not in again.headers
    assert client.get("/", headers={"If-None-Match": '"other"'}).status_code == 200
    clock[0] += 1
    assert client.get("/", headers={"If-None-Match": tag}).text == "/ 2"


def test_conditions_of_the_first_request_do_not_change_the_page(client: Client, counting_app: CountingApp) -> None:
    counting_app.views["/"] = lambda request: Response("304" if request.if_none_match else "whole")
    assert client.get("/", headers={"If-None-Match": '"old"', "Range": "bytes=0-0"}).text == "whole"
    assert client.get("/").text == "whole"


def test_headers_and_validators_of_the_app_are_kept(client: Client, counting_app: CountingApp) -> None:
    changed = "Sat, 21 Nov 2026 10:00:00 GMT"
    own = {"ETag": '"own"', "Last-Modified": changed, "Vary": "Cookie", "Content-Language": "en"}
    counting_app.views["/feed"] = lambda request: Response("x", headers=own)
    for _ in range(2):
        sent = client.get("/feed").headers
        assert (sent["ETag"], sent["Vary"]) == ('W/"own"', "Cookie, Accept-Encoding")
        assert sent["Content-Language"] == "en"
    assert client.get("/feed", headers={"If-None-Match": '"own"'}).status_code == 304
    assert client.get("/feed", headers={"If-Modified-Since": changed}).status_code == 304
