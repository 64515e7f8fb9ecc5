"""Act at random on the full site through its forms: the same acts on both sides."""

import random
import re
from typing import Any
from urllib.parse import quote

from tests.same.addresses import Row
from tests.same.keys import StoredKey, read_contents
from tests.same.side import START, Answer, Connection, Side
from tests.same.visitor import Records, Visitor, log_in_all

SEED = 30
ACTS = 2_000
#: Acts between two runs of the background jobs.
JOBS = 250
STAFF = ("moderator", "admin", "other-mod")
#: How often a form is sent, by what its path ends in; all others count 1.
WEIGHTS = {
    "/submit": 24, "/a/{id}/vote": 40, "/a/{id}/unvote": 12, "/a/{id}/comment": 30, "/c/{number}/reply": 40,
    "/c/{number}/vote": 30, "/a/{id}/edit": 8, "/c/{number}/edit": 6, "/a/{id}/report": 6, "/a/{id}/groups": 6,
    "/a/{id}/remove": 4, "/a/{id}/restore": 4, "/signup": 4, "/c/{number}/remove": 3, "/c/{number}/report": 4,
    "/logout": 0.3, "/account/delete": 0.3, "/submit/title": 0.2,
}  # fmt: skip
#: Forms about what the sender has written, and those for which a log-in of a while ago is not enough.
OWN_ARTICLE = ("/a/{id}/edit", "/a/{id}/delete", "/a/{id}/quiet", "/a/{id}/answer")
OWN_COMMENT = ("/c/{number}/edit", "/c/{number}/delete", "/c/{number}/quiet")
SURE = ("/account", "/admin", "/ban", "/role")
WORDS = (
    "redis <b>lua</b> & vote *score* 编程 “quote” go_python https://x.example/?a=1&b=2 `code` group's\u202e 🎈".split()
)
GROUPS = ("go", "python", "redis", "编程")
DOMAINS = ("example.com", "hold.example", "ad.example", "spam.example", "blog.example.org")
#: Seconds between two acts, and how often.
PAUSES = {0.5: 30, 7.25: 40, 60: 20, 400: 9, 86_400: 1}
LOOKS = ("/", "/new", "/comments", "/log", "/inbox", "/groups", "/stats", "/reports", "/good", "/feed.atom", "/my")
_COMMENT = re.compile(r"/a/(\d+)/c/(\d+)|/a/(\d+)#c(\d+)")
_ARTICLE = re.compile(r"/a/(\d+)$|#a(\d+)$")


