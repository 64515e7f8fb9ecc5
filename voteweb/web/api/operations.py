"""Operations of the API: the address of each, the right it needs, what it takes and answers, and how.

An operation is a row: :func:`operation` above a function. The function takes what :func:`voteweb.web.pages.acts.reads`
reads, and ``query`` and ``body`` as structs; it returns a struct, or None for an empty answer.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from inspect import signature
from types import NoneType
from typing import Any, TypeVar, get_type_hints
from urllib.parse import quote, urlencode

import msgspec
from flask import Blueprint, Response, abort, g, request
from msgspec import UNSET, Struct

from voteweb.core import config
from voteweb.core.errors import N_, Invalid, LoggedOut, TokenNeeded, VotewebError
from voteweb.core.models import Right, User
from voteweb.core.rate_limits import member_limit
from voteweb.web.auth import bearer
from voteweb.web.auth.login import require_moderator
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import Query, queue_article, reads
from voteweb.web.requests import security, site_switches
from voteweb.web.views.moderation import queue_comment

Do = TypeVar("Do", bound=Callable[..., Any])
_JSON = "application/json"
#: Objects and lists in one another, in a body.
_MAX_DEPTH = 4
#: Where the description has the schemas.
SCHEMAS = "#/components/schemas/"
KEY = re.compile("[!-~]{1,255}")
#: Reads what the address names, by the names of parameters.
_READS: dict[str, Query] = {"article": queue_article, "comment": queue_comment}


class Input(Struct, forbid_unknown_fields=True):
    """The parameters or the body that a request has, and no other fields."""


class Page(Struct, omit_defaults=True):
    """A page of a list; ``next`` is what the parameter ``next`` of the page after it is, absent on the last."""

    next: str | msgspec.UnsetType = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation: *do* answers requests by *method* for *path* if their token has the *right*.

    None is needed if that is None. ``form`` is the endpoint of the form that does the same, whose limit counts it;
    ``refuses`` are the errors that it may answer besides those that follow from its address and what it takes.
    """

    name: str
    method: str
    path: str
    right: Right | None
    summary: str
    do: Callable[..., Any]
    query: type[Struct] | None
    body: type[Struct] | None
    answer: Any
    form: str
    refuses: tuple[type[VotewebError], ...]

    @property
    def status(self) -> int:
        """The status of its answer: 201 for what it has made, 204 for none."""
        if self.answer is NoneType:
            return HTTPStatus.NO_CONTENT
        return HTTPStatus.CREATED if self.method == "POST" else HTTPStatus.OK

    @property
    def is_of_comments(self) -> bool:
        """Whether a site without conversations has none of it."""
        return "/comments" in self.path

    @property
    def needs_body(self) -> bool:
        """Whether a body has to be sent: some field of it has no default."""
        return any(field.required for field in msgspec.structs.fields(self.body)) if self.body else False


#: All operations, in the order of the description.
OPERATIONS: list[Operation] = []


def operation(
    address: str,
    right: Right | None = None,
    *,
    form: str = "",
    refuses: tuple[type[VotewebError], ...] = (),
    loads_member: bool = True,
    **queries: Query,
) -> Callable[[Do], Do]:
    """Make an operation of a function, at an *address* such as "GET /articles/<int:id>", see :class:`Operation`.

    Its summary is the first line of the docstring; what it takes and answers is what its annotations say. *queries* are
    those of :func:`voteweb.web.pages.acts.reads`, besides the ``article`` and the ``comment`` of the address. Unless it
    *loads_member*, a script does all, and checks the token.
    """
    method, _, path = address.partition(" ")

    def decorate(do: Do) -> Do:
        named = {name: query for name, query in _READS.items() if name in signature(do).parameters} | queries
        hints = {name: hint for taker in (*named.values(), do) for name, hint in get_type_hints(taker).items()}
        OPERATIONS.append(
            Operation(
                name=do.__name__,
                method=method,
                path=path,
                right=right,
                summary=(do.__doc__ or "").splitlines()[0],
                do=_opened(do, right, named) if loads_member else do,
                query=hints.get("query"),
                body=hints.get("body"),
                answer=hints["return"],
                form=form,
                refuses=refuses,
            )
        )
        return do

    return decorate


def _opened(do: Callable[..., Any], right: Right | None, queries: Mapping[str, Query]) -> Callable[..., Any]:
    """Return *do* as it is called with the parts of an address: it reads what it wants, and the ``user`` who asks.

    Without a *right* that is None for a reader, and for a member whose program may not read what only they see.
    """

    def check(user: User | None) -> User | None:
        member = bearer.require_right(user, right) if right else bearer.allow_all(user)
        return require_moderator(member) if right is Right.MODERATE else member

    return reads(check, **queries)(do)


def blueprint_of(*, with_comments: bool) -> Blueprint:
    """Return the blueprint with all operations of a site with or without conversations."""
    blueprint = Blueprint("api", __name__, url_prefix=config.API_PATH)
    for row in OPERATIONS:
        if with_comments or not row.is_of_comments:
            blueprint.add_url_rule(row.path, row.name, _view(row), methods=[row.method])
    return blueprint


