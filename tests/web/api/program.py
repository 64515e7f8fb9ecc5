"""A program with a token, the site that it acts on, and all of its acts."""

import json
import re
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from flask import Flask
from werkzeug.datastructures import Headers

from tests import factories
from tests.store.examination import run
from tests.store.test_programs import give_token
from voteweb.core.comments import CommentId
from voteweb.core.models import DomainAction, LogAction, LogEntry, Reason, Right, Role
from voteweb.core.rate_limits import PROGRAM
from voteweb.store import Store


class Answer(NamedTuple):
    """The answer that a program got."""

    status: int
    headers: Headers
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def problem(self) -> tuple[int, str]:
        """The status and the code of a refusal."""
        assert self.headers["Content-Type"] == "application/problem+json"
        return self.status, self.json["code"]

    @property
    def next(self) -> str:
        """The path of the next page, "" on the last."""
        match = re.fullmatch('</api/v1(.*)>; rel="next"', self.headers.get("Link", ""))
        return match[1] if match else ""


class Program:
    """A program with *rights*, all unless some are named, of the member *name*, or without a token if that is empty."""

    def __init__(self, app: Flask, name: str = "", *rights: Right) -> None:
        self._app, store = app, app.extensions["voteweb.store"]
        self.token = give_token(store, factories.user(store, name), rights or tuple(Right)) if name else ""

    def send(
        self, address: str, body: Any = None, *, key: str = "", headers: Mapping[str, str] = MappingProxyType({})
    ) -> Answer:
        """Send a request to an *address* such as "POST /articles"."""
        method, _, path = address.partition(" ")
        token = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        sent = {**token, **headers, **({"Idempotency-Key": key} if key else {})}
        client = self._app.test_client()  # each thread needs its own
        response = client.open(f"/api/v1{path}", method=method, json=body, headers=sent)
        return Answer(response.status_code, response.headers, response.text)

    def get(self, path: str, status: int = 200) -> Any:
        """Return what is at *path*, where the answer must have this *status*."""
        answer = self.send(f"GET {path}")
        assert answer.status == status, answer.text
        return answer.json

    def pages(self, path: str, name: str = "articles") -> list[Any]:
        """Return the lists *name* of all pages from *path* on, by the links to the next one."""
        lists = []
        while path:
            answer = self.send(f"GET {path}")
            lists.append(answer.json[name])
            path = answer.next
        return lists


Programs = dict[str, Program]


