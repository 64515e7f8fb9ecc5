"""Ask every address of the table as everybody, in both languages, as a page and as JSON."""

from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import urlencode

from tests.same.keys import Content, StoredKey, read_contents
from tests.same.side import START, Answer, Connection, Side
from tests.same.visitor import Records, Visitor, log_in_all

LANGUAGES = ("en", "zh")
#: Those who ask, the least powerful first.
PEOPLE = ("reader", "held", "new", "banned", "late", "poster", "member", "hider", "moderator", "admin")
#: Those who ask each page again with each of its parameters.
CURIOUS = ("reader", "member", "moderator")
#: The values of the parameters of pages.
VALUES = {
    "page": "2", "of": "week", "order": "new", "q": "redis", "within": "comments", "sort": "new", "by": "moderator",
    "before": "4", "after": "zoe", "who": "moderator", "kind": "remove", "title": 'A "title"', "link": "https://x.example/",
    "text": "<b>words</b>", "quote": "1", "next": "/new", "invite": "0123456789abcdef", "vote": "4", "good_votes": "50",
    "lift_days": "3", "comment_good_votes": "5",
}  # fmt: skip

Row = dict[str, Any]


def ask_pages(side: Side, table: dict[str, Any], start: list[StoredKey], records: Records) -> None:
    """Ask every page of the full site; each is asked again a tenth of a second later, when it may be cached."""
    side.load(start)
    side.set_clock(START + 2 * 86_400)
    side.index()
    side.serve(VOTEWEB_SIGNUP="invite", VOTEWEB_LIMITS="0")
    with side.connect() as connection:
        visitors = log_in_all(side, connection, list(PEOPLE), table["password"], records)
    pages = [row for row in table["rows"] if row["method"] == "GET"] + _conversation_rows(side)
    for language, as_json in product(LANGUAGES, (False, True)):
        with side.connect() as connection:
            for (number, row), visitor in product(enumerate(pages), visitors):
                for url in _urls(row, visitor.name, as_json=as_json or language != "en"):
                    place = f"page {number} {url} as {_who(visitor, language, as_json)}"
                    first, again = _ask_twice(side, connection, visitor, url, language, as_json)
                    records.add(place, _subject(row), first)
                    records.add(f"{place} again", _subject(row), again)


def _conversation_rows(side: Side) -> list[Row]:
    """Return the pages of the newest article, which has the long conversation."""
    id = int(side.client.get("article:") or 0)
    paths = (f"/a/{id}", f"/a/{id}?page=2", f"/a/{id}?order=new", f"/a/{id}/c/7", f"/a/{id}.atom", f"/a/{id}.json")
    return [
        {"method": "GET", "path": "conversation", "urls": dict.fromkeys(PEOPLE, path), "parameters": ()}
        for path in paths
    ]


def _urls(row: Row, person: str, *, as_json: bool) -> Iterator[str]:
    url = row["urls"][person]
    path = url.partition("?")[0]
    yield url
    if person in CURIOUS and not as_json:
        for name in row["parameters"]:
            if (other := f"{path}?{urlencode(row['query'] | {name: VALUES[name]})}") != url:
                yield other


def _ask_twice(
    side: Side, connection: Connection, visitor: Visitor, url: str, language: str, as_json: bool
) -> Iterator[Answer]:
    """Ask for a page, and at once again: a script that names what it has gets 304, and others a kept page."""
    with visitor.remembered():
        side.wait(2)
        yield (answer := visitor.ask(connection, "GET", url, language=language, as_json=as_json))
        side.wait(0.1)
        known = answer.header("ETag") if as_json else ""
        yield visitor.ask(connection, "GET", url, language=language, as_json=as_json, known=known)


def send_forms(side: Side, table: dict[str, Any], start: list[StoredKey], records: Records) -> None:
    """Send every form of the small site as everybody, the least powerful first; each begins with the same data.

    Everybody sends it twice, as a page and by script, and in the other language the other way round: the first answer
    is to a form that changes something, the second to one that was sent before.
    """
    side.load(start)
    side.set_clock(START + 60)
    side.serve(VOTEWEB_SIGNUP="invite")
    with side.connect() as connection:
        visitors = log_in_all(side, connection, list(PEOPLE), table["password"], records)
    ready, now = side.dump(), side.now
    known = read_contents(side.client)
    forms = [row for row in table["rows"] if row["method"] == "POST"]
    for number, row in enumerate(forms):
        for language, manners in (("en", (False, True)), ("zh", (True, False))):
            side.load(ready)
            side.set_clock(now)
            with side.connect() as connection:
                for visitor in visitors:
                    for as_json in manners:
                        place = f"form {number} {row['urls'][visitor.name]} as {_who(visitor, language, as_json)}"
                        answer = _send(side, connection, visitor, row, language, as_json)
                        records.add(place, _subject(row), answer)
            stored = read_contents(side.client)
            changed = {name: content for name, content in stored.items() if known.get(name) != content}
            gone = {name: Content("deleted", [], -1) for name in known if name not in stored}
            records.keys[f"form {number} {row['path']} in {language}"] = changed | gone


def _send(side: Side, connection: Connection, visitor: Visitor, row: Row, language: str, as_json: bool) -> Answer:
    side.wait(2)
    with visitor.remembered():
        fields = row["fields"] | {"csrf_token": visitor.token, "next": "/new"}
        url = row["urls"][visitor.name]
        return visitor.ask(connection, "POST", url, fields, language=language, as_json=as_json)


def _who(visitor: Visitor, language: str, as_json: bool) -> str:
    return f"{visitor.name} in {language}{' as JSON' * as_json}"


def _subject(row: Row) -> str:
    return f"{row['method']} {row['path']}"
