"""The description of the API as OpenAPI 3.1, made from its operations and their shapes, and the page about it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from http import HTTPStatus
from importlib import import_module
from importlib.resources import files
from types import NoneType
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response, render_template
from msgspec import Struct
from werkzeug.exceptions import default_exceptions

from voteweb.core import config, errors
from voteweb.core.models import Right
from voteweb.core.rate_limits import PROGRAM
from voteweb.core.version import RELEASE
from voteweb.web.api.operations import OPERATIONS, InvalidField, Operation, Page
from voteweb.web.base.context import settings
from voteweb.web.base.responses import Problem, public
from voteweb.web.base.urls import absolute
from voteweb.web.i18n.formatting import RIGHT_NAMES
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.views.errors import API_CODES, API_MESSAGES, PAGES

Json = dict[str, Any]
blueprint = Blueprint("api_description", __name__)
#: A variable part of a path, and what numbers are.
_PART = re.compile(r"<(?:(?P<type>\w+):)?(?P<name>\w+)>")
_NUMBER = {"type": "integer", "minimum": 1}
_SCHEMAS = "#/components/schemas/"
_JSON, _PROBLEM = "application/json", "application/problem+json"
_HEADERS = {
    "ETag": "The version of this answer, for If-None-Match.",
    "Link": 'The address of the next page, with rel="next"; absent on the last one.',
    "RateLimit": "How many requests the limit of the token has left, and when it has more.",
    "RateLimit-Policy": "The limit of the token.",
    "Retry-After": "Seconds after which the request can be sent again.",
    "WWW-Authenticate": "The kind of authorization that is needed: Bearer.",
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A text that is new for each act, which is then done once, however often the request is sent.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
}
_ABOUT = (
    "“security” names the right that the token of an operation needs, and “x-codes” the errors of a status: /api says "
    "what they mean."
)
_AUTHORIZATION = "A token of a program, which its member makes at /account/programs."
_WRITES = (errors.ReadOnly, errors.StorageFull, errors.Conflict)


class Refusal(NamedTuple):
    """An error that operations may answer: status, code, and the sentence in English, with its placeholders."""

    status: int
    code: str
    template: str

    @property
    def sentence(self) -> str:
        """The sentence in the language of this request."""
        return re.sub(r"%\(\w+\)s", "…", _(self.template))


def _refusal(error: type[errors.VotewebError]) -> Refusal:
    if error.code == InvalidField.code:
        error = InvalidField
    template = API_MESSAGES.get(error.code) or error.template or PAGES[error.status][1]
    return Refusal(error.status, error.code, template)


def _http(status: int) -> Refusal:
    code = API_CODES.get(status) or default_exceptions[status].__name__.lower()
    return Refusal(status, code, API_MESSAGES.get(status) or PAGES[status][1])


def refusals(row: Operation) -> list[Refusal]:
    """Return the errors that an operation may answer: those of its row, and those that follow from what it takes."""
    kinds: list[type[errors.VotewebError]] = [
        *row.refuses,
        errors.BadToken,
        errors.Held,
        errors.ProgramsOff,
        errors.TooFast,
        errors.Unavailable,
        errors.DataDamaged,
    ]
    kinds += [errors.TokenNeeded, errors.NoRight] if row.right else []
    kinds += [errors.NotAllowed] if row.right is Right.MODERATE else []
    kinds += [InvalidField] if row.query or row.body else []
    kinds += [InvalidField, errors.KeyReused] if row.method == "POST" else []
    kinds += _WRITES if row.method != "GET" else ()
    statuses = [404] if _PART.search(row.path) else []
    statuses += [403] if row.right is Right.MODERATE else []
    statuses += [411, 413, *([415] if row.body else [])] if row.method != "GET" else []
    made = [*map(_refusal, kinds), *map(_http, statuses)]
    return sorted({refusal.code: refusal for refusal in made}.values())


def operations(*, with_comments: bool) -> list[Operation]:
    """Return the operations of a site with or without conversations."""
    return [row for row in OPERATIONS if with_comments or not row.is_of_comments]


def path_of(row: Operation) -> str:
    """Return the path of an operation as OpenAPI writes it."""
    return config.API_PATH + _PART.sub(r"{\g<name>}", row.path)


def subject_of(row: Operation) -> str:
    """Return the name of the subject of an operation, which is that of its module."""
    return row.do.__module__.rpartition(".")[2]


def _heading(row: Operation) -> str:
    """Return the heading of the subject of an operation, in English."""
    return re.split("[:.]", import_module(row.do.__module__).__doc__ or "")[0]


@cache
def examples() -> dict[str, Json]:
    """Return a request to each operation, with its real answer; `make examples` writes the answers."""
    made: dict[str, Json] = json.loads(files("voteweb.web.api").joinpath("examples.json").read_bytes())
    return made


@cache
def description(*, with_comments: bool) -> Json:
    """Return the description of the API of a site with or without conversations."""
    rows = operations(with_comments=with_comments)
    shapes = [shape for row in rows for shape in (row.query, row.body, row.answer) if _is_shape(shape)]
    _, schemas = msgspec.json.schema_components([*shapes, Problem], ref_template=_SCHEMAS + "{name}")
    paths: dict[str, Json] = {}
    for row in rows:
        paths.setdefault(path_of(row), {})[row.method.lower()] = _describe(row, schemas)
    queries = {row.query.__name__ for row in rows if row.query}  # they are parameters
    return {
        "openapi": "3.1.0",
        "info": {"title": "voteweb", "version": RELEASE, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "tags": [
            {"name": name, "description": text}
            for name, text in {subject_of(row): _heading(row) for row in rows}.items()
        ],
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in schemas.items() if name not in queries},
            "headers": {name: _header(name) for name in _HEADERS},
            "parameters": {_IDEMPOTENCY_KEY["name"]: _IDEMPOTENCY_KEY},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": _AUTHORIZATION}},
        },
    }


@cache
def document(*, with_comments: bool) -> bytes:
    """Return the description as it is sent."""
    return msgspec.json.encode(description(with_comments=with_comments))


def _is_shape(shape: object) -> bool:
    return shape not in (None, NoneType, Response)


def _header(name: str) -> Json:
    return {"description": _HEADERS[name], "schema": {"type": "integer" if name == "Retry-After" else "string"}}


def _describe(row: Operation, schemas: Json) -> Json:
    """Return what OpenAPI calls an operation; *schemas* are those of all shapes."""
    example = examples().get(row.name, {})
    parameters = list(_parameters(row, schemas))
    for parameter in parameters:
        value = {**example.get("parts", {}), **example.get("query", {})}.get(parameter["name"])
        parameter.update({} if value is None else {"example": value})
    if row.method == "POST":
        parameters.append({"$ref": f"#/components/parameters/{_IDEMPOTENCY_KEY['name']}"})
    described: Json = {
        "operationId": row.name,
        "summary": row.summary,
        "tags": [subject_of(row)],
        "security": [{"token": [row.right]}] if row.right else [{}, {"token": []}],
        "parameters": parameters,
        "responses": {**_answers(row, example), **_problems(row)},
    }
    if row.body:
        described["requestBody"] = {
            "required": row.needs_body,
            "content": {_JSON: _content(row.body, example.get("body"))},
        }
    return described


def _parameters(row: Operation, schemas: Json) -> Iterator[Json]:
    """Yield the parameters of an operation in its path and its query; *schemas* has that of the query."""
    for part in _PART.finditer(row.path):
        schema = _NUMBER if part["type"] == "int" else {"type": "string", "minLength": 1}
        yield {"name": part["name"], "in": "path", "required": True, "schema": schema}
    query = schemas[row.query.__name__] if row.query else {}
    for name, schema in query.get("properties", {}).items():
        yield {"name": name, "in": "query", "required": name in query.get("required", ()), "schema": schema}


def _content(shape: type[Struct], example: object = None) -> Json:
    (schema,), _ = msgspec.json.schema_components([shape], ref_template=_SCHEMAS + "{name}")
    return {"schema": schema, **({} if example is None else {"example": example})}


def _answers(row: Operation, example: Json) -> Json:
    """Return the answers of an operation that does what it is asked."""
    names = ["RateLimit", "RateLimit-Policy"]
    names += ["ETag"] if row.method == "GET" else []
    names += ["Link"] if isinstance(row.answer, type) and issubclass(row.answer, Page) else []
    answer: Json = {"description": HTTPStatus(row.status).phrase, "headers": _refer(names)}
    if _is_shape(row.answer):
        answer["content"] = {_JSON: _content(row.answer, example.get("answer"))}
    unchanged = {"304": {"description": "The client has this answer already.", "headers": _refer(["ETag"])}}
    return {str(row.status): answer, **(unchanged if row.method == "GET" else {})}


def _problems(row: Operation) -> Json:
    """Return the answers of an operation that refuses, by status."""
    answers: Json = {}
    for status, code, _template in refusals(row):
        answer = answers.setdefault(
            str(status),
            {
                "description": HTTPStatus(status).phrase,
                "headers": _refer(
                    {401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]}.get(status, [])
                ),
                "content": {_PROBLEM: {"schema": {"$ref": f"{_SCHEMAS}Problem"}}},
                "x-codes": [],
            },
        )
        answer["x-codes"].append(code)
    return answers


def _refer(headers: Sequence[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in headers}


@blueprint.get("/api/openapi.json")
def openapi() -> Response:
    """Return the description for programs."""
    return public(document(with_comments=bool(settings().comments)), _JSON, config.FEED_SECONDS)


@blueprint.get("/api")
def index() -> str:
    """Show the description to people, with what holds for all operations."""
    with_comments = bool(settings().comments)
    described = description(with_comments=with_comments)
    rows = operations(with_comments=with_comments)
    own = {row.name: [_refusal(error).code for error in row.refuses] for row in rows}
    problems = sorted({refusal for row in rows for refusal in refusals(row)})
    subjects: dict[str, list[Json]] = {}
    for row in rows:
        more = {"row": row, "path": path_of(row), "fields": _fields(row, described), "errors": own[row.name]}
        operation = described["paths"][path_of(row)][row.method.lower()]
        subjects.setdefault(_heading(row), []).append({**operation, **more, "example": _example(row)})
    return render_template(
        "api/index.html",
        subjects=subjects,
        problems=problems,
        common=[problem.code for problem in problems if not any(problem.code in codes for codes in own.values())],
        address=absolute(config.API_PATH),
        rights=RIGHT_NAMES,
        limit=PROGRAM,
        values_of=values_of,
    )


def _example(row: Operation) -> str:
    """Return a request to an operation and its answer, as text."""
    example = examples().get(row.name, {})
    query = f"?{urlencode(example['query'])}" if "query" in example else ""
    path = path_of(row).format_map(defaultdict(str, example.get("parts", {})))
    parts = (json.dumps(example[part], indent=1, ensure_ascii=False) for part in ("body", "answer") if part in example)
    return "\n\n".join((f"{row.method} {path}{query}", *parts))


def _fields(row: Operation, described: Json) -> list[tuple[str, bool, Json]]:
    """Return the fields of the body of an operation: name, whether it must be there, and schema."""
    schema = described["components"]["schemas"][row.body.__name__] if row.body else {}
    needed = schema.get("required", ())
    return [(name, name in needed, field) for name, field in schema.get("properties", {}).items()]


def values_of(schema: Json) -> str:
    """Return the values that a JSON Schema allows as programmers write them, such as "integer 1…100"."""
    if parts := schema.get("anyOf"):
        return " | ".join(map(values_of, parts))
    if values := schema.get("enum"):
        return " | ".join(map(str, values))
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_SCHEMAS)
    least, most = (
        next((schema[name] for name in names if name in schema), "")
        for names in (("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems"))
    )
    kind = f"[{values_of(schema['items'])}]" if "items" in schema else str(schema.get("type", "any"))
    return f"{kind} {least}…{most}" if least != "" or most != "" else kind
