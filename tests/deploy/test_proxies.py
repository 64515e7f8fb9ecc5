"""The site behind nginx and Caddy with the files of deploy/: what visitors get, and what the site believes."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import IncompleteRead
from itertools import product
from urllib.parse import urlencode

import pytest

from tests.conftest import private_server
from tests.deploy.conftest import SETTINGS
from tests.deploy.proxies import HOST, Caddy, Nginx, Proxy, proxy_before
from tests.helpers import free_ports, until
from tests.site_process import SiteProcess
from tests.visitor import Visitor
from tests.web.dom import parse
from voteweb.cli.run import THREADS_PER_WORKER
from voteweb.core.config import MAX_TEXT_LENGTH
from voteweb.core.rate_limits import SIGNUP

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module", params=[Nginx, Caddy], ids=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest) -> Iterator[Proxy]:
    """Each proxy before one site, whose members differ from test to test."""
    (port,) = free_ports(1)
    with private_server("valkey") as url:
        site = SiteProcess("--port", str(port), VOTEWEB_REDIS_URL=url, **SETTINGS)
        try:
            with proxy_before(request.param, port) as proxy:
                yield proxy
        finally:
            site.kill()


def is_logged_in(visitor: Visitor) -> bool:
    return bool(parse(visitor.get("/about").body).all("a", href="/account"))


def test_visitors_of_this_host_get_pages_by_https_only(proxy: Proxy) -> None:
    page = proxy.visitor().get("/signup")
    assert page.status == 200
    assert page.headers["Strict-Transport-Security"]
    assert "; Secure" in page.headers["Set-Cookie"]
    redirect = Visitor(("127.0.0.1", proxy.http), host=HOST).get("/new?page=2")
    assert redirect.status in (301, 308)
    assert redirect.headers["Location"].removesuffix("/new?page=2") in (
        f"https://{HOST}", f"https://{HOST}:{proxy.https}",
    )  # fmt: skip
    assert "X-Request-Id" in proxy.visitor().get("/nowhere").headers, "a 404 of the site has the request's id"
    for path in ("/metrics", "/healthz"):
        answer = proxy.visitor().get(path)
        assert answer.status == 404
        assert "X-Request-Id" not in answer.headers
    of_another_host = proxy.visitor().get("/", Host="evil.example")
    assert (of_another_host.status, of_another_host.body) == (200, "") or of_another_host.status == 421
    assert "Set-Cookie" not in of_another_host.headers


def test_a_member_signs_up_posts_votes_and_logs_out(proxy: Proxy) -> None:
    ann, bob = proxy.visitor(), proxy.visitor()
    assert ann.sign_up("ann").status == bob.sign_up("bob").status == 303
    longest = "语" * MAX_TEXT_LENGTH  # nine times as many bytes in a form
    redirect = ann.submit("/submit", {"title": "Behind a proxy", "text": longest})
    assert (redirect.status, redirect.headers["Location"].partition("?")[0]) == (303, "/a/1")
    assert bob.press("/a/1", "/a/1/vote").status == 303
    # Forms over https need a Referer: if the scheme that a visitor claims were believed, ann would be logged out.
    form = urlencode(ann.log_out_form())
    ann.claims = tuple((f"X{one}Forwarded{other}Proto", "http") for one, other in product("-_", repeat=2))
    assert ann.request("POST", "/logout", form, Referer="").status == 403
    ann.claims = ()
    assert is_logged_in(ann)
    assert ann.request("POST", "/logout", form).status == 303


def claims(address: str) -> tuple[tuple[str, str], ...]:
    """Return headers that claim to come from *address*, in every spelling, and one that asks to drop the proxy's."""
    names = ("VisitorAddress", "VISITORADDRESS", "Visitor-Address", "Visitor_Address", "X-Real-IP", "X_Real_IP")
    forwarded = (f"X{one}Forwarded{other}For" for one, other in product("-_", repeat=2))
    return (
        *((name, address) for name in (*names, *forwarded)), ("Forwarded", f"for={address}"),
        ("Connection", "VisitorAddress"),
    )  # fmt: skip


