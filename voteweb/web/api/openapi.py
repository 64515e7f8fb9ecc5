"""The description of the API as OpenAPI 3.1, made from its operations and their shapes, and the page about it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from types import NoneType
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response, render_template
from markupsafe import Markup, escape
from werkzeug.exceptions import default_exceptions

from voteweb.core import config, errors, markup
from voteweb.core.errors import N_
from voteweb.core.models import Right
from voteweb.core.rate_limits import LIMITS, PROGRAM, LimitScope
from voteweb.core.version import RELEASE
from voteweb.web.api.operations import KEY, OPERATIONS, SCHEMAS, Operation, Page, schemas_of, type_of
from voteweb.web.base.context import settings
from voteweb.web.base.responses import Problem, public
from voteweb.web.base.urls import absolute
from voteweb.web.i18n.formatting import RIGHT_NAMES
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.views.errors import API_MESSAGES, PAGES

Json = dict[str, Any]
blueprint = Blueprint("api_description", __name__)
#: A variable part of a path, and the noun before one.
_PART = re.compile(r"<(?:int:)?(\w+)>")
_NOUN = re.compile(r"(\w+)/<")
#: The variable parts of paths.
_PARTS = {
    "id": {"type": "integer", "minimum": 1, "description": "The id of an article."},
    "number": {"type": "integer", "minimum": 1, "description": "The number of a comment on it."},
    "name": {"type": "string", "minLength": 1, "description": "A group or a member."},
}
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
_HEADERS_OF_PROBLEMS = {401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "1 to 255 characters of ASCII without blanks, new for each act, which is then done once.",
    "schema": {"type": "string", "pattern": f"^{KEY.pattern}$"},
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
#: The statuses of errors of addresses, and the error of a fault of the site.
_OF_ADDRESSES, _FAULT = (404, 405, 421), Refusal(500, "fault", PAGES[500][1])
#: The site of the examples.
_EXAMPLE_SITE = "https://news.example/"
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


def _refusal(kind: type[errors.VotewebError] | int) -> Refusal:
    """Return the refusal by an error, or by an HTTP status alone."""
    if isinstance(kind, int):
        status, code, template = kind, errors.code_of(default_exceptions[kind].__name__), ""
    else:
        status, code, template = kind.status, kind.code, kind.template
        status = status if status > HTTPStatus.BAD_REQUEST else 422  # pages show the others beside a form
    return Refusal(status, code, API_MESSAGES.get(code) or template or API_MESSAGES.get(status) or PAGES[status][1])


def own_errors(row: Operation) -> list[type[errors.VotewebError]]:
    """Return the errors of what an operation is about: those of its row, and of what its address and input name."""
    inputs = _NOUN.findall(row.path)
    inputs += [field.name for shape in (row.query, row.body) if shape for field in msgspec.structs.fields(shape)]
    return [*row.refuses, *(error for name in inputs for error in _OF_INPUTS.get(name, ()))]


def refusals(row: Operation) -> list[Refusal]:
    """Return the errors that an operation may answer: those of its row, and those that follow from what it takes."""
    kinds: list[type[errors.VotewebError] | int] = [*_ANY, *own_errors(row)]
    kinds += [errors.TokenNeeded, errors.NoRight] if row.right else []
    kinds += [errors.NotAllowed] if row.right is Right.MODERATE else []
    kinds += [errors.Invalid] if row.query or row.body or row.method == "POST" else []
    kinds += [errors.KeyReused] if row.method == "POST" else []
    kinds += [404] if _PART.search(row.path) else []
    kinds += [*_WRITES, 411, 413] if row.method != "GET" else []
    kinds += [415] if row.body else []
    return sorted(set(map(_refusal, kinds)))


def operations(*, with_comments: bool) -> list[Operation]:
    """Return the operations of a site with or without conversations, by subject, what is about the whole site first."""
    rows = [row for row in OPERATIONS if with_comments or not row.is_of_comments]
    subjects = list(_SUBJECTS)
    return sorted(rows, key=lambda row: (subjects.index(subject_of(row)), row.path.count("<"), row.path))


def path_of(row: Operation) -> str:
    """Return the path of an operation as OpenAPI writes it."""
    return config.API_PATH + _PART.sub(r"{\1}", row.path)


def subject_of(row: Operation) -> str:
    """Return the name of the subject of an operation: that of its module, if there is one of that name."""
    module = row.do.__module__.rpartition(".")[2]
    if row.path.startswith("/me/"):
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
    shapes = (shape for row in rows for shape in (row.query, row.body, row.answer) if shape not in (None, NoneType))
    schemas = schemas_of(*shapes, Problem)
    for schema in schemas.values():
        schema["description"] = " ".join(schema["description"].replace("``", "`").split())
    paths: dict[str, Json] = {}
    for row in rows:
        paths.setdefault(path_of(row), {})[row.method.lower()] = _describe(row, schemas)
    queries = {row.query.__name__ for row in rows if row.query}  # they are parameters
    return {
        "openapi": "3.1.0",
        "info": {"title": "voteweb", "version": RELEASE, "description": _ABOUT},
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in schemas.items() if name not in queries},
            "headers": {name: {"description": text, "schema": {}} for name, text in _HEADERS.items()},
            "parameters": {_IDEMPOTENCY_KEY["name"]: _IDEMPOTENCY_KEY},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": _AUTHORIZATION}},
        },
    }


@cache
def document(*, with_comments: bool) -> bytes:
    """Return the description as it is sent."""
    return msgspec.json.encode(description(with_comments=with_comments))


def _describe(row: Operation, schemas: Json) -> Json:
    """Return what OpenAPI calls an operation; *schemas* are those of all shapes."""
    example = examples().get(row.name, {})
    described: Json = {
        "operationId": row.name,
        "summary": row.summary,
        "tags": [subject_of(row)],
        "security": [{"token": [row.right]}] if row.right else [{}, {"token": []}],
        "parameters": list(_parameters(row, schemas, {**example.get("parts", {}), **example.get("query", {})})),
        "responses": {**_answers(row, example), **_problems(row)},
    }
    if row.body:
        described["requestBody"] = {"required": row.needs_body, "content": _content(row.body, example.get("body"))}
    return described


def _parameters(row: Operation, schemas: Json, examples: Json) -> Iterator[Json]:
    """Yield the parameters of an operation in its path and its query; *schemas* has that of the query."""
    query = schemas[row.query.__name__] if row.query else {"properties": {}}
    parts = [("path", name, _PARTS[name]) for name in _PART.findall(row.path)]
    for place, name, schema in (*parts, *(("query", *item) for item in query["properties"].items())):
        parameter = {"name": name, "in": place, "required": place == "path" or name in query["required"]}
        parameter |= {"description": schema["description"], "schema": schema}
        yield parameter | ({"example": examples[name]} if name in examples else {})
    if row.method == "POST":
        yield {"$ref": f"#/components/parameters/{_IDEMPOTENCY_KEY['name']}"}


def _content(shape: type[msgspec.Struct], example: object = None) -> Json:
    return {_JSON: {"schema": {"$ref": SCHEMAS + shape.__name__}, **({} if example is None else {"example": example})}}


def _answers(row: Operation, example: Json) -> Json:
    """Return the answers of an operation that does what it is asked."""
    names = ["RateLimit", "RateLimit-Policy"]
    names += ["ETag"] if row.method == "GET" else []
    names += ["Idempotency-Replayed"] if row.method == "POST" else []
    names += ["Location"] if row.status == HTTPStatus.CREATED else []
    names += ["Link"] if issubclass(row.answer, Page) else []
    answer: Json = {"description": HTTPStatus(row.status).phrase, "headers": _refer(names)}
    if row.answer is not NoneType:
        answer["content"] = _content(row.answer, example.get("answer"))
    unchanged = {"304": {"description": "The client has this answer already.", "headers": _refer(["ETag"])}}
    return {str(row.status): answer, **(unchanged if row.method == "GET" else {})}


def _problems(row: Operation) -> Json:
    """Return the answers of an operation that refuses, by status."""
    answers: Json = {}
    for status, code, _template in refusals(row):
        answer = {
            "description": HTTPStatus(status).phrase,
            "headers": _refer(_HEADERS_OF_PROBLEMS.get(status, ())),
            "content": {_PROBLEM: {"schema": {"$ref": f"{SCHEMAS}Problem"}}},
            "x-codes": [],
        }
        answers.setdefault(str(status), answer)["x-codes"].append(code)
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
    problems = sorted({*(one for row in rows for one in refusals(row)), *map(_refusal, _OF_ADDRESSES), _FAULT})
    subjects: dict[str, list[Json]] = {}
    for row in rows:
        operation = described["paths"][path_of(row)][row.method.lower()]
        own = sorted({error.code for error in own_errors(row)})
        more = {"row": row, "path": path_of(row), "errors": own, "example": _example(row)}
        subjects.setdefault(subject_of(row), []).append({**operation, **more})
    schemas, bodies = described["components"]["schemas"], {row.body.__name__ for row in rows if row.body}
    own_codes = {code for operations in subjects.values() for operation in operations for code in operation["errors"]}
    forms = {row.form for row in rows}
    limits = [one for one in LIMITS if one is PROGRAM or (one.scope in _COUNTED and not forms.isdisjoint(one.views))]
    return render_template(
        "api/index.html",
        subjects=subjects,
        headings=_SUBJECTS,
        schemas=schemas,
        shapes=sorted(name for name, schema in schemas.items() if "properties" in schema and name not in bodies),
        problems=problems,
        common=[problem.code for problem in problems if problem.code not in own_codes],
        address=absolute(config.API_PATH),
        rights=RIGHT_NAMES,
        limits=limits if settings().limits else [],
        program=PROGRAM,
        counted=_COUNTED,
        type_of=type_of,
        prose=prose,
    )


def _example(row: Operation) -> str:
    """Return a request to an operation of this site and its answer, as text."""
    example = examples().get(row.name, {})
    query = f"?{urlencode(example['query'])}" if "query" in example else ""
    path = path_of(row).format_map(defaultdict(str, example.get("parts", {})))
    parts = (json.dumps(example[part], indent=1, ensure_ascii=False) for part in ("body", "answer") if part in example)
    return "\n\n".join((f"{row.method} {path}{query}", *parts)).replace(_EXAMPLE_SITE, absolute())


def prose(text: str) -> Markup:
    """Return a text of the description in the language of this request, with what stands in backticks as code."""
    return markup.trusted(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(_(text)))))


def messages() -> set[str]:
    """Return the texts of the description that the page has in the language of its reader."""
    described = description(with_comments=True)
    rows = [row for path in described["paths"].values() for row in path.values()]
    schemas = described["components"]["schemas"].values()
    fields = [field for schema in schemas for field in schema.get("properties", {}).values()]
    parameters = [parameter for row in rows for parameter in row["parameters"] if parameter.get("in") == "query"]
    texts = (part["description"] for part in (*schemas, *fields, *parameters) if "description" in part)
    return {*texts, *(row["summary"] for row in rows)}
