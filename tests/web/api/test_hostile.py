"""Hostile requests to each operation: refused with a problem, never with a server error, and not done."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from msgspec.structs import fields

from tests.prepared import restoring
from tests.web.addresses.test_hostile import VALUES, assert_harmless
from tests.web.api.examples import EXAMPLES, make_token, script
from tests.web.state import content
from voteweb.core import config
from voteweb.core.models import Right, Role
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token
from voteweb.web.api.operations import OPERATIONS, Operation

#: What is tried in every field of a body besides texts.
OTHER_VALUES = [None, True, -1, 0, 2**53, 2**64, -(10**400), 1.5, 1e308, [], {}, [None], ["x"] * 500, {"id": 1}]
#: Bodies that are no JSON as the API takes it.
BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": b"[1]",
    "NaN": b'{"title": NaN}',
    "infinite": b'{"title": -Infinity}',
    "a long number": b'{"title": ' + b"9" * 5_000 + b"}",
    "deep": b"[" * 30_000 + b"]" * 30_000,
    "deep enough to be read": b'{"title": ' + b"[" * 900 + b"]" * 900 + b"}",
    "deeper than allowed": b'{"title": [[[[1]]]]}',
    "a name twice": b'{"title": "a", "title": "b"}',
    "a name twice inside": b'{"groups": {"a": 1, "a": 1}}',
    "Latin-1": '{"title": "é"}'.encode("latin-1"),
    "half a character": b'{"title": "\\ud800"}',
    "half a character in a name": b'{"\\udc00": 1}',
    "half a character in UTF-8": b'{"title": "\xed\xa0\x80"}',
}
_WITH_BODY = [row for row in OPERATIONS if row.body]


@pytest.fixture
def token(app: Flask, store: Store, tmp_path: Path) -> str:
    """The token of a program with all rights of a moderator, on the sample site."""
    script.fill(app, store, tmp_path)
    return make_token(store, "mod", tuple(Right), Role.MODERATOR)


def inputs(row: Operation) -> list[dict[str, Any]]:
    """Return the example of an operation with each hostile value in each part, parameter and field."""
    example = EXAMPLES[row.name]
    query, body = ([field.encode_name for field in fields(shape)] if shape else [] for shape in (row.query, row.body))
    return [
        {**example, where: {**example.get(where, {}), name: value}}
        for where, names, values in (
            ("parts", example.get("parts", {}), VALUES),
            ("query", [*query, "x"], VALUES),
            ("body", [*body, "x"] if row.body else [], [*VALUES, *OTHER_VALUES]),
        )
        for name in names
        for value in values
    ]


@pytest.mark.heavy
def test_hostile_value_does_no_harm(app: Flask, store: Store, token: str, subtests: pytest.Subtests) -> None:
    restore = restoring(store)
    for row in OPERATIONS:
        with subtests.test(row.name):
            restore()
            for example in inputs(row):
                response = script.ask(app, row, example, token)
                assert_harmless(response, example)
                assert response.status_code < 400 or response.mimetype in ("application/problem+json", "text/plain")


def send(app: Flask, row: Operation, token: str, **options: Any) -> Any:
    """Send the example of an operation with another body."""
    return script.ask(app, row, EXAMPLES[row.name], token, json=None, **{"content_type": "application/json"} | options)


def test_body_that_is_no_json_is_refused(app: Flask, store: Store, token: str, subtests: pytest.Subtests) -> None:
    before = content(store)
    for row in _WITH_BODY:
        valid = json.dumps(EXAMPLES[row.name]["body"])
        encoded = {encoding: valid.encode(encoding) for encoding in ("utf-8-sig", "utf-16", "utf-32")}
        for name, body in {**BODIES, **encoded}.items():
            if not (body or row.needs_body):
                continue
            with subtests.test(row.name, body=name):
                response = send(app, row, token, data=body)
                assert (response.status_code, response.json["code"]) == (422, "invalid")
                assert "errors" not in response.json, "its fields are not looked at"
        for type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            assert send(app, row, token, data=b"{}", content_type=type).status_code == 415
    assert content(store) == before


class Unread:
    """A body that must not be read."""

    def read(self, *_: object) -> bytes:
        raise AssertionError("it was read")


def test_body_without_a_valid_token_is_not_read(app: Flask, token: str, subtests: pytest.Subtests) -> None:
    for row in _WITH_BODY:
        for sent in ("", "x", new_token("mod")):
            with subtests.test(row.name, token=sent):
                unread = {"CONTENT_LENGTH": "2", "wsgi.input": Unread()}
                assert send(app, row, sent, environ_overrides=unread).status_code == 401


def test_long_body_is_refused_before_it_is_read(app: Flask, token: str, subtests: pytest.Subtests) -> None:
    long, endless = {"CONTENT_LENGTH": str(config.MAX_API_BODY_BYTES + 1)}, {"HTTP_TRANSFER_ENCODING": "chunked"}
    for row in OPERATIONS:
        with subtests.test(row.name):
            for headers, status in ((long, 413), (endless, 411)):
                response = send(app, row, token, environ_overrides={**headers, "wsgi.input": Unread()})
                assert response.status_code == status, response.text
