"""Requests whose address, headers or host are out of bounds are refused before any other layer sees them."""

import pytest
from flask import Flask
from werkzeug.test import create_environ, run_wsgi_app

from tests import factories
from tests.site_process import SECRET, StartSite
from tests.web.browser import Browser
from voteweb.core import config
from voteweb.store import Store
from voteweb.web.caching import fragment_cache

MALFORMED = [
    "", "a b", " ", "a..b", ".a", "a:b", "a:99999999", "[::1", "[x]", "[:.:]", "[1.2.3.4]",
    "a@b", "a/b", "a#b", "a?b", "é", "a\x00", "x" * 64, "a." * 130 + "a", "9" * 9_000,
]  # fmt: skip


def ask(app: Flask, path: str, **headers: str) -> tuple[int, str]:
    """Return status and body of the answer; Werkzeug's client would decode the host itself."""
    environ = create_environ(path) | {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    body, status, _ = run_wsgi_app(app, environ, buffered=True)
    return int(status[:3]), b"".join(body).decode(errors="replace")


def status(app: Flask, path: str, **headers: str) -> int:
    return ask(app, path, **headers)[0]


@pytest.mark.parametrize("path", ["/a/1", "/healthz", "/static/site.css"])
def test_address_beyond_the_bound_gets_414(path: str, app: Flask, store: Store) -> None:
    factories.article(store)
    longest = f"{path}?x={'y' * (config.MAX_URL_BYTES - len(path) - 2)}"
    assert status(app, longest) in (200, 404)
    assert status(app, f"{longest}y") == 414
    assert status(app, f"/{'y' * config.MAX_URL_BYTES}") == 414
    assert "8,000 bytes" in ask(app, f"{longest}y")[1]
    body, refused, _ = run_wsgi_app(app, create_environ(f"{longest}y", method="HEAD"))
    assert (refused[:3], list(body)) == ("414", [])
    api = run_wsgi_app(app, create_environ(f"{config.API_PATH}/{'y' * config.MAX_URL_BYTES}"))[2]
    assert api.get("Access-Control-Allow-Origin") == "*", "a page of another site is told why"


@pytest.mark.parametrize("name", ["accept_language", "cookie", "x_any"])
def test_headers_beyond_the_bound_get_431(name: str, app: Flask) -> None:
    assert status(app, "/new", **{name: "y" * (config.MAX_HEADER_BYTES - 100)}) == 200
    assert status(app, "/", **{name: "y" * config.MAX_HEADER_BYTES}) == 431
    assert "16,000 bytes" in ask(app, "/", **{name: "y" * config.MAX_HEADER_BYTES})[1]


@pytest.mark.parametrize("host", MALFORMED)
def test_malformed_host_gets_400(host: str, app: Flask) -> None:
    for path in ("/", "/nowhere", "/feed.atom", "/healthz"):
        assert status(app, path, host=host) == 400


@pytest.mark.parametrize(
    "host",
    [
        "a.b:80", "A_b-c.example.", "xn--4ca0bs", "[::1]:8000",
        # Names that browsers send although they stand for no other.
        "xn--", "XN--", "a.xn--.b", "xn--0", "xn--99999999", "xn--zz--",
    ],
)  # fmt: skip
def test_valid_host_is_answered(host: str, app: Flask) -> None:
    for path in ("/", "/feed.atom", "/about", "/healthz"):
        assert status(app, path, host=host) == 200
    name = host.lower().removesuffix(":80")
    assert f'<link rel="canonical" href="http://{name}/">' in ask(app, "/", host=host)[1]


@pytest.mark.heavy
def test_only_http_1_0_may_name_no_host(start_site: StartSite, server_url: str) -> None:
    """The web server makes an empty host of one that is not ASCII."""
    site = start_site(VOTEWEB_REDIS_URL=server_url, **SECRET)
    for protocol, host, status in (
        ("1.1", "Host: xn--é\r\n", b"400"), ("1.1", "", b"400"), ("1.1", "Host: a\r\n", b"200"), ("1.0", "", b"200"),
    ):  # fmt: skip
        with site.visitor().connect() as connection:
            connection.sendall(f"GET /healthz HTTP/{protocol}\r\n{host}\r\n".encode())
            assert connection.recv(1_000).split()[1] == status


def test_long_paths_and_headers_are_not_remembered(reader: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is asked for twice: what was remembered the first time would be an answer without rendering."""
    rendered: list[str] = []
    render = fragment_cache.render  # what is remembered is rendered by another name of it

    def note(fragment: str, version: object, /, **values: object) -> str:
        rendered.append(fragment)
        return render(fragment, version, **values)

    monkeypatch.setattr(fragment_cache, "render", note)
    for path in ("/nowhere", f"/{'y' * 2_000}"):
        reader.open(path)
        rendered.clear()
        reader.open(path)
        assert any(name.startswith("_frame.html") for name in rendered) is (len(path) > config.MAX_CACHED_LENGTH)
