"""Records of a backup: one for each thing that cannot be computed from others.

A record knows nothing of keys and rankings, so that it outlives their layout. Times are unix milliseconds; None is
never.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import UnionType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from voteweb.core.errors import Invalid


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """One thing as it was at one instant."""

    kind: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """Return the record as a JSON object."""
        return {"kind": self.kind} | asdict(self)


@dataclass(frozen=True, slots=True)
class Form(BackupRecord):
    """A form of a member that was sent and became an article, remembered ``until``."""

    kind = "form"
    member: int
    token: str
    article: int
    until: int | None


@dataclass(frozen=True, slots=True)
class Imported(BackupRecord):
    """Digests of some imported rows."""

    kind = "imported"
    digests: list[str]


@dataclass(frozen=True, slots=True)
class Invitation(BackupRecord):
    """An invitation, used or not."""

    kind = "invitation"
    token: str
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Reset(BackupRecord):
    """A one-time link with which the member ``name`` sets a new password ``until`` then."""

    kind = "reset"
    digest: str
    name: str
    until: int | None


@dataclass(frozen=True, slots=True)
class Reported(BackupRecord):
    """What the member ``name`` reported, by article."""

    kind = "reported"
    name: str
    articles: dict[str, str]


@dataclass(frozen=True, slots=True)
class Article(BackupRecord):
    """An article: its fields, its voters until they are forgotten, its open reports by member.

    ``linked`` says whether it is found under its link, which is remembered ``linked_until``.
    """

    kind = "article"
    id: int
    fields: dict[str, str]
    voters: list[int | str]
    voters_until: int | None
    reports: dict[str, str]
    linked: bool
    linked_until: int | None


@dataclass(frozen=True, slots=True)
class Group(BackupRecord):
    """A group."""

    kind = "group"
    name: str
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Member(BackupRecord):
    """A member, under the name in lower case; ``leaving`` while the articles have not all been seen to."""

    kind = "member"
    name: str
    fields: dict[str, str]
    leaving: bool


@dataclass(frozen=True, slots=True)
class LogEntry(BackupRecord):
    """An entry of the log."""

    kind = "entry"
    id: int
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Counters(BackupRecord):
    """The last ids that were given out."""

    kind = "counters"
    articles: int
    members: int
    entries: int


KINDS: dict[str, type[BackupRecord]] = {
    each.kind: each for each in (Form, Imported, Invitation, Reset, Reported, Article, Group, Member, LogEntry, Counters)
}
_SHAPES = {each: get_type_hints(each) for each in KINDS.values()}


def parse_record(told: Mapping[str, Any]) -> BackupRecord:
    """Return the record that :meth:`BackupRecord.as_json` wrote; raise Invalid if it is of no known shape."""
    made = KINDS.get(str(told.get("kind")))
    if made is None:
        raise Invalid("is of an unknown kind: %(kind)s", kind=told.get("kind"))
    names = [each.name for each in fields(made)]
    if set(told) != {"kind", *names}:
        raise Invalid("has other fields than a record of the kind %(kind)s", kind=made.kind)
    for name in names:
        if not _fits(told[name], _SHAPES[made][name]):
            raise Invalid("has a wrong %(name)s for a record of the kind %(kind)s", name=name, kind=made.kind)
    return made(**{name: told[name] for name in names})


def _fits(value: Any, shape: Any) -> bool:
    """Tell whether *value* is of the type *shape*: a plain one, a union, a list or a dict of such."""
    inner = get_args(shape)
    if isinstance(shape, UnionType):
        return any(_fits(value, each) for each in inner)
    match get_origin(shape):
        case origin if origin is list:
            return isinstance(value, list) and all(_fits(each, inner[0]) for each in value)
        case origin if origin is dict:
            return isinstance(value, dict) and all(_fits(each, inner[1]) for each in value.values())
    if shape is int:  # a truth value is an int to Python; ids, counts and moments are never negative
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, shape)
