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
    """The two orders of a list: by score (highest first) or by publish time (newest first)."""

    SCORE = "score"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Article:
    """One article; ``time`` is its publish time in unix seconds, ``link`` or ``text`` may be empty.

    ``voted`` says whether the viewer's vote is among its voters, where a viewer was asked for.
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

    ``session`` is a word that every session cookie must repeat; a new one ends all sessions.
    """

    id: int
    name: str
    password: str
    role: Role
    since: float
    session: str


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