class Actors:
    """Those who act, what they have written, and the chance that decides."""

    def __init__(self, side: Side, table: dict[str, Any], records: Records) -> None:
        self.chance = random.Random(SEED)
        self._side, self._records = side, records
        self._forms: list[Row] = [row for row in table["rows"] if row["method"] == "POST"]
        self._weights = [self._weight(row["path"]) for row in self._forms]
        self._password: str = table["password"]
        self._names = [*table["crowd"], "new", "hider", "poster", "late", "member"]
        self._visitors: list[Visitor] = []
        self._articles: dict[str, list[int]] = {}
        self._comments: dict[str, list[tuple[int, int]]] = {}
        self._joined = 0

    @staticmethod
    def _weight(path: str) -> float:
        return next((weight for end, weight in WEIGHTS.items() if path.endswith(end)), 1.0)

    def begin(self, connection: Connection) -> None:
        """Log everybody in."""
        names = ["reader", *STAFF[:2], *self._names]
        self._visitors = log_in_all(self._side, connection, names, self._password, self._records)

    def act(self, number: int, connection: Connection) -> None:
        """Send one form, and look at a page now and then."""
        chance = self.chance
        self._side.wait(chance.choices(list(PAUSES), list(PAUSES.values()))[0])
        row = chance.choices(self._forms, self._weights)[0]
        visitor = self._choose_visitor(row)
        if visitor.name == "reader":
            visitor.read_token(connection, "/login")
        elif row["path"].startswith(SURE) or row["path"].endswith(
            SURE
        ):  # these ask who has not logged in just now for the password
            visitor.log_in(connection, self._password)
        url = self._url(row, visitor)
        fields = self._fields(row, visitor, number)
        as_json, language = chance.random() < 0.2, chance.choice(("en", "en", "zh"))
        answer = visitor.ask(connection, "POST", url, fields, language=language, as_json=as_json)
        self._records.add(f"act {number}: {url} by {visitor.name}", f"act POST {row['path']}", answer)
        self._note(row, visitor, fields, answer)
        look, curious = chance.choice(LOOKS), chance.choice(self._visitors)
        if number % 5 == 0:
            answer = curious.ask(connection, "GET", look)
            self._records.add(f"after act {number}: {look} by {curious.name}", f"act GET {look}", answer)
        if visitor.name != "reader" and number % 3 == 0:
            self._ensure_session(number, visitor, connection)

    def _choose_visitor(self, row: Row) -> Visitor:
        """Choose mostly somebody who may send the form, and members before moderators."""
        chance = self.chance
        staff = [visitor for visitor in self._visitors if visitor.name in STAFF]
        crowd = [visitor for visitor in self._visitors if visitor.name not in (*STAFF, "reader")]
        if chance.random() < 0.08:
            return chance.choice(self._visitors)
        if row["allowed"] == ["reader"]:
            return self._visitors[0]
        own: dict[tuple[str, ...], Any] = {OWN_ARTICLE: self._articles, OWN_COMMENT: self._comments}
        written: dict[str, Any] = next((written for ends, written in own.items() if row["path"].endswith(ends)), {})
        if authors := [visitor for visitor in crowd if visitor.name in written]:
            return chance.choice(authors)
        if not {"reader", "member", "poster"} & set(row["allowed"]):
            return chance.choice(staff)
        return chance.choice(staff if chance.random() < 0.1 else crowd)

    def _url(self, row: Row, visitor: Visitor) -> str:
        """Fill the variable parts of the path."""
        chance, path = self.chance, row["path"]
        newest = int(self._side.client.get("article:") or 0)
        posted = [id for ids in self._articles.values() for id in ids[-3:]] or [newest]
        ids = (
            chance.choice(posted),
            chance.choice(posted),
            newest - chance.randint(0, 60),
            chance.choice((1, 2, 4, 6)),
        )
        parts = {**row["parts"], "id": str(chance.choice(ids))}
        parts["number"] = str(min(chance.randint(1, 6), chance.randint(1, 6)))
        if path.endswith(OWN_ARTICLE) and (own := self._articles.get(visitor.name)):
            parts["id"] = str(chance.choice(own[-2:]))
        elif path.endswith(OWN_COMMENT) and (comments := self._comments.get(visitor.name)):
            parts["id"], parts["number"] = map(str, chance.choice(comments[-2:]))
        elif "{number}" in path and (known := [pair for pairs in self._comments.values() for pair in pairs[-4:]]):
            parts["id"], parts["number"] = map(str, chance.choice(known))
        if path.startswith("/g/"):
            parts["name"] = chance.choice(GROUPS)
        elif path.startswith("/u/") and chance.random() < 0.9:
            parts["name"] = chance.choice(self._names)
        parts["domain"] = parts["host"] = chance.choice(DOMAINS)
        if path.startswith("/log/"):
            parts["id"] = str(self._side.client.llen("log-entries:"))
        return re.sub(r"{(\w+)}", lambda match: quote(parts[match[1]]), path)

    def _fields(self, row: Row, visitor: Visitor, number: int) -> dict[str, Any]:
        """Fill the fields of the form."""
        chance = self.chance
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 12)))
        values: dict[str, Any] = {
            "title": f"Title {number} {text}"[:150], "text": f"{text}\n\n> {text}", "reason": text, "note": text,
            "link": chance.choice(("", f"https://{chance.choice(DOMAINS)}/{chance.randint(0, 200)}")),
            "groups": chance.sample(GROUPS, chance.randint(0, 2)), "once": f"{number:016x}",
            "anyway": chance.choice(("", "1")), "add": chance.choice(GROUPS), "remove": chance.choice(GROUPS),
            "words": text, "name": f"group{number}",
            "domain": chance.choice(DOMAINS), "rule": chance.choice(("refuse", "hold", "allow")),
            "role": chance.choice(("member", "member", "moderator")), "articles": chance.choice(("keep", "delete")),
            "days": chance.choice(("", "7")), "email": f"mail{number}@mail.example", "end": "others",
            "revision": str(chance.randint(0, 2)), "choice": chance.choice(("weekly", "daily", "never")),
            "front": chance.choice(("my", "all")),
        }  # fmt: skip
        fields = {name: values.get(name, value) for name, value in row["fields"].items()}
        if row["path"] == "/signup":
            self._joined += 1
            fields |= {"username": f"joiner{self._joined}", "invite": "", "website": ""}
        elif row["path"] == "/login":
            fields["username"] = chance.choice(self._names)
        elif row["path"].endswith("/ban"):
            fields |= {"days": values["days"], "articles": chance.choice(("", "week", "all"))}
        if row["path"] == "/submit":
            fields["text"] = fields["text"] if not fields["link"] or chance.random() < 0.3 else ""
        if row["path"].endswith("/report"):
            fields["reason"] = chance.choice(("spam", "rude", "other"))
        return fields | {"csrf_token": visitor.token}

    def _note(self, row: Row, visitor: Visitor, fields: dict[str, Any], answer: Answer) -> None:
        """Remember what was written, and go on as whom a reader has become."""
        place = answer.header("Location")
        if row["path"] in ("/signup", "/login", "/recover") and visitor.name == "reader":
            if answer.status.startswith("303") and row["path"] == "/signup":
                joined = Visitor(str(fields["username"]), 100 + self._joined)
                joined.cookies = dict(visitor.cookies)
                self._visitors.append(joined)
                self._names.append(joined.name)
            visitor.cookies.clear()
        elif row["path"] == "/submit" and (match := _ARTICLE.search(place)):
            self._articles.setdefault(visitor.name, []).append(int(match[1] or match[2]))
        elif row["path"].endswith(("/comment", "/reply")) and (match := _COMMENT.search(place)):
            pair = int(match[1] or match[3]), int(match[2] or match[4])
            self._comments.setdefault(visitor.name, []).append(pair)

    def _ensure_session(self, number: int, visitor: Visitor, connection: Connection) -> None:
        """Log in again whose session has ended; who cannot acts no more."""
        visitor.read_token(connection, "/account")
        if not visitor.token:
            answer = visitor.log_in(connection, self._password)
            self._records.add(f"log-in of {visitor.name} after act {number}", "log-in", answer)
            if not answer.status.startswith("303") and visitor.name not in STAFF:
                self._visitors.remove(visitor)


def act_at_random(side: Side, table: dict[str, Any], start: list[StoredKey], records: Records, count: int) -> None:
    """Send *count* forms to the full site, with the background jobs in between, then read all keys."""
    side.load(start)
    side.set_clock(START + 2 * 86_400)
    side.serve(VOTEWEB_SIGNUP="open", VOTEWEB_HOLD_POSTS="1")
    actors = Actors(side, table, records)
    with side.connect() as connection:
        actors.begin(connection)
        for number in range(1, count + 1):
            actors.act(number, connection)
            if number % JOBS == 0:
                result = side.run("jobs", "--once")
                records.add_run(f"jobs after act {number}", "jobs", result.returncode, result.stdout + result.stderr)
    records.keys["acts"] = read_contents(side.client)