def test_the_proxy_names_the_visitor_whatever_the_visitor_claims(proxy: Proxy) -> None:
    visitors = [proxy.visitor(2) for _ in range(SIGNUP.burst + 1)]
    for number, visitor in enumerate(visitors):
        visitor.claims = claims(f"203.0.113.{number}")
        assert visitor.sign_up(f"visitor{number}").status == (303 if number < SIGNUP.burst else 429)
    another = proxy.visitor(3)
    another.claims = claims("127.0.0.2")
    assert another.sign_up("another").status == 303


def refuses_a_large_body(proxy: Proxy) -> bool:
    """Tell whether a large body is refused as such: the answer precedes its end, which Caddy may take for a fault."""
    with suppress(IncompleteRead, ConnectionError):
        large = proxy.visitor().request("POST", "/login", (b"x" * 40_000 for _ in range(10)))
        assert large.status in (413, 415, 502, 503)
        return (large.status, large.headers["Connection"]) in ((413, "close"), (415, None))
    return False


def test_too_large_or_late_bodies_do_not_occupy_the_site(proxy: Proxy) -> None:
    """Nginx answers a large one in chunks and closes the connection; Caddy passes it on without a length: no form."""
    assert proxy.visitor().request("POST", "/login", Content_Length="400000").status == 413
    small = proxy.visitor().request("POST", "/login", iter([b"x"]))
    assert small.headers["Connection"] != "close"
    until(lambda: refuses_a_large_body(proxy))
    head = f"POST /login HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 1000\r\n\r\nusername=".encode()
    with ExitStack() as connections:
        for _ in range(4 * THREADS_PER_WORKER):
            connections.enter_context(proxy.visitor().connect()).sendall(head)
        for _ in range(4 * THREADS_PER_WORKER):
            assert proxy.visitor().get("/about").status == 200


HALF_HEADER = f"POST /login HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 1000\r\n"


@pytest.mark.parametrize("half", [HALF_HEADER, f"{HALF_HEADER}\r\nusername="], ids=["header", "body"])
def test_the_rest_of_a_request_is_not_waited_for(proxy: Proxy, half: str) -> None:
    with proxy.visitor().connect() as connection, suppress(ConnectionError):
        connection.sendall(half.encode())
        while connection.recv(1_000):
            pass


def test_tls_is_of_good_ciphers_only(proxy: Proxy) -> None:
    def connect(ciphers: str) -> ssl.SSLSession | None:
        context = ssl.create_default_context(cafile=str(proxy.trusted))
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(ciphers)
        context.set_alpn_protocols(["h2", "http/1.1"])
        connection = socket.create_connection(("127.0.0.1", proxy.https))
        with context.wrap_socket(connection, server_hostname=HOST) as tls:
            assert tls.selected_alpn_protocol() == ("h2" if isinstance(proxy, Nginx) else "http/1.1")
            return tls.session

    session = connect("ECDHE+AESGCM:ECDHE+CHACHA20")
    assert session
    assert session.has_ticket is isinstance(proxy, Caddy), "Caddy renews the key of its tickets"
    for weak in ("ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA", "DHE-RSA-AES256-GCM-SHA384", "AES256-GCM-SHA384"):
        with pytest.raises(ssl.SSLError):
            connect(weak)


def test_answers_name_neither_the_web_server_nor_http_3(proxy: Proxy) -> None:
    headers = proxy.visitor().get("/").headers
    assert headers.get_all("Server") == ["Caddy" if isinstance(proxy, Caddy) else "nginx"]
    assert "Alt-Svc" not in headers


@pytest.mark.parametrize("proxy", [Nginx], ids=["nginx"], indirect=True)
def test_the_log_of_nginx_has_the_sites_request_id(proxy: Proxy) -> None:
    answer = proxy.visitor(7).get("/about?token=secret")
    log = proxy.folder / "voteweb.log"
    until(lambda: answer.headers["X-Request-Id"] in log.read_text())
    line = log.read_text().splitlines()[-1]
    assert line.startswith("127.0.0.7 [")
    assert '"GET /about" 200 ' in line
    assert line.endswith(f" {answer.headers['X-Request-Id']}")
