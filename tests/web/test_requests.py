"""Requests: cookies and forms as Werkzeug reads them, in fewer steps."""

from collections.abc import Sequence
from inspect import iscoroutinefunction
from io import BytesIO
from typing import Any

import pytest
from flask import Flask, Request
from hypothesis import example, given, settings
from hypothesis import strategies as st
from werkzeug.exceptions import ClientDisconnected
from werkzeug.test import create_environ, run_wsgi_app

from tests.web.browser import Browser
from tests.web.conftest import MakeApp
from voteweb.core import config
from voteweb.web.base.flask_app import SiteFlask, SiteRequest

FORM = "application/x-www-form-urlencoded"
#: Pieces of bodies around which parsers differ. Those that are no text are read in another way.
BODIES = st.lists(st.sampled_from([b"x", b"next", b"=", b"&", b";", b"+", b"%", b"%2F", b"%zz", b"%C3%A9"])).map(
    b"".join
)
ATTRIBUTES = ("form", "files", "values", "data", "stream")


def read(kind: type[Request], environ: dict[str, Any], body: bytes, order: Sequence[str]) -> dict[str, Any]:
    """Return what a view gets that reads the attributes of a request in this *order*; of an exception its type."""
    sent = {"CONTENT_TYPE": FORM, "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body)} | environ
    request = kind(sent | {"REQUEST_METHOD": "POST"})
    return {name: read_one(request, name) for name in order}


def read_one(request: Request, name: str) -> Any:
    try:
        value = getattr(request, name)
        return list(value.items(multi=True)) if hasattr(value, "items") else value if name == "data" else value.read()
    except Exception as error:
        return type(error)


@settings(max_examples=25)
@given(body=BODIES, order=st.permutations(ATTRIBUTES))
@example(body="a=é&a=2&b=&c&=d&%".encode(), order=ATTRIBUTES)
@example(body=b"a=" + b"x" * 2_000, order=ATTRIBUTES)
@example(body=b"a=1&" * 400, order=ATTRIBUTES)
@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"wsgi.input_terminated": True},
        {"CONTENT_TYPE": f"{FORM}; charset=latin-1"},
        {"CONTENT_TYPE": FORM.upper()},
        {"CONTENT_TYPE": "text/plain"},
        {"CONTENT_LENGTH": ""},
        {"CONTENT_LENGTH": "-1"},
        {"CONTENT_LENGTH": "2"},
        {"CONTENT_LENGTH": "9000"},
        {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True},
    ],
    ids=str,
)
def test_any_body_is_read_as_werkzeug_reads_it(environ: dict[str, Any], body: bytes, order: Sequence[str]) -> None:
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = 2_001
    with app.app_context():
        assert read(SiteRequest, environ, body, order) == read(Request, environ, body, order)


def test_bytes_that_are_no_text_are_replaced(app: Flask) -> None:
    with app.app_context():
        for body in (b"a=%ffb%ff", b"a=\xffb\xff", b"a=\xffb\xff&b=" + b"x" * 3_000):
            assert read(SiteRequest, {}, body, ("form",))["form"][0] == ("a", "\ufffdb\ufffd")


class Unreadable:
    """The body of a request that nobody may read."""

    def read(self, *_: int) -> bytes:
        pytest.fail("the body was read")


@pytest.mark.parametrize("length", ["9", "290000"])
@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/nowhere", {}, "404"),
        ("POST", "/", {}, "405"),
        ("POST", "/static/site.css", {}, "405"),
        ("GET", "/login", {}, "200"),
        ("PUT", "/login", {}, "405"),
        ("POST", "/login", {"Origin": "https://evil.example"}, "403"),
        ("POST", "/login", {"Content-Type": "multipart/form-data; boundary=x"}, "415"),
        ("POST", "/a/1/vote", {"Content-Type": "application/json"}, "415"),
        ("POST", "/login", {"Host": "evil.example"}, "421"),
    ],
)
def test_body_is_unread_where_no_form_is_taken(
    make_app: MakeApp, method: str, path: str, headers: dict[str, str], status: str, length: str
) -> None:
    headers = {"Host": "news.example", "Content-Type": FORM, "Content-Length": length, **headers}
    environ = create_environ(path, method=method, headers=headers) | {"wsgi.input": Unreadable()}
    assert run_wsgi_app(make_app(site_url="http://news.example"), environ)[1][:3] == status


def test_form_without_a_length_is_refused(make_app: MakeApp) -> None:
    """Browsers send none, and one in pieces of a byte takes half a second to read."""
    environ = create_environ("/login", method="POST", headers={"Content-Type": FORM, "Transfer-Encoding": "chunked"})
    environ.pop("CONTENT_LENGTH", None)
    assert run_wsgi_app(make_app(), environ | {"wsgi.input": Unreadable()})[1][:3] == "415"


@pytest.mark.parametrize(("rows", "most"), [(25, config.MAX_FIELDS), (250, 250 * config.MAX_ROW_FIELDS)])
def test_form_with_too_many_fields_is_413(make_app: MakeApp, rows: int, most: int) -> None:
    reader = Browser(make_app(page_size=rows))
    for path in ("/login", "/a/1/vote", "/language"):
        reader.post(path, "field=1&" * most, content_type=FORM)
        assert (reader.status, reader.heading) == (413, "Too large")
        assert reader.post(path, "&".join(["field=1"] * most), content_type=FORM).status in (303, 422)


def test_form_that_was_cut_off_is_refused() -> None:
    """Werkzeug reads what has come, if the server says that the stream ends there."""
    environ = {"CONTENT_LENGTH": "20", "wsgi.input_terminated": True}
    assert read(Request, environ, b"id=1&to=an", ("form",)) == {"form": [("id", "1"), ("to", "an")]}
    assert read(SiteRequest, environ, b"id=1&to=an", ("form",)) == {"form": ClientDisconnected}


def test_no_view_or_hook_is_a_coroutine_function(app: SiteFlask) -> None:
    hooks = (app.before_request_funcs, app.after_request_funcs, app.teardown_request_funcs)
    functions = [*app.view_functions.values(), *(f for kind in hooks for funcs in kind.values() for f in funcs)]
    assert len(functions) > 50
    assert not any(map(iscoroutinefunction, functions))
