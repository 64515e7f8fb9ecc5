"""Hostile input at every address: no server error, no markup, no redirect elsewhere, no header of the sender's."""

import json
import re
from functools import lru_cache
from io import BytesIO
from xml.etree import ElementTree

import pytest
from werkzeug.test import TestResponse

from tests.web.addresses.address import ADMIN, READER
from tests.web.addresses.conftest import Everybody
from tests.web.addresses.test_csrf import PROTECTED
from tests.web.browser import JSON, Browser
from tests.web.dom import parse

#: What is tried in every field, parameter, header and part of an address; "hx" marks the sender's own.
VALUES = [
    "hx\r\nX-Hx: 1\r\nSet-Cookie: hx=1\r\n\r\n<hx>", "\x00\u202ehx\u2028\ufffe", "\ud800hx",
    '"><hx onhx=1>', "' onhx='1' x='", "</title></textarea><script>hx()</script>", "<!--]]><hx/>", "&lt;hx&gt;",
    "javascript:hx(1)", "//hx.example", "/\\hx.example", "/\t/hx.example", "https://u:p@hx.example/",
    "{{4242*4242}}hx", "${7*7}%(hx)s%s%n", "../../../etc/passwd", "%2e%2e%2f", "*", "' OR '1'='1", "",
    "-1", "1e309", "٣", "9" * 400, "x" * 3_000, "😀" * 400, "e\u0301\u0323" * 900, "a+b+c+d+e",
]  # fmt: skip
#: Those that a header can carry.
HEADER_VALUES = [value for value in VALUES if value.isprintable() and value.isascii()]
HEADERS = """Accept Accept-Language Cookie Referer User-Agent VisitorAddress X-Forwarded-For X-Forwarded-Host
X-Forwarded-Proto Forwarded X-CSRFToken If-None-Match If-Modified-Since Range Content-Type Origin""".split()
#: What only a trace of the program contains, or what the sender has had computed or read; no signed token can.
TRACE = re.compile(r"Traceback|werkzeug|jinja2|voteweb/|\.py(?![\w-])|17994564hx|(?<!:)root:")
LINKS = {"href", "action", "formaction", "src"}
#: A path, an anchor, a web address, or of the site itself the bookmarklet, the secret of an app, and the file of codes
#: or of a token.
SAFE_LINK = re.compile(
    r"/(?![/\\])|#|https?://|$|javascript:location\.href=|otpauth://totp/|data:text/plain;charset=utf-8,(Recovery%20|vw_)"
)


def assert_harmless(response: TestResponse, sent: object) -> None:
    """Fail if *response* shows a server error, or if what was *sent* is anything but text in it."""
    assert response.status_code < 500, sent
    for name, value in response.headers:
        assert name != "X-Hx", sent
        assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value), sent
        assert not (name == "Set-Cookie" and value.startswith("hx")), sent
    location = response.headers.get("Location", "/")
    assert re.match(r"/(?![/\\])", location), location
    if (response.mimetype or "").startswith("image/"):
        return
    body = response.get_data().decode()
    assert not (body and response.status_code == 304)
    assert_harmless_body(response.mimetype or "", body)


@lru_cache(maxsize=4096)
def assert_harmless_body(mimetype: str, body: str) -> None:
    """Fail if *body* has markup of the sender's, or a trace of the program; the same body is checked once."""
    assert not TRACE.search(body)
    if mimetype == "text/html" and "<title>Redirecting" not in body:
        for element in parse.__wrapped__(body):
            assert element.tag != "hx"
            assert element.tag != "script" or "hx(" not in element.own_text
            for name, value in element.attrs.items():
                assert not name.startswith("on"), element.attrs
                assert name not in LINKS or SAFE_LINK.match(value), element.attrs
    elif mimetype.endswith("xml"):
        ElementTree.fromstring(body)
        assert "<hx" not in body
    elif mimetype.endswith("json"):
        json.loads(body)


@pytest.mark.heavy
def test_hostile_input_does_no_harm(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for address, name, send, values in everybody.inputs(VALUES):
        with subtests.test(str(address), name=name):
            for value in values:
                sender = send(value)
                assert_harmless(sender.response, value)
                is_field = address.method == "POST" and name in address.fields
                assert sender.status != 400 or name == "role" or not is_field, "the token was valid"


@pytest.mark.heavy
def test_hostile_header_does_no_harm(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for name in HEADERS:
        with subtests.test(name):
            for value in HEADER_VALUES:
                for path in ("/a/1", "/feed.atom", "/login"):
                    assert_harmless(everybody.browser(READER).open(path, headers={name: value}).response, value)
                admin, fields = everybody.browser(ADMIN), {"csrf_token": everybody.tokens[ADMIN]}
                assert_harmless(admin.post("/a/1/vote", fields, headers=JSON | {name: value}).response, value)


def test_hostile_cookie_does_no_harm(reader: Browser, subtests: pytest.Subtests) -> None:
    for name in ("voteweb", "known", "language", "notice"):
        with subtests.test(name):
            for value in (value for value in HEADER_VALUES if len(value) < 3_000):
                for path in ("/", "/login", "/submit", "/feed.atom"):
                    reader.client.delete_cookie("voteweb")
                    reader.client.set_cookie(name, value)
                    assert_harmless(reader.open(path).response, value)
                assert_harmless(reader.post("/login", {"username": "zoe", "password": "x"}).response, value)


@pytest.mark.heavy
def test_body_that_is_no_form_does_nothing(everybody: Everybody, subtests: pytest.Subtests) -> None:
    """Also with a valid token in it."""
    for address in PROTECTED:
        token = {"csrf_token": everybody.tokens[address.sender]}
        for body in ({**address.fields, **token}, {**address.fields, **token, "title": 1}, {"csrf_token": 1}, [1], 1):
            with subtests.test(str(address), body=body):
                sender = everybody.browser(address.sender)
                sender.post(address.url(), json.dumps(body), content_type="application/json")
                assert (sender.status, everybody.is_unchanged()) == (415, True)


def test_form_with_a_file_does_nothing(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for address in PROTECTED:
        with subtests.test(str(address)):
            token = {"csrf_token": everybody.tokens[address.sender]}
            files = {**token, **address.fields, "file": (BytesIO(b"words"), "words.txt")}
            sender = everybody.browser(address.sender).post(address.url(), files)
            assert (sender.status, everybody.is_unchanged()) == (415, True)
