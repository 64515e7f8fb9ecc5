"""Fetching titles from a server that plays every trick; the check of addresses lets through one address and port."""

import gzip
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from unittest.mock import Mock

import pytest

from tests.certificates import Authority
from tests.fetching.web_server import Send, WebServer, bomb, drip, endless, html, page, redirect, serving
from voteweb.core.errors import FetchBusy, NoTitle
from voteweb.fetching import TitleFetcher
from voteweb.fetching.connections import BoundedSocket, resolve
from voteweb.fetching.pages import browser_tls, send

LOCAL = "127.0.0.1"
#: Names as a hostile site could resolve them; all others cannot be found.
HOSTS = {
    "good.example": [LOCAL],
    "private.example": ["127.0.0.2"],
    "mixed.example": [LOCAL, "10.0.0.1"],
    "nat64.example": ["64:ff9b::7f00:1"],
    "nowhere.example": [],
}


def lookup(host: str, port: int) -> list[str]:
    return HOSTS[host] if host in HOSTS else resolve(host, port) if host[-1].isdigit() else []


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


@pytest.fixture
def fetcher(server: WebServer) -> TitleFetcher:
    """A fetcher that may reach the server, and nothing else."""
    return TitleFetcher("tests", lookup, LOCAL.__eq__, frozenset({server.port}), seconds=30.0)


def answered(
    server: WebServer, fetcher: TitleFetcher, answer: bytes | Callable[[Send], None], scheme: str = "http"
) -> str:
    """Return the title that is fetched if the server gives this *answer*, or the message."""
    server.answers = {"/": answer}
    try:
        return fetcher.fetch(f"{scheme}://good.example:{server.port}/")
    except NoTitle as error:
        return str(error)


UNREACHABLE = str(NoTitle(NoTitle.unreachable))
TOO_SLOW = str(NoTitle(NoTitle.too_slow))
NO_PAGE = str(NoTitle(NoTitle.no_page))
TITLE = b"<title>The title</title>"


def test_request_names_the_host_and_says_who_asks(server: WebServer, fetcher: TitleFetcher) -> None:
    server.answers = {"/p%C3%A4th?q=%E7%BC%96&a=%20b": page("Words & signs")}
    link = f"http://good.example:{server.port}/päth?q=编&a=%20b#part"
    assert fetcher.fetch(link) == "Words & signs"
    request = server.requests[-1].split("\n")
    assert {f"Host: good.example:{server.port}", "User-Agent: tests", "Connection: close"} <= set(request)
    assert "cookie" not in server.requests[-1].lower()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (html(gzip.compress(TITLE), "Content-Encoding: gzip"), "The title"),
        (html(b"18\r\n" + TITLE + b"\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), "The title"),
        (page("编程之美", charset="gbk"), "编程之美"),
        (endless(html(TITLE)), "The title"),
        (html(TITLE + b"x" * 100_000), "The title"),
        (endless(html(b"<!-- ")), str(NoTitle())),
        (html(bomb(200), "Content-Encoding: gzip"), str(NoTitle())),
        (html(b"\x1f\x8bnonsense", "Content-Encoding: gzip"), UNREACHABLE),
        (html(TITLE, "Content-Encoding: br"), NO_PAGE),
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + TITLE, NO_PAGE),
        (b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\n\r\n" + TITLE,
         "The server of this link sends no page (status 403). Please type the title."),
        (html(b""), str(NoTitle())),
        (b"HTTP/1.1 200 OK\r\n\r\n\n<!-- a --><!doctype html>" + TITLE, "The title"),
        (b"HTTP/1.1 200 OK\r\n\r\nSome text, and " + TITLE, NO_PAGE),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"<!-- -->" * 2_000 + b"<!--", NO_PAGE),
        (b"", UNREACHABLE),
        (endless(b"HTTP/1.1 200 OK\r\nX: "), UNREACHABLE),
        (endless(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200), UNREACHABLE),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000, UNREACHABLE),
        (html(TITLE, "X: " + "\r" * 40_000), UNREACHABLE),
        # What takes a second or more if all of it is read: a header of many parts, and a page of many blocks.
        (b'HTTP/1.1 200 OK\r\nContent-Type: text/html; a="' + b";" * 20_000 + b"\r\n\r\n" + TITLE, NO_PAGE),
        (html(b"1\r\n \r\n" * 80_000, "Transfer-Encoding: chunked"), str(NoTitle())),
    ],
)  # fmt: skip
def test_answer_is_bounded(answer: object, expected: str, server: WebServer, fetcher: TitleFetcher) -> None:
    assert answered(server, fetcher, answer) == expected


