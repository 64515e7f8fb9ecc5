"""The description of the API: it is valid, its examples are real answers, and the page for people has all of it."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from flask import Flask

from tests.helpers import needs
from tests.web.api.examples import EXAMPLES, script
from tests.web.browser import Browser
from voteweb.store import Store
from voteweb.web.api.openapi import description, document
from voteweb.web.api.operations import OPERATIONS


@pytest.mark.parametrize("with_comments", [False, True])
def test_description_is_valid_openapi(with_comments: bool) -> None:
    needs(find_spec("openapi_spec_validator"), "the extra api")
    from openapi_spec_validator import OpenAPIV31SpecValidator

    OpenAPIV31SpecValidator(json.loads(document(with_comments=with_comments))).validate()


def test_every_operation_has_a_real_answer_as_example(app: Flask, store: Store, tmp_path: Path) -> None:
    assert sorted(EXAMPLES) == sorted(row.name for row in OPERATIONS), "add a request, and run make examples"
    script.fill(app, store, tmp_path)
    made = script.answers(app, store, EXAMPLES)
    assert script.lasting(made) == script.lasting(EXAMPLES), "run make examples"


def test_page_has_each_operation_and_explains_each_error(reader: Browser) -> None:
    page = reader.open("/api").page
    ids = {element["id"] for element in page.one("main") if "id" in element.attrs}
    links = {element["href"].removeprefix("#") for element in page.one("main").all("a") if element["href"][0] == "#"}
    assert ids >= links | {row.name for row in OPERATIONS}
    responses = [
        answer
        for path in description(with_comments=True)["paths"].values()
        for row in path.values()
        for answer in row["responses"].values()
    ]
    assert ids >= {code for answer in responses for code in answer.get("x-codes", ())}


def test_description_is_sent_once_to_all_origins(reader: Browser) -> None:
    reader.open("/api/openapi.json")
    assert reader.response.data == document(with_comments=True)
    assert reader.headers["Access-Control-Allow-Origin"] == "*"
    reader.open("/api/openapi.json", headers={"If-None-Match": reader.headers["ETag"]})
    assert (reader.status, reader.text) == (304, "")


@pytest.mark.site(comments=0)
def test_site_without_conversations_describes_none(reader: Browser) -> None:
    assert "comment" not in reader.open("/api/openapi.json").json["paths"]
