"""The description of the API as OpenAPI 3.1, made from its operations and their shapes, and the page about it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from enum import StrEnum
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from types import NoneType
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response, has_app_context, render_template
from markupsafe import Markup, escape
from msgspec import Struct
from werkzeug.exceptions import default_exceptions

from voteweb.core import config, errors, markup
from voteweb.core.comments import CommentOrder, CommentStatus, NoticeKind
from voteweb.core.errors import N_
from voteweb.core.models import ArticleStatus, Period, Reason, Right, Role
from voteweb.core.rate_limits import LIMITS, PROGRAM, Limit, LimitScope
from voteweb.core.version import RELEASE
from voteweb.search.models import Order
from voteweb.web.api.lists import Sorting
from voteweb.web.api.operations import OPERATIONS, InvalidField, Operation, Page
from voteweb.web.base.context import settings
from voteweb.web.base.responses import Problem, public
from voteweb.web.base.urls import absolute
from voteweb.web.i18n.formatting import PERIOD_TITLES, RIGHT_NAMES, ROLE_NAMES
from voteweb.web.i18n.locale import ENGLISH, force_language
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.forms import REASON_LABELS, CommentReason
from voteweb.web.views.errors import API_MESSAGES, PAGES

Json = dict[str, Any]
blueprint = Blueprint("api_description", __name__)
#: A variable part of a path, the noun before one, and what numbers are.
_PART = re.compile(r"<(?:(?P<type>\w+):)?(?P<name>\w+)>")
_NOUN = re.compile(r"(\w+)/<")
_NUMBER = {"type": "integer", "minimum": 1}
_SCHEMAS = "#/components/schemas/"
_JSON, _PROBLEM = "application/json", "application/problem+json"
_HEADERS = {
    "ETag": "The version of this answer, for If-None-Match.",
    "Idempotency-Replayed": "“true” where the Idempotency-Key was sent before: this is the answer of then.",
    "Link": 'The address of the next page, with rel="next"; absent on the last one.',
    "Location": "The path of what was made.",
    "RateLimit": "How many requests the limit of the token has left, and when it has more.",
    "RateLimit-Policy": "The limit of the token.",
    "Retry-After": "Seconds after which the request can be sent again.",
    "WWW-Authenticate": "The kind of authorization that is needed: Bearer.",
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "1 to 255 characters of ASCII without blanks, new for each act, which is then done once.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
}


class Refusal(NamedTuple):
    """An error that operations may answer: status, code, and the sentence in English, with its placeholders."""

    status: int
    code: str
    template: str

    @property
    def sentence(self) -> str:
        """The sentence in the language of this request."""
        return re.sub(r"%\(\w+\)s\.?", "…", _(self.template)).replace("%%", "%")


#: The subjects of operations, by their tags, in the order in which one needs them.
_SUBJECTS = {
    "articles": N_("Articles"),
    "comments": N_("Comments"),
    "votes": N_("Votes"),
    "choices": N_("What a member saves, hides and follows"),
    "me": N_("The member of the token"),
    "site": N_("The site, its groups and members"),
    "moderation": N_("Moderation"),
}
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
#: The variable parts of paths, in words.
_PARTS = {"id": "The id of an article.", "number": "The number of a comment on it.", "name": "A group or a member."}
#: The values of each enum, in words; "" is left out of answers.
_VALUES: dict[type[StrEnum], Mapping[Any, Any]] = {
    Sorting: {
        Sorting.HOT: N_("by score"),
        Sorting.NEW: N_("the newest first"),
        Sorting.TOP: N_("the most votes in a period first"),
        Sorting.GOOD: N_("the newest good ones"),
    },
    Period: PERIOD_TITLES,
    CommentOrder: {
        CommentOrder.SCORE: N_("by score"),
        CommentOrder.TIME: N_("the oldest first"),
        CommentOrder.NEW: N_("the newest first"),
    },
    Order: {
        Order.RELEVANCE: N_("the best match first"),
        Order.NEW: N_("the newest first"),
        Order.VOTES: N_("the most votes first"),
    },
    Reason: REASON_LABELS,
    CommentReason: {reason: REASON_LABELS[Reason(reason)] for reason in CommentReason},
    Right: RIGHT_NAMES,
    Role: ROLE_NAMES,
    ArticleStatus: {
        ArticleStatus.DELETED: N_("deleted by its poster"),
        ArticleStatus.REMOVED: N_("removed by a moderator"),
        ArticleStatus.HELD: N_("waits for a moderator"),
    },
    CommentStatus: {
        CommentStatus.DELETED: N_("deleted by its author"),
        CommentStatus.REMOVED: N_("removed by a moderator"),
    },
    NoticeKind: {
        NoticeKind.REPLY: N_("an answer to a comment of the member"),
        NoticeKind.ARTICLE: N_("a comment on an article of the member"),
        NoticeKind.MENTION: N_("a comment that names the member"),
        NoticeKind.REMOVED: N_("a moderator removed or edited something of the member"),
        NoticeKind.REPORT: N_("a report of the member was settled"),
        NoticeKind.ROLE: N_("the member has another role"),
        NoticeKind.UNDONE: N_("an act of the member was undone"),
        NoticeKind.ACCOUNT: N_("the account of the member was changed"),
    },
}
_WORDS = {enum.__name__: words for enum, words in _VALUES.items()}
#: The statuses of errors of addresses, and the error of a fault of the site.
_OF_ADDRESSES, _FAULT = (404, 405, 421), Refusal(500, "fault", PAGES[500][1])
#: The site of the examples.
_EXAMPLE_SITE = "https://news.example"
#: Whom a limit counts.
_COUNTED = {
    LimitScope.MEMBER: N_("each member"),
    LimitScope.NEWCOMER: N_("each new member"),
    LimitScope.ADDRESS: N_("each address, without a token"),
}
_ABOUT = (
    "“security” names the right that the token of an operation needs, and “x-codes” the errors of a status: /api says "
    "what they mean."
)
_AUTHORIZATION = "A token of a program, which its member makes at /account/programs."
#: The errors that any operation may answer, and those of operations that write.
_ANY = (
    errors.BadToken, errors.Held, errors.ProgramsOff, errors.TooFast, errors.Unavailable, errors.DataDamaged,
)  # fmt: skip
_WRITES = (errors.ReadOnly, errors.StorageFull, errors.Conflict)
#: The errors that follow from the nouns of a path whose next part is variable, and from parameters and fields.
_OF_INPUTS: dict[str, tuple[type[errors.VotewebError], ...]] = {
    "articles": (errors.NoSuchArticle, errors.ArticleGone),
    "comments": (errors.NoSuchComment, errors.CommentGone),
    "group": (errors.NoSuchGroup,),
    "groups": (errors.NoSuchGroup,),
    "member": (errors.NoSuchMember, errors.MemberLeft),
    "members": (errors.NoSuchMember, errors.MemberLeft),
    "next": (errors.NoSuchPage,),
    "revision": (errors.StaleEdit,),
    "seen": (errors.DecidedMeanwhile,),
}


def _refusal(error: type[errors.VotewebError]) -> Refusal:
    if error.code == InvalidField.code:
        error = InvalidField
    status = max(error.status, 422) if error.status < 400 else error.status  # of pages that show it beside a form
    return Refusal(status, error.code, API_MESSAGES.get(error.code) or error.template or PAGES[status][1])


def _http(status: int) -> Refusal:
    return Refusal(
        status, errors.code_of(default_exceptions[status].__name__), API_MESSAGES.get(status) or PAGES[status][1]
    )


def own_errors(row: Operation) -> list[type[errors.VotewebError]]:
    """Return the errors of what an operation is about: those of its row, and of what its address and input name."""
    inputs = _NOUN.findall(row.path)
    inputs += [field.name for shape in (row.query, row.body) if shape for field in msgspec.structs.fields(shape)]
    return [*row.refuses, *(error for name in inputs for error in _OF_INPUTS.get(name, ()))]


def refusals(row: Operation) -> list[Refusal]:
    """Return the errors that an operation may answer: those of its row, and those that follow from what it takes."""
    kinds: list[type[errors.VotewebError]] = [*_ANY, *own_errors(row)]
    kinds += [errors.TokenNeeded, errors.NoRight] if row.right else []
    kinds += [errors.NotAllowed] if row.right is Right.MODERATE else []
    kinds += [InvalidField] if row.query or row.body else []
    kinds += [InvalidField, errors.KeyReused] if row.method == "POST" else []
    kinds += _WRITES if row.method != "GET" else ()
    statuses = [404] if _PART.search(row.path) else []
    statuses += [411, 413, *([415] if row.body else [])] if row.method != "GET" else []
    made = [*map(_refusal, kinds), *map(_http, statuses)]
    return sorted({refusal.code: refusal for refusal in made}.values())


def operations(*, with_comments: bool) -> list[Operation]:
    """Return the operations of a site with or without conversations, by subject, what is about the whole site first."""
    rows = [row for row in OPERATIONS if with_comments or not row.is_of_comments]
    order = list(_SUBJECTS)

    def place(row: Operation) -> tuple[int, int, str, int]:
        return order.index(subject_of(row)), row.path.count("<"), row.path, _METHODS.index(row.method)

    return sorted(rows, key=place)


def path_of(row: Operation) -> str:
    """Return the path of an operation as OpenAPI writes it."""
    return config.API_PATH + _PART.sub(r"{\g<name>}", row.path)


def subject_of(row: Operation) -> str:
    """Return the name of the subject of an operation: that of its module, if there is one of that name."""
    module = row.do.__module__.rpartition(".")[2]
    if row.path.startswith("/me"):
        return "me"
    return module if module in _SUBJECTS else "comments" if row.is_of_comments else "articles"


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
    with force_language(ENGLISH) if has_app_context() else nullcontext():
        for name, schema in schemas.items():
            values = "; ".join(f"`{value}`: {word}" for value, word in _WORDS.get(name, {}).items())
            schema["description"] = values or " ".join(schema["description"].replace("``", "`").split())
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
            for name, text in _SUBJECTS.items()
            if any(subject_of(row) == name for row in rows)
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
        about = {"name": part["name"], "in": "path", "required": True, "description": _PARTS[part["name"]]}
        yield {**about, "schema": schema}
    query = schemas[row.query.__name__] if row.query else {}
    for name, needed, schema in fields_of(query):
        about = {"name": name, "in": "query", "required": needed}
        words = {"description": schema["description"]} if "description" in schema else {}
        yield {**about, **words, "schema": {key: value for key, value in schema.items() if key not in words}}


def _content(shape: type[Struct], example: object = None) -> Json:
    (schema,), _ = msgspec.json.schema_components([shape], ref_template=_SCHEMAS + "{name}")
    return {"schema": schema, **({} if example is None else {"example": example})}


def _answers(row: Operation, example: Json) -> Json:
    """Return the answers of an operation that does what it is asked."""
    names = ["RateLimit", "RateLimit-Policy"]
    names += ["ETag"] if row.method == "GET" else []
    names += ["Idempotency-Replayed"] if row.method == "POST" else []
    names += ["Location"] if row.status == HTTPStatus.CREATED else []
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
    own = {row.name: sorted({_refusal(error).code for error in own_errors(row)}) for row in rows}
    problems = sorted({*(refusal for row in rows for refusal in refusals(row)), *map(_http, _OF_ADDRESSES), _FAULT})
    subjects: dict[str, list[Json]] = {}
    for row in rows:
        operation = described["paths"][path_of(row)][row.method.lower()]
        more = {"row": row, "path": path_of(row), "errors": own[row.name], "example": _example(row)}
        subjects.setdefault(subject_of(row), []).append({**operation, **more})
    return render_template(
        "api/index.html",
        subjects=subjects,
        headings=_SUBJECTS,
        shapes=shapes_of_answers(described),
        schemas=described["components"]["schemas"],
        problems=problems,
        common=[problem.code for problem in problems if not any(problem.code in codes for codes in own.values())],
        address=absolute(config.API_PATH),
        rights=RIGHT_NAMES,
        limits=[limit for limit in LIMITS if limit is PROGRAM or _counts(limit, rows)] if settings().limits else [],
        program=PROGRAM,
        counted=_COUNTED,
        fields_of=fields_of,
        type_of=type_of,
        values_of=values_of,
        prose=prose,
    )


def shapes_of_answers(described: Json) -> Json:
    """Return the schemas of objects in answers, by name, from the description of the API."""
    bodies = {row.body.__name__ for row in OPERATIONS if row.body}
    schemas = described["components"]["schemas"].items()
    return {name: schema for name, schema in sorted(schemas) if "properties" in schema and name not in bodies}


def messages() -> set[str]:
    """Return the texts of the description that the page has in the language of its reader."""
    described = description(with_comments=True)
    shapes = shapes_of_answers(described).values()
    schemas = [field for shape in described["components"]["schemas"].values() for _, _, field in fields_of(shape)]
    rows = [row for path in described["paths"].values() for row in path.values()]
    parameters = [parameter for row in rows for parameter in row["parameters"] if parameter.get("in") == "query"]
    texts = (part["description"] for part in (*shapes, *schemas, *parameters) if "description" in part)
    return {*texts, *(row["summary"] for row in rows)}


def _counts(limit: Limit, rows: Sequence[Operation]) -> bool:
    """Tell whether *limit* counts one of these operations by its form."""
    return limit.scope in _COUNTED and not {row.form for row in rows}.isdisjoint(limit.views)


def _example(row: Operation) -> str:
    """Return a request to an operation of this site and its answer, as text."""
    example = examples().get(row.name, {})
    query = f"?{urlencode(example['query'])}" if "query" in example else ""
    path = path_of(row).format_map(defaultdict(str, example.get("parts", {})))
    parts = (json.dumps(example[part], indent=1, ensure_ascii=False) for part in ("body", "answer") if part in example)
    return "\n\n".join((f"{row.method} {path}{query}", *parts)).replace(_EXAMPLE_SITE, absolute())


def fields_of(schema: Json) -> list[tuple[str, bool, Json]]:
    """Return the fields of an object of a JSON Schema: name, whether it must be there, and schema."""
    needed = schema.get("required", ())
    return [(name, name in needed, field) for name, field in schema.get("properties", {}).items()]


def prose(text: str) -> Markup:
    """Return a text of the description in the language of this request, with what stands in backticks as code."""
    return markup.trusted(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(_(text)))))


def values_of(schema: Json) -> dict[str, Any]:
    """Return the values that an enum in a JSON Schema allows, with their words."""
    return dict(_WORDS.get(str(schema.get("items", schema).get("$ref")).removeprefix(_SCHEMAS), {}))


def type_of(schema: Json) -> str:
    """Return the type that a JSON Schema allows as programmers write it, such as "integer 1…100"."""
    if parts := schema.get("anyOf"):
        return type_of(parts[0])
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(_SCHEMAS)
        return "string" if name in _WORDS else name
    least, most = (
        next((schema[name] for name in names if name in schema), "")
        for names in (("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems"))
    )
    kind = str(schema.get("format", schema.get("type", "any")))
    kind = f"[{type_of(schema['items'])}]" if "items" in schema else kind
    return f"{kind} {least}…{most}" if most != "" else kind
