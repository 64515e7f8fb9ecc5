"""Responses that are the same for every client: feeds, sitemaps, robots.txt and icons; and what a client accepts."""

from datetime import UTC, datetime
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from flask import Response, current_app, g, request
from msgspec import UNSET, Meta, Struct, UnsetType
from werkzeug.datastructures import MIMEAccept, WWWAuthenticate
from werkzeug.http import parse_accept_header

from voteweb.core import config
from voteweb.core.caches import cache_short
from voteweb.core.markup import xml_text

#: A page as views return it.
RenderedPage = str | bytes
#: Values of Accept that are parsed once: a browser's takes 20 to 100 us.
_HEADER_CACHE_SIZE = 256


def public(body: str | bytes, mimetype: str, max_age: int, modified: float = 0.0) -> Response:
    """Return a response that is the same for every client, or 304 if the client has it already.

    Clients may keep it for *max_age* seconds, proxies for SHARED_SECONDS. *modified* is the unix time of its newest
    part, 0 if unknown; votes and removals do not change it, so the digest of the body takes precedence.
    """
    response = Response(body, mimetype=mimetype)
    response.cache_control.public = True
    response.cache_control.max_age = max_age
    response.cache_control.s_maxage = config.SHARED_SECONDS
    response.set_etag(sha256(response.get_data()).hexdigest()[:32])
    if modified:
        response.last_modified = datetime.fromtimestamp(modified, UTC)
    g.is_public = True
    response.make_conditional(request)
    return response


def render_public(template: str, **context: Any) -> str:
    """Return *template* rendered without loading the viewer, which the context of pages does."""
    return current_app.jinja_env.get_template(template).render(**context)


def xml(template: str, mimetype: str, max_age: int, modified: float = 0.0, **context: Any) -> Response:
    """Return an XML *template* as a public response, well-formed with any text of the database."""
    return public(xml_text(render_public(template, **context)), mimetype, max_age, modified)


class Problem(Struct, omit_defaults=True):
    """Why a request failed (RFC 9457): ``code`` names the error, ``until`` when it ends by itself, if it does.

    ``errors`` are the sentences about wrong fields by name, ``revision`` is that of an article that was changed, and
    ``article`` the id of one that has the link already.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    until: Annotated[str, Meta(extra_json_schema={"format": "date-time"})] | UnsetType = UNSET
    errors: dict[str, str] | UnsetType = UNSET
    revision: int | UnsetType = UNSET
    article: int | UnsetType = UNSET


def problem(status: int, code: str, title: str, detail: str, until: float | None = None, **more: Any) -> Response:
    """Return the answer of the API to a request that failed; until the unix time *until* it stays so."""
    # Refusals of limits are of a kind of str that msgspec does not take.
    says = Problem(
        f"/api#{code}", str(title), status, str(detail), code, UNSET if until is None else rfc3339(until), **more
    )
    response = Response(msgspec.json.encode(says), status, mimetype="application/problem+json")
    if status == HTTPStatus.UNAUTHORIZED:
        response.www_authenticate = WWWAuthenticate("bearer", {"error": "invalid_token"} if code == "bad-token" else {})
    return response


def rfc3339(time: float) -> str:
    """Return a unix time as APIs write it, in UTC and whole seconds."""
    return f"{datetime.fromtimestamp(int(time), UTC):%Y-%m-%dT%H:%M:%SZ}"


def wants_json() -> bool:
    """Tell whether the request comes from script and prefers JSON."""
    return prefers_json(request.environ.get("HTTP_ACCEPT", ""))


# Without this, a vote takes a twentieth longer.
@cache_short(_HEADER_CACHE_SIZE)
def prefers_json(accept: str) -> bool:
    """Tell whether the header *accept* prefers JSON to HTML."""
    accepted = parse_accept_header(accept, MIMEAccept)
    return accepted["application/json"] > accepted["text/html"]
