"""The requests of each contender: pages with or without a member's cookie, votes, articles, log-ins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from bench.load import Shot
from bench.settings import PASSWORD
from bench.visitor import Visitor
from voteweb.core.validation import new_form_token

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True, slots=True)
class Member:
    """A member who is logged in: the header Cookie and the token of the forms."""

    name: str
    cookie: str
    token: str


def logged_in(origin: str, names: Sequence[str]) -> list[Member]:
    """Log these members in at a voteweb."""
    return [_member(name, visitor := Visitor(origin), visitor.log_in(name)) for name in names]


def known(origin: str, names: Sequence[str]) -> list[Member]:
    """Log these members in at one of our own small sites, which ask for no password."""
    return [_member(name, visitor := Visitor(origin), visitor.open(f"/log-in/{name}").token) for name in names]


def _member(name: str, visitor: Visitor, token: str) -> Member:
    return Member(name, visitor.cookie, token)


def pages(paths: Sequence[str], members: Sequence[Member] = ()) -> list[Shot]:
    """Return requests for *paths*, each by another of *members*; by a reader where there are none."""
    if not members:
        return [Shot(path) for path in paths]
    count = max(len(paths), len(members))
    return [Shot(paths[i % len(paths)], headers={"Cookie": members[i % len(members)].cookie}) for i in range(count)]


def pairs(members: Sequence[Member], articles: Sequence[int]) -> Iterator[tuple[Member, int]]:
    """Yield every member with every article once, so that neither comes twice in a row."""
    for turn in range(len(members)):
        for at, article in enumerate(articles):
            yield members[(turn + at) % len(members)], article


def vote_form(member: Member, article: int, act: str = "vote") -> Shot:
    """Return a vote as the form sends it."""
    body = urlencode({"csrf_token": member.token, "next": "/new"}).encode()
    return Shot(f"/a/{article}/{act}", "POST", {**FORM, "Cookie": member.cookie}, body)


def vote_json(member: Member, article: int, act: str = "vote") -> Shot:
    """Return a vote as our script sends it."""
    headers = {"Accept": "application/json", "X-CSRFToken": member.token, "Cookie": member.cookie}
    return Shot(f"/a/{article}/{act}", "POST", headers)


def submit(member: Member, group: str) -> Shot:
    """Return a new article, unlike all others."""
    once = new_form_token()
    fields = {
        "csrf_token": member.token,
        "once": once,
        "title": f"An article as many others, but for {once}",
        "link": f"https://example.com/articles/{once}",
        "text": "",
        "groups": group,
    }
    return Shot("/submit", "POST", {**FORM, "Cookie": member.cookie}, urlencode(fields).encode())


def log_in(visitor: Visitor, name: str) -> Shot:
    """Return a log-in by the form that this *visitor* is shown."""
    token = visitor.open("/login").token
    fields = {"csrf_token": token, "username": name, "password": PASSWORD}
    return Shot("/login", "POST", {**FORM, "Cookie": visitor.cookie}, urlencode(fields).encode())
