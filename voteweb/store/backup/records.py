"""Records of a backup: one for each thing that cannot be computed from others.

A record knows nothing of keys and rankings, so that it outlives their layout. Times are unix milliseconds; None is
never.
"""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from types import UnionType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from voteweb.core.errors import Invalid
from voteweb.store.digests import digest_of
from voteweb.store.keys import Keys


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """One thing as it was at one instant."""

    kind: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """Return the record as a JSON object."""
        return {"kind": self.kind} | asdict(self)


@dataclass(frozen=True, slots=True)
class Form(BackupRecord):
    """A form that a member sent and that became an article, or a comment of it; remembered ``until`` then.

    ``comment`` is the number of the comment, 0 for none.
    """

    kind = "form"
    member: int
    token: str
    article: int
    until: int | None
    comment: int = 0


@dataclass(frozen=True, slots=True)
class Fingerprints(BackupRecord):
    """Fingerprints of some imported rows."""

    kind = "fingerprints"
    rows: list[int]


@dataclass(frozen=True, slots=True)
class Invitation(BackupRecord):
    """An invitation, used or not, by the digest of the token in its link."""

    kind = "invitation"
    digest: str
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Reset(BackupRecord):
    """A one-time link with which the member ``name`` sets a new password ``until`` then.

    It replaces the password that ``state`` stands for.
    """

    kind = "reset"
    digest: str
    name: str
    until: int | None
    state: str


@dataclass(frozen=True, slots=True)
class Reported(BackupRecord):
    """The ids of the articles that the member ``name`` reported."""

    kind = "reported"
    name: str
    articles: list[int]


@dataclass(frozen=True, slots=True)
class ReportedComments(BackupRecord):
    """The comments (``<article>.<number>``) that the member ``name`` reported."""

    kind = "reported-comments"
    name: str
    comments: list[str]


@dataclass(frozen=True, slots=True)
class Inbox(BackupRecord):
    """The entries of the inbox of the member ``name``, newest first, and those of them that are unread."""

    kind = "inbox"
    name: str
    entries: list[str]
    unread: list[str]
    until: int | None


@dataclass(frozen=True, slots=True)
class Visits(BackupRecord):
    """The visits of conversations by the member ``name``, by article id."""

    kind = "visits"
    name: str
    threads: dict[str, str]
    until: int | None


@dataclass(frozen=True, slots=True)
class OwnList(BackupRecord):
    """A list of what the member ``name`` ``follows``, ``hides`` or has ``saved``, each entry with its unix time."""

    kind = "own-list"
    name: str
    noun: str
    entries: dict[str, str]


@dataclass(frozen=True, slots=True)
class DomainRule(BackupRecord):
    """The rule of a domain, as JSON."""

    kind = "domain-rule"
    domain: str
    rule: str


@dataclass(frozen=True, slots=True)
class SiteSwitch(BackupRecord):
    """A switch that an admin has set, as JSON."""

    kind = "switch"
    name: str
    switch: str


@dataclass(frozen=True, slots=True)
class Notes(BackupRecord):
    """The notes of moderators on the member ``name``, as JSON by id."""

    kind = "notes"
    name: str
    notes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Thread(BackupRecord):
    """The conversation of an article but for its comments: until when it is open, the last number given out."""

    kind = "thread"
    article: int
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Comment(BackupRecord):
    """A comment: its fields, the ids of its voters and when they expire, its open reports by member.

    ``fields`` are parent votes base time state author, and text, reason and removed-by if it has them; ``state`` is
    "-" or letters: d deleted, r removed, R removed with its replies, q its author wants no notice of replies, e edited.
    ``voters`` are None when voting on it has ended.
    """

    kind = "comment"
    article: int
    number: int
    fields: dict[str, str]
    voters: list[int] | None
    voters_until: int | None
    reports: dict[str, str]


@dataclass(frozen=True, slots=True)
class Article(BackupRecord):
    """An article: its fields, its voters and when they expire, its open reports by member.

    ``linked`` says whether it is indexed under its link, which is remembered ``linked_until``.
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
    """A group, with its ``alias``, "" for none."""

    kind = "group"
    name: str
    fields: dict[str, str]
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Member(BackupRecord):
    """A member, under the name in lower case; ``leaving`` while the account is being deleted."""

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
class Key(BackupRecord):
    """A key as it is, or a part of a big one: the copy of a site before its layout is converted.

    ``items`` are the text of a string or, of one that is no text ("bits"), its bytes in hexadecimal digits; the members
    of a set; pairs of member and score or of field and value; or the items of a list from position ``first`` on.
    """

    kind = "key"
    name: str
    type: str
    items: list[str]
    until: int | None
    first: int = 0


@dataclass(frozen=True, slots=True)
class Counters(BackupRecord):
    """The last ids given out."""

    kind = "counters"
    articles: int
    members: int
    entries: int


KINDS: dict[str, type[BackupRecord]] = {
    record_type.kind: record_type
    for record_type in (
        Form,
        Fingerprints,
        Invitation,
        Reset,
        Reported,
        ReportedComments,
        Inbox,
        Visits,
        OwnList,
        Notes,
        DomainRule,
        SiteSwitch,
        Thread,
        Comment,
        Article,
        Group,
        Member,
        LogEntry,
        Counters,
        Key,
    )
}
#: Keys that say how far a restore or a conversion is: neither begins before a copy is whole.
_STATES = frozenset({Keys().restoring(), Keys().migrating()})
_FIELD_TYPES = {record_type: get_type_hints(record_type) for record_type in KINDS.values()}


def parse_record(json: Mapping[str, Any], *, older: bool = False) -> BackupRecord:
    """Return the record that :meth:`BackupRecord.as_json` wrote; raise Invalid if it is not a valid record.

    In a file of an *older* format, fields with a default may be missing.
    """
    record_type = KINDS.get(str(json.get("kind")))
    if record_type is None:
        raise Invalid("is of an unknown kind: %(kind).100r", kind=json.get("kind"))
    if older:
        if record_type is Invitation and isinstance(json.get("token"), str):  # until format 5
            json = {"kind": Invitation.kind, "digest": digest_of(json["token"]), "fields": json.get("fields")}
        defaults = {field.name: field.default for field in fields(record_type) if field.default is not MISSING}
        json = defaults | dict(json)
    names = [field.name for field in fields(record_type)]
    if set(json) != {"kind", *names}:
        raise Invalid("has other fields than a record of the kind %(kind)s", kind=record_type.kind)
    for name in names:
        if not _has_type(json[name], _FIELD_TYPES[record_type][name]):
            raise Invalid("has a wrong %(name)s for a record of the kind %(kind)s", name=name, kind=record_type.kind)
    record = record_type(**{name: json[name] for name in names})
    if isinstance(record, Key) and not (Keys().covers(record.name) and record.name not in _STATES):
        raise Invalid("has the key %(name).100r, which is of no copy of this site", name=record.name)
    return record


def _has_type(value: Any, wanted: Any) -> bool:
    """Tell whether *value* is of the type *wanted*: a plain one, a union, or a list or dict of those."""
    arguments = get_args(wanted)
    if isinstance(wanted, UnionType):
        return any(_has_type(value, argument) for argument in arguments)
    match get_origin(wanted):
        case origin if origin is list:
            return isinstance(value, list) and all(_has_type(item, arguments[0]) for item in value)
        case origin if origin is dict:
            return isinstance(value, dict) and all(_has_type(item, arguments[1]) for item in value.values())
    if wanted is int:  # to Python a bool is an int; ids, counts and times are never negative
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, wanted)
