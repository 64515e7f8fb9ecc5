"""Hostile input at every address: no server error, no markup, no redirect elsewhere, no header of the sender's."""

import json
import re
from functools import lru_cache
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from tests.web.addresses.address import ADMIN, MEMBER, MODERATOR, READER, Address
from tests.web.addresses.conftest import Everybody, MakePerson
from tests.web.addresses.sender import Sender
from tests.web.addresses.table import PAGES, ROUTES
from tests.web.browser import JSON, Browser
from tests.web.dom import parse
from tests.web.state import content
from voteweb.core import passwords
from voteweb.store import Store

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
GETS = [address for address in PAGES if not address.case]
POSTS = [address for address in ROUTES if address.method == "POST"]
#: What only a trace of the program contains, or what the sender has had computed or read; no signed token can.
TRACE = re.compile(r"Traceback|werkzeug|jinja2|voteweb/|\.py(?![\w-])|17994564hx|root:")
LINKS = {"href", "action", "formaction", "src"}
#: A path, an anchor, a web address, or of the site itself the bookmarklet and the file of recovery codes.
SAFE_LINK = re.compile(r"/(?![/\\])|#|https?://|$|javascript:location\.href=|data:text/plain;charset=utf-8,Recovery%20")


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
@pytest.mark.parametrize("address", GETS, ids=str)
def test_hostile_address_does_no_harm(address: Address, make_person: MakePerson) -> None:
    browsers = [make_person(READER), make_person(MODERATOR)]
    for name in (*address.part_names, *address.parameters, "x"):
        for number, value in enumerate(VALUES):
            is_part = name in address.part_names
            url = address.url(**{name: value}) if is_part else address.url(more_query={name: value})
            assert_harmless(browsers[number % 2].client.get(url, buffered=True), (name, value))


@pytest.mark.heavy
@pytest.mark.parametrize("address", POSTS, ids=str)
def test_hostile_form_does_no_harm(address: Address, sender: Sender) -> None:
    fields = dict(address.fields)
    next = ["next"] if address.returns_to is not None else []
    for name in (*address.part_names, *fields, *next, "csrf_token"):
        for value in VALUES:
            if name in address.part_names:
                assert_harmless(sender.post(address, fields, address.url(**{name: value})), (name, value))
            else:
                response = sender.post(address, fields | {name: value})
                assert_harmless(response, (name, value))
                assert response.status_code != 400 or name in ("csrf_token", "role"), "the token was valid"


@pytest.mark.heavy
@pytest.mark.parametrize("name", HEADERS)
def test_hostile_header_does_no_harm(name: str, make_person: MakePerson) -> None:
    reader, admin = make_person(READER), make_person(ADMIN)
    token = admin.csrf_token()
    for value in HEADER_VALUES:
        for path in ("/a/1", "/feed.atom", "/login"):
            assert_harmless(reader.client.get(path, headers={name: value}, buffered=True), value)
        response = admin.client.post("/a/1/vote", data={"csrf_token": token}, headers=JSON | {name: value})
        assert_harmless(response, value)


@pytest.mark.parametrize("name", ["voteweb", "known", "language", "notice"])
def test_hostile_cookie_does_no_harm(name: str, reader: Browser) -> None:
    for value in (value for value in HEADER_VALUES if len(value) < 3_000):
        for path in ("/", "/login", "/submit", "/feed.atom"):
            reader.client.delete_cookie("voteweb")
            reader.client.set_cookie(name, value)
            assert_harmless(reader.client.get(path, buffered=True), value)
        assert_harmless(reader.client.post("/login", data={"username": "zoe", "password": "x"}), value)


def words(max_size: int) -> st.SearchStrategy[str]:
    """Draw texts: Hypothesis also draws words of our own modules, and pages repeat what was sent."""
    return st.text(max_size=max_size).filter(lambda text: not TRACE.search(text))


any_text = words(60) | st.sampled_from(VALUES)
same_fixtures = examples(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)


@same_fixtures
@given(data=st.data())
def test_form_of_any_fields_does_no_harm(sender: Sender, data: Any) -> None:
    address = data.draw(st.sampled_from(POSTS))
    names = [*address.fields, "next", "x"]
    fields = data.draw(st.dictionaries(st.sampled_from(names), any_text, max_size=len(names)))
    assert_harmless(sender.post(address, {**address.fields, **fields}), fields)


@same_fixtures
@given(data=st.data())
def test_address_of_any_parts_does_no_harm(reader: Browser, data: Any) -> None:
    address = data.draw(st.sampled_from(GETS))
    parts = {name: data.draw(any_text) for name in address.part_names}
    names = st.sampled_from([*address.parameters, "page", "next"]) | words(5)
    query = data.draw(st.dictionaries(names, any_text, max_size=4))
    assert_harmless(reader.client.get(address.url(more_query=query, **parts), buffered=True), (parts, query))


@pytest.mark.heavy
@pytest.mark.parametrize("address", [address for address in POSTS if address.has_csrf], ids=str)
def test_body_that_is_no_form_does_nothing(address: Address, make_person: MakePerson, store: Store) -> None:
    """Also with a valid token in it."""
    sender = make_person(address.sender)
    token = {"csrf_token": sender.csrf_token()}
    before = content(store)
    for body in ({**address.fields, **token}, {**address.fields, **token, "title": 1}, {"csrf_token": 1}, [1], 1):
        sender.post(address.url(), json.dumps(body), content_type="application/json")
        assert (sender.status in (303, 400, 403, 422), content(store)) == (True, before), body


def test_file_in_a_field_does_no_harm(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for address in (address for address in POSTS if address.has_csrf):
        for name in ("csrf_token", *address.fields):
            with subtests.test(str(address), field=name):
                person, token = everybody.browser(address.sender), everybody.tokens[address.sender]
                files = {"csrf_token": token, **address.fields, name: (BytesIO(b"words"), "words.txt")}
                assert_harmless(person.post(address.url(), files).response, name)


def test_wrong_passwords_in_other_bodies_than_forms_are_not_checked(
    make_person: MakePerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No rate limit would count them."""
    member = make_person(MEMBER)
    checked: list[str] = []
    monkeypatch.setattr(passwords, "verify", lambda _hash, password: checked.append(password))
    body = json.dumps({"csrf_token": member.csrf_token(), "old": "guess", "new": "another long one"})
    assert member.post("/account", body, content_type="application/json").status == 422
    assert checked == []