class Act(NamedTuple):
    """An act of a program: its request, the form that does the same to something else, and who may send it.

    The ``more`` fields of the form are those that the body of the request has not.
    """

    request: str
    form: str
    allowed: tuple[str, ...]
    right: Right = Right.POST
    body: dict[str, Any] | None = None
    more: Mapping[str, str] = MappingProxyType({})

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the form."""
        return {name: str(value) for name, value in (self.body or {}).items()} | {**self.more}


POSTER, OTHERS, MEMBERS, MODERATORS = ("ann",), ("bob", "mod"), ("ann", "bob", "mod"), ("mod",)
_NEW, _WHY, _SPAM = {"title": "New", "text": "Some."}, {"reason": "Spam."}, {"reason": "spam"}
#: Of each pair of articles and comments, the request changes the first, and the form the second.
ACTS = {
    "post_article": Act("POST /articles", "/submit", MEMBERS, body=_NEW),
    "edit_article": Act(
        "PATCH /articles/1", "/a/2/edit", ("ann", "mod"), body={"title": "Other", "revision": 0}, more={"text": "Text."}
    ),
    "delete_article": Act("DELETE /articles/1?revision=0", "/a/2/delete", POSTER),
    "save": Act("PUT /articles/1/save", "/a/2/save", MEMBERS, Right.OWN),
    "unsave": Act("DELETE /articles/1/save", "/a/2/unsave", MEMBERS, Right.OWN),
    "hide": Act("PUT /articles/1/hide", "/a/2/hide", MEMBERS, Right.OWN),
    "unhide": Act("DELETE /articles/1/hide", "/a/2/unhide", MEMBERS, Right.OWN),
    "report_article": Act("POST /articles/1/report", "/a/2/report", OTHERS, body=_SPAM),
    "write_comment": Act("POST /articles/1/comments", "/a/2/c/1/reply", MEMBERS, body={"text": "Yes.", "parent": 1}),
    "edit_comment": Act("PATCH /articles/1/comments/1", "/a/2/c/1/edit", POSTER, body={"text": "No."}),
    "delete_comment": Act("DELETE /articles/1/comments/1", "/a/2/c/1/delete", POSTER),
    "report_comment": Act("POST /articles/1/comments/1/report", "/a/2/c/1/report", OTHERS, body=_SPAM),
    "follow": Act("PUT /groups/go/follow", "/g/rust/follow", MEMBERS, Right.OWN),
    "unfollow": Act("DELETE /groups/go/follow", "/g/rust/unfollow", MEMBERS, Right.OWN),
    "read_inbox": Act("POST /me/inbox/read", "/inbox/read", MEMBERS, Right.OWN, {"until": "x"}),
    "remove_article": Act("POST /articles/1/remove", "/a/2/remove", MODERATORS, Right.MODERATE, _WHY),
    "restore_article": Act("POST /articles/3/restore", "/a/4/restore", MODERATORS, Right.MODERATE, {}),
    "publish_article": Act("POST /articles/5/publish", "/a/6/release", MODERATORS, Right.MODERATE, {"revision": 0}),
    "dismiss_article": Act("POST /articles/1/dismiss", "/a/2/dismiss", MODERATORS, Right.MODERATE, {}),
    "remove_comment": Act("POST /articles/1/comments/1/remove", "/a/2/c/1/remove", MODERATORS, Right.MODERATE, _WHY),
    "restore_comment": Act("POST /articles/1/comments/2/restore", "/a/2/c/2/restore", MODERATORS, Right.MODERATE, {}),
    "dismiss_comment": Act("POST /articles/1/comments/1/dismiss", "/a/2/c/1/dismiss", MODERATORS, Right.MODERATE, {}),
    "get_queue": Act("GET /queue", "GET /queue", MODERATORS, Right.MODERATE),
}
#: Those that are sent by POST, and may be sent with a key.
POSTS = [name for name, act in ACTS.items() if act.request.startswith("POST")]


def body_of(name: str, store: Store, person: str = "ann") -> dict[str, Any]:
    """Return the body of an act; that which reads the inbox of *person* names its newest entry."""
    body = ACTS[name].body or {}
    return {**body, "until": run(store, "LINDEX", f"inbox:{person}", 0)} if name == "read_inbox" else body


def make_site(store: Store) -> None:
    """Make what all acts are about, and mod, a moderator."""
    ann, carl = factories.user(store, "ann"), factories.user(store, "carl")
    for name in ("go", "rust"):
        factories.group(store, name)
    rule = LogEntry(LogAction.DOMAIN, "mod", title="look.example")
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=factories.user(store, "mod", Role.MODERATOR))
    for id in range(1, 7):
        words = {"text": "Text.", "link": ""} if id < 5 else {"link": f"https://look.example/{id}"}
        draft = factories.draft(title=f"Article {id}", **words)
        assert store.articles.post(draft, ann, factories.token()) == id
    for id in (1, 2):
        for text in ("First.", "Second."):
            factories.comment(store, id, ann, text=text)
        factories.remove(store, CommentId(id, 2))
        store.reports.make(id, carl, Reason.SPAM, "")
        store.reports.make(CommentId(id, 1), carl, Reason.SPAM, "")
    for id in (3, 4):
        factories.remove(store, id)


def make_programs(app: Flask) -> Programs:
    """Return a program of each of ann, who has posted, bob, mod, and dave, whose account waits since."""
    store: Store = app.extensions["voteweb.store"]
    programs, now = {name: Program(app, name) for name in ("ann", "bob", "mod", "dave")}, time.time()
    run(store, "HSET", "user:dave", "held", now)
    run(store, "ZADD", "held:", now, "dave")
    return programs


def everywhere(store: Store, count: int = 30) -> None:
    """Post articles by ann in two groups, and import one that is good."""
    for number in range(count):
        factories.article(store, title=f"Article {number}", groups=("python", "redis"))
    factories.imported(store, title="A good one", votes=300, groups=("python",), link="https://example.com/good")


def ids(rows: Any) -> list[int]:
    """Return the ids of articles, or the numbers of comments."""
    return [row.get("id") or row["number"] for row in rows]


def use_up_tokens(store: Store) -> None:
    """Use up what the tokens that have been sent may do, for however long a test takes."""
    for key in store.connection.client.keys(f"limit:{PROGRAM.kind}-*"):
        store.connection.command("SET", key, 10**10)
