"""The values that leave the store: frozen, without any knowledge of the web or of Redis."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class Role(StrEnum):
    """What a member may do; each role may do all that the ones before it may."""

    MEMBER = "member"
    MODERATOR = "moderator"
    ADMIN = "admin"


class Order(StrEnum):
    """The orders of a list: by score (highest first), by publish time (newest first), by number of reports."""

    SCORE = "score"
    TIME = "time"
    REPORTS = "reports"


class ArticleStatus(StrEnum):
    """Whether an article is in the lists, was deleted by its poster, or was removed by a moderator."""

    LISTED = ""
    DELETED = "deleted"
    REMOVED = "removed"


class VotingState(StrEnum):
    """Whether somebody can vote on an article: yes, not any more, or never since it is their own."""

    OPEN = "open"
    CLOSED = "closed"
    OWN = "own"


class Reason(StrEnum):
    """Why a member reports an article."""

    SPAM = "spam"
    BROKEN = "broken"
    POSTED = "posted"
    TOPIC = "topic"
    RULES = "rules"


class LogAction(StrEnum):
    """The kinds of acts in the public log."""

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
    """One article; ``time`` is its publish time in unix seconds, ``link`` or ``text`` may be empty.

    ``voted`` says whether the viewer's vote is among its voters, where a viewer was asked for; ``edited`` is the
    unix time of the last edit, 0 for none. ``reason`` is that of a removal.
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
        """Whether the article is in the lists: neither deleted nor removed."""
        return self.status is ArticleStatus.LISTED


@dataclass(frozen=True, slots=True)
class Draft:
    """What a member hands in: the checked fields of an article before it has an id, time or votes."""

    title: str
    link: str
    text: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A group; ``articles`` is the number of articles in it."""

    name: str
    title: str
    description: str
    articles: int = 0


@dataclass(frozen=True, slots=True)
class User:
    """A member; ``since`` in unix seconds, ``password`` an argon2 hash or empty (then nobody can log in).

    ``session`` is a word that every session cookie must repeat; a new one ends all sessions. ``banned`` is the
    unix time of a ban, 0 for none, with ``ban_reason``; ``left`` that of the end of the account, 0 for none.
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
    """Who votes, as the session says it: the member's id, name and session word."""

    id: int
    name: str
    session: str


@dataclass(frozen=True, slots=True)
class Report:
    """A member's report of an article; ``time`` in unix seconds."""

    by: str
    reason: Reason
    note: str
    time: float


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An act in the log: ``who`` did it ``time`` (unix), to an ``article`` (id, 0 for none) or to ``about``.

    ``title`` is what it was called at that time; ``why`` the reason given; ``added`` and ``removed`` the groups
    that were changed; ``undone`` whether the act was taken back.
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
    """A way in for one person, made by ``by``, good until unix time ``until``; ``used`` is the name that came."""

    token: str
    by: str
    until: float
    used: str = ""
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list: ``number`` from 1, ``total`` rows in all, ``first`` the rank of the first row."""

    rows: tuple[T, ...]
    number: int
    total: int
    first: int
    more: bool
    #: Unix time at which a combined ranking was made; None where the ranking is kept up by every write.
    as_of: float | None = None
    #: Whether only part of the smallest group took part in a combined ranking, so that total is of that part.
    bounded: bool = False