def _view(row: Operation) -> Callable[..., Response]:
    """Return the view of an operation."""

    @wraps(row.do)
    def view(**parts: Any) -> Response:
        bearer.authenticate(row.right)
        if row.right:
            bearer.require_token()
        body = _read_body(row)
        once = request.headers.get("Idempotency-Key") if row.method == "POST" else None
        if once is not None and not KEY.fullmatch(once):
            raise Invalid(N_("An Idempotency-Key has 1 to 255 characters of ASCII, without blanks."))
        if once:
            bearer.set_key(once, request.path.encode() + body)
        g.other_limit = member_limit(row.form, "POST") or member_limit(row.form, "GET")
        if row.query:
            parts["query"] = _parse_query(row.query)
        if row.body:
            parts["body"] = _parse_body(body, row.body)
        if row.method != "GET" and row.right is not Right.MODERATE and (refused := site_switches.error()):
            raise refused
        try:
            response = _answer(row, row.do(**parts))
            bearer.note_use()
            return response
        except LoggedOut:  # withdrawn meanwhile, or the member has left
            if g.voter is None:
                raise TokenNeeded() from None
            bearer.refuse()

    return view


def _answer(row: Operation, answer: Any) -> Response:
    response = Response(b"" if answer is None else msgspec.json.encode(answer), row.status, mimetype=_JSON)
    if answer is None:
        del response.headers["Content-Type"]
    if isinstance(answer, Page) and answer.next is not UNSET:
        response.headers["Link"] = link_to(answer.next)
    if row.status == HTTPStatus.CREATED:
        response.location = f"{request.path}/{getattr(answer, 'number', None) or answer.id}"
    if g.voter:
        response.headers.set(*security.PRIVATE)
    if row.method == "GET":
        response.add_etag()
        response.make_conditional(request)
    return response


def link_to(next: str) -> str:
    """Return the header Link that leads to the page that begins at *next*."""
    return f'<{quote(request.path)}?{urlencode({**request.args.to_dict(), "next": next})}>; rel="next"'


def _read_body(row: Operation) -> bytes:
    """Return the body of the request, which must be JSON and short, or empty for an operation that takes none."""
    length = request.content_length
    if length is None and "HTTP_TRANSFER_ENCODING" in request.environ:
        abort(411)
    if (length or 0) > config.MAX_API_BODY_BYTES:
        abort(413)
    if row.body is None:
        return b""
    if not length and not row.needs_body:
        return b"{}"
    if request.mimetype != _JSON:
        abort(415)
    return request.get_data(cache=False)


def _parse_query(shape: type[Struct]) -> Any:
    """Return the query of the address as *shape*; raise Invalid for parameters that it has not, or that come twice."""
    values = request.args.to_dict(flat=False)
    if twice := [name for name, all in values.items() if len(all) > 1]:
        raise Invalid.of_fields({name: _("The parameter “%(name)s” is there twice.", name=name) for name in twice})
    return _convert({name: all[0] for name, all in values.items()}, shape, strict=False)


def _parse_body(body: bytes, shape: type[Struct]) -> Any:
    """Return a body as *shape*; raise Invalid for one that is no JSON, too deep, or that names something twice."""
    try:
        msgspec.json.decode(body)  # which takes less: no halves of characters, NaN, or other encodings
        value = json.loads(body, object_pairs_hook=_object, parse_float=_number)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Invalid(N_("The body is no object in valid JSON."))
    if _is_deeper(value, _MAX_DEPTH):
        raise Invalid(N_("The body is nested deeper than this operation takes."))
    return _convert(value, shape, strict=True)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name is there twice")
    return made


def _number(text: str) -> float:
    """Return a number as JSON Schema has it: one without a fraction is whole, however it is written."""
    value = float(text)
    return int(value) if value.is_integer() else value


def _is_deeper(value: Any, depth: int) -> bool:
    """Tell whether more than *depth* objects and lists are in one another; what is still deeper is not looked at."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return parts is not None and (not depth or any(_is_deeper(part, depth - 1) for part in parts))


def _convert(values: Any, shape: type[Struct], *, strict: bool) -> Any:
    """Return *values* as *shape*; raise Invalid with a message for each field that is not as the description has it."""
    try:
        return msgspec.convert(values, shape, strict=strict)
    except msgspec.ValidationError:
        raise Invalid.of_fields(_wrong_fields(values, shape, strict=strict)) from None


def _wrong_fields(values: Mapping[str, Any], shape: type[Struct], *, strict: bool) -> dict[str, str]:
    """Return the messages of the fields that are wrong, by name; msgspec finds the first one only."""
    known = {field.encode_name: field for field in msgspec.structs.fields(shape)}
    wrong = {name: _("This operation takes no “%(name)s”.", name=name) for name in values if name not in known}
    schemas = schemas_of(shape)
    for name, field in known.items():
        if name not in values:
            wrong |= {name: _("This operation needs “%(name)s”.", name=name)} if field.required else {}
            continue
        try:
            msgspec.convert(values[name], field.type, strict=strict)
        except msgspec.ValidationError:
            kind = type_of(schemas[shape.__name__]["properties"][name], schemas)
            wrong[name] = _("The value of “%(name)s” has to be: %(kind)s.", name=name, kind=kind)
    return wrong


def schemas_of(*shapes: Any) -> dict[str, Any]:
    """Return the JSON Schemas of *shapes* and of what they consist of, by name."""
    return msgspec.json.schema_components(shapes, ref_template=f"{SCHEMAS}{{name}}")[1]


def type_of(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Return the type that a JSON Schema allows as programmers write it, such as "integer 1…100" or "day | week"."""
    if parts := schema.get("anyOf"):
        return " | ".join(type_of(part, schemas) for part in parts)
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(SCHEMAS)
        return " | ".join(filter(None, schemas[name].get("enum", ()))) or name
    if "items" in schema:
        return f"[{type_of(schema['items'], schemas)}]"
    kind = str(schema.get("format", schema.get("type", "any")))
    least, most = (schema.get(f"{bound}imum", schema.get(f"{bound}Length", "")) for bound in ("min", "max"))
    return f"{kind} {least}…{most}" if most != "" else kind
