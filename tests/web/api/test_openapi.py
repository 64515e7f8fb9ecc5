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
    assert ids >= links | {f"op-{row.name}" for row in OPERATIONS}
    responses = [
        answer
        for path in description(with_comments=True)["paths"].values()
        for row in path.values()
        for answer in row["responses"].values()
    ]
    assert ids >= {code for answer in responses for code in answer.get("x-codes", ())}


def test_page_is_worded_for_people_and_this_site(reader: Browser) -> None:
    page = reader.open("/api").page.one("main")
    main, examples = page.text, [example.text for example in page.all("pre")]
    for example in examples:
        main = main.replace(example, "")
    assert not [example for example in examples if "news.example" in example or "//a/" in example]
    for wrong in ("`", "….", "= ()", "= []", "= False", "= None", "<code>"):
        assert wrong not in main
    for words in ("hot by score", "good | hot | new | top", "or waits for one", "a broken link"):
        assert words in main, words


@pytest.mark.site(limits=2)
def test_page_has_the_limits_that_count_operations(reader: Browser) -> None:
    main = reader.open("/api").page.one("main")
    rows = [[cell.text for cell in row.all("td")] for row in main.one("tbody").all("tr")]
    assert ["requests with this token", "each token", "120 at once, then 7,200 an hour"] in rows
    assert ["articles", "each new member", "6 at once, then 2 an hour"] in rows
    assert not [row for row in rows if row[0] in ("invitations made or withdrawn", "failed log-ins")]


def test_description_says_what_fields_mean() -> None:
    described = description(with_comments=True)
    schemas, listing = described["components"]["schemas"], described["paths"]["/api/v1/articles"]["get"]
    assert described["paths"]["/api/v1/members/{name}"]["get"]["tags"] == ["site"]
    assert "`hot` by score" in schemas["Sorting"]["description"]
    assert schemas["CommentReason"]["enum"] == ["rules", "spam", "topic"]
    assert all(parameter["description"] for parameter in listing["parameters"])
    assert not [schema for schema in schemas.values() if "``" in schema["description"]]


def test_description_is_sent_once_to_all_origins(reader: Browser) -> None:
    reader.open("/api/openapi.json")
    assert reader.response.data == document(with_comments=True)
    assert reader.headers["Access-Control-Allow-Origin"] == "*"
    reader.open("/api/openapi.json", headers={"If-None-Match": reader.headers["ETag"]})
    assert (reader.status, reader.text) == (304, "")


@pytest.mark.site(comments=0)
def test_site_without_conversations_describes_none(reader: Browser) -> None:
    assert "comment" not in reader.open("/api/openapi.json").json["paths"]
