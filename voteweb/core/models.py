"""The values that the store returns: frozen, and independent of the web and of Redis."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class Role(StrEnum):
    """The roles of members, each with all permissions of those before it."""

    MEMBER = "member"
    MODERATOR = "moderator"
    ADMIN = "admin"


class Order(StrEnum):
    """The orders of a list: by score (highest first), publish time (newest first) or number of reports."""

    SCORE = "score"
    TIME = "time"
    REPORTS = "reports"


class ArticleStatus(StrEnum):
    """Whether an article is in the lists, was deleted by its poster, or was removed by a moderator."""

    LISTED = ""
    DELETED = "deleted"
    REMOVED = "removed"


class VotingState(StrEnum):
    """Whether a member can vote on an article: yes, no longer, or never because they posted it."""

    OPEN = "open"
    CLOSED = "closed"
    OWN = "own"


class Reason(StrEnum):
    """The reason of a report."""

    SPAM = "spam"
    BROKEN = "broken"
    POSTED = "posted"
    TOPIC = "topic"
    RULES = "rules"


class LogAction(StrEnum):
    """The kinds of acts in the moderation log.

    GROUPS: an article was put into groups or taken out of them; GROUP: a group itself was created or changed.
    """

    GROUPS = "groups"
    EDIT = "edit"
    REMOVE = "remove"
    RESTORE = "restore"
    DISMISS = "dismiss"
    BAN = "ban"
    UNBAN = "unban"
    ROLE = "role"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Article:
    """An article; ``time`` is its publish time in unix seconds, ``link`` or ``text`` may be empty.

    ``voted`` tells whether the viewer has voted for it, if it was read for a viewer; ``edited`` is the unix time of
    the last edit, 0 for none; ``reason`` is that of a removal.
    """

    id: int
    title: str
    link: str
    text: str
    poster: str
    time: float
    votes: int
    groups: tuple[str, ...] = ()
    voted: bool = False
    edited: float = 0.0
    status: ArticleStatus = ArticleStatus.LISTED
    reason: str = ""

    @property
    def is_listed(self) -> bool:
        return self.status is ArticleStatus.LISTED


@dataclass(frozen=True, slots=True)
class Draft:
    """The validated fields of an article that has no id, time or votes yet."""

    title: str
    link: str
    text: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A group of articles; ``articles`` is their number."""

    name: str
    title: str
    description: str
    articles: int = 0


@dataclass(frozen=True, slots=True)
class User:
    """A member; ``since`` is a unix time, ``password`` an argon2 hash, or empty if nobody can log in.

    ``session`` is the session id that every session cookie must contain; a new one ends all sessions. ``banned`` is
    the unix time of a ban, 0 for none; ``left`` is the unix time at which the account was deleted, 0 for none.
    """

    id: int
    name: str
    password: str
    role: Role
    since: float
    session: str
    banned: float = 0.0
    ban_reason: str = ""
    left: float = 0.0
    invited_by: str = ""


@dataclass(frozen=True, slots=True)
class Voter:
    """The identity of a voter as their session cookie has it: member id, name and session id."""

    id: int
    name: str
    session: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report of an article by the member ``by`` at unix time ``time``."""

    by: str
    reason: Reason
    note: str
    time: float


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An act in the moderation log, of the moderator ``who`` at unix time ``time``.

    It is about an ``article`` (its id, 0 for none) or the member or group ``about``. ``title`` is the title at that
    time, ``why`` the reason, ``added`` and ``removed`` are the changed groups.
    """

    id: int
    kind: LogAction
    who: str
    time: float
    about: str = ""
    article: int = 0
    title: str = ""
    why: str = ""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation for one person, made by the member ``by``; ``used`` is the name of the member who used it.

    It expires at unix time ``until``.
    """

    token: str
    by: str
    until: float
    used: str = ""
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list of ``total`` rows.

    ``number`` counts from 1, ``first_rank`` is the rank of the first row, ``more`` tells whether there is a next page.
    """

    rows: tuple[T, ...]
    number: int
    total: int
    first_rank: int
    more: bool
    #: Unix time at which a combined ranking was made; None for a ranking that every write updates.
    as_of: float | None = None
    #: Whether a combined ranking, and with it ``total``, covers only part of the smallest group.
    bounded: bool = False