@pytest.mark.parametrize(
    "answer",
    [drip(html(b""), b" "), drip(b"HTTP/1.1 200 OK\r\nX: ", b"x"), drip(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n")],
    ids=["body", "header", "headers"],
)
def test_deadline_holds_for_all_reads_together(answer: object, server: WebServer, fetcher: TitleFetcher) -> None:
    started = monotonic()
    assert answered(server, replace(fetcher, seconds=0.5), answer) == TOO_SLOW
    assert monotonic() - started < 5, "the server would go on for ten seconds"


def test_reads_are_bounded_however_small_they_are() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"x" * 3_000)
        connection = BoundedSocket(ours, monotonic() + 10, 10_000)
        for _ in range(2_000):
            connection.readinto(bytearray(1))
        with pytest.raises(OSError, match="more than is read"):
            connection.readinto(bytearray(1))


def test_a_request_has_the_method_headers_and_body(server: WebServer, fetcher: TitleFetcher) -> None:
    server.answers = {"/hook?a=b": page("Done")}
    link, headers = f"http://good.example:{server.port}/hook?a=b", {"Content-Type": "application/json"}
    with send(fetcher, link, monotonic() + 30, method="POST", headers=headers, body=b"{}") as response:
        assert response.status == 200
    first, *lines = server.requests[-1].split("\n")
    assert first == "POST /hook?a=b HTTP/1.1"
    assert {"Content-Type: application/json", "Content-Length: 2", "User-Agent: tests"} <= set(lines)


def test_deadline_holds_for_finding_addresses(server: WebServer, fetcher: TitleFetcher) -> None:
    is_over = Event()
    slow = replace(fetcher, seconds=0.1, resolve=lambda *_: [str(is_over.wait(20))])
    assert answered(server, slow, page("Words")) == TOO_SLOW
    is_over.set()


@pytest.mark.parametrize("host", ["private.example", "pri%76ate.example", "pri\u034fvate.example", "mixed.example",
                                  "nat64.example",
                                  "nowhere.example", "127.0.0.2", "127.2", "2130706434", "[::1]"])  # fmt: skip
@pytest.mark.parametrize("is_redirected", [False, True], ids=["link", "redirect"])
def test_address_that_is_not_allowed_is_never_connected_to(
    host: str, is_redirected: bool, server: WebServer, fetcher: TitleFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[str] = []
    connect = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda to, **more: reached.append(to[0]) or connect(to, **more))
    link = f"http://{host}:{server.port}/secret"
    server.answers = {"/": redirect(link), "/secret": page("Secret")}
    with pytest.raises(NoTitle, match="cannot be reached"):
        fetcher.fetch(f"http://good.example:{server.port}/" if is_redirected else link)
    assert reached == [LOCAL] * is_redirected


def test_a_name_is_looked_up_once_for_check_and_connection(server: WebServer, fetcher: TitleFetcher) -> None:
    """A name that changes between the two (DNS rebinding) leads nowhere else."""
    answers = iter([[LOCAL], ["127.0.0.2"]])
    rebinding = replace(fetcher, resolve=lambda *_: next(answers))
    assert answered(server, rebinding, page("Words")) == "Words"


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "http://good.example:22/", "http://ann:secret@good.example/", "//", "http://[::1",
     "http://good.example:x/", "gopher://good.example:{port}/"],
)  # fmt: skip
def test_redirect_is_checked_like_the_link(location: str, server: WebServer, fetcher: TitleFetcher) -> None:
    assert answered(server, fetcher, redirect(location.format(port=server.port))) == UNREACHABLE


def test_five_redirects_are_followed_and_no_more(server: WebServer, fetcher: TitleFetcher) -> None:
    server.answers = {f"/{i}": redirect(f"{i + 1}") for i in range(6)} | {
        "/5": page("Found"),
        "/loop": redirect("/loop"),
    }
    site = f"http://good.example:{server.port}"
    assert fetcher.fetch(f"{site}/0") == "Found"
    server.requests.clear()
    with pytest.raises(NoTitle):
        fetcher.fetch(f"{site}/loop")
    assert len(server.requests) == 6


def test_third_at_a_time_is_refused(server: WebServer, fetcher: TitleFetcher) -> None:
    is_over = Event()
    waiting = replace(fetcher, seconds=0.1, resolve=lambda *_: [str(is_over.wait(20))])
    for _ in range(2):
        assert answered(server, waiting, b"") == TOO_SLOW
    with pytest.raises(FetchBusy):
        waiting.fetch(f"http://good.example:{server.port}/")
    is_over.set()


def test_slot_is_free_again_when_the_machine_has_no_thread(
    server: WebServer, fetcher: TitleFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        for _ in range(3):
            with pytest.raises(FetchBusy):
                fetcher.fetch(f"http://good.example:{server.port}/")
    assert answered(server, fetcher, page("Words")) == "Words"


def test_certificates_are_checked_as_by_browsers(
    tmp_path: Path, fetcher: TitleFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    companies = Authority(tmp_path, "company", "subjectKeyIdentifier=none", "authorityKeyIdentifier=none")
    monkeypatch.setenv("SSL_CERT_FILE", str(companies.file))
    trusting = browser_tls()
    certificates = {
        "valid": companies.issue("valid", "DNS:good.example"),
        "expired": companies.issue("expired", "DNS:good.example", days=-1),
        "of another host": companies.issue("other", "DNS:other.example"),
        "self-signed": Authority(tmp_path, "itself", "subjectAltName=DNS:good.example").certificate,
        "of an unknown authority": Authority(tmp_path, "unknown").issue("foreign", "DNS:good.example"),
    }
    answers = {}
    for name, certificate in certificates.items():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        with serving(context) as server:
            client = replace(fetcher, ports=frozenset({server.port}), resolve=lambda *_: [LOCAL], tls=lambda: trusting)
            answers[name] = answered(server, client, page("Safe"), "https")
            assert len(server.requests) == (name == "valid")
    assert answers == dict.fromkeys(certificates, UNREACHABLE) | {"valid": "Safe"}


def test_only_public_addresses_and_web_ports_are_reached_by_default() -> None:
    fetcher = TitleFetcher("tests")
    for link in ("http://127.0.0.1/", "http://[::ffff:127.0.0.1]/", "http://localhost/", "http://8.8.8.8:22/"):
        with pytest.raises(NoTitle, match="cannot be reached"):
            fetcher.fetch(link)
