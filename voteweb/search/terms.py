"""Read the parts of a typed search: what is looked for in which field, and until when."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from voteweb.core import links
from voteweb.core.errors import N_, Invalid
from voteweb.search import facets
from voteweb.search.models import Kind
from voteweb.search.words import typed_tokens

_DATE = re.compile(r"(\d{4})(?:[-/.](\d\d?)(?:[-/.](\d\d?))?)?")
_HOST = r"(?:[\w-]+\.)+[a-z]{2,}"
#: The address of a page; of it, what people leave out or add.
_ADDRESS = re.compile(rf"https?://.+|{_HOST}(?::\d+)?/.*", re.IGNORECASE)
_SCHEME = re.compile(r"(?:https?://)?(?:www\.)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Term:
    """A word, a phrase, or the beginning of a word, in a field ("" for all): its ``tokens`` stand in a row.

    ``is_prefix``: the last token is the beginning of one.
    """

    field: str
    tokens: tuple[str, ...]
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a query: terms one of which must be found (or none, if ``is_excluded``), a date, or a kind.

    ``text`` is the part as it can be typed, such as ``-title:"open source"``; ``time`` is in unix seconds.
    """

    field: str
    text: str
    terms: tuple[Term, ...] = ()
    is_excluded: bool = False
    time: float | None = None
    kind: Kind | None = None


def read_terms(name: str, value: str, is_phrase: bool) -> tuple[Term, ...]:
    """Return the terms, one of which must be found, for what was typed in the field *name* ("" for all)."""
    if name in ("by", "group"):
        member_or_group = value.strip().removeprefix("@" if name == "by" else "#")
        to_token = facets.poster_token if name == "by" else facets.group_token
        return (Term(name, (to_token(member_or_group),)),) if member_or_group else ()
    if name == "domain":
        return (_domain(value),)
    tokens = tuple(typed_tokens(value))
    words = (Term(name, tokens),) if tokens else ()
    if name or is_phrase:
        return words
    if _ADDRESS.fullmatch(value):
        address = tuple(typed_tokens(_SCHEME.sub("", value, count=1)))
        link = value if "://" in value else f"https://{value}"
        return Term("link", (facets.link_token(link),)), *((Term("", address),) if address else ())
    if re.fullmatch(_HOST, value, re.IGNORECASE):
        host = links.domain_of_address(value)
        return (*words, Term("domain", (facets.domain_token(host),))) if host else words
    return words


def _domain(value: str) -> Term:
    host = links.listed_domain(value) if "://" in value else links.domain_of_address(value.strip())
    if not host:
        raise Invalid(N_("%(typed)s: this is no domain. Please write one such as example.com."), typed=value)
    return Term("domain", (facets.domain_token(host),))


def read_kind(value: str) -> Part:
    kind = {"article": Kind.ARTICLES, "comment": Kind.COMMENTS}.get(value.lower().removesuffix("s"))
    if not kind:
        raise Invalid(N_("%(typed)s: please write in:articles or in:comments."), typed=f"in:{value}")
    return Part("in", f"in:{kind}", kind=kind)


def read_date(name: str, value: str) -> Part:
    match = _DATE.fullmatch(value)
    try:
        if match:
            date = datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1), tzinfo=UTC)
            return Part(name, f"{name}:{value}", time=date.timestamp())
    except ValueError:
        pass
    raise Invalid(
        N_("%(typed)s: this is no date. Please write one such as 2016, 2016-05 or 2016-05-31."), typed=f"{name}:{value}"
    )
