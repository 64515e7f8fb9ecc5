"""A program with a token, the site that it acts on, and all of its acts."""

import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import Flask
from werkzeug.datastructures import Headers

from tests import factories
from tests.store.examination import run
from voteweb.core.comments import CommentId
from voteweb.core.models import DomainAction, LogAction, LogEntry, Reason, Right, Role
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token


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


class Program:
    """A program of the member *name*; without a name, one without a token."""

    def __init__(self, app: Flask, name: str = "", rights: Sequence[Right] = tuple(Right)) -> None:
        self._app, self._headers = app, dict[str, str]()
        if name:
            store: Store = app.extensions["voteweb.store"]
            token = new_token(name)
            store.programs.add(store.users.get(name), token, "bot", rights, 10)
            self._headers = {"Authorization": f"Bearer {token}"}

    def send(self, address: str, body: Any = None, *, key: str = "") -> Answer:
        """Send a request to an *address* such as "POST /articles"."""
        method, _, path = address.partition(" ")
        headers = {**self._headers, **({"Idempotency-Key": key} if key else {})}
        client = self._app.test_client()  # each thread needs its own
        response = client.open(f"/api/v1{path}", method=method, json=body, headers=headers)
        return Answer(response.status_code, response.headers, response.text)


class Act(NamedTuple):
    """An act of a program: its request, the form that does the same to something else, and who may send it."""

    request: str
    body: dict[str, Any] | None
    form: str
    fields: dict[str, str]
    allowed: tuple[str, ...]
    right: Right = Right.POST


POSTER, MEMBERS, MODERATORS = ("ann",), ("ann", "bob", "mod"), ("mod",)
_WHY = {"reason": "Spam."}
#: Of each pair of articles and comments, the request changes the first, and the form the second.
ACTS = {
    "post_article": Act(
        "POST /articles", {"title": "New", "text": "Some."}, "/submit", {"title": "New", "text": "Some."}, MEMBERS
    ),
    "edit_article": Act(
        "PATCH /articles/1", {"title": "Other", "revision": 0}, "/a/2/edit",
        {"title": "Other", "text": "Text.", "revision": "0"}, ("ann", "mod"),
    ),
    "delete_article": Act("DELETE /articles/1?revision=0", None, "/a/2/delete", {}, POSTER),
    "save": Act("PUT /articles/1/save", None, "/a/2/save", {}, MEMBERS, Right.OWN),
    "unsave": Act("DELETE /articles/1/save", None, "/a/2/unsave", {}, MEMBERS, Right.OWN),
    "hide": Act("PUT /articles/1/hide", None, "/a/2/hide", {}, MEMBERS, Right.OWN),
    "unhide": Act("DELETE /articles/1/hide", None, "/a/2/unhide", {}, MEMBERS, Right.OWN),
    "report_article": Act(
        "POST /articles/1/report", {"reason": "spam"}, "/a/2/report", {"reason": "spam"}, ("bob", "mod")
    ),
    "write_comment": Act(
        "POST /articles/1/comments", {"text": "Yes.", "parent": 1}, "/a/2/c/1/reply", {"text": "Yes."}, MEMBERS
    ),
    "edit_comment": Act("PATCH /articles/1/comments/1", {"text": "No."}, "/a/2/c/1/edit", {"text": "No."}, POSTER),
    "delete_comment": Act("DELETE /articles/1/comments/1", None, "/a/2/c/1/delete", {}, POSTER),
    "report_comment": Act(
        "POST /articles/1/comments/1/report", {"reason": "rules"}, "/a/2/c/1/report", {"reason": "rules"},
        ("bob", "mod"),
    ),
    "follow": Act("PUT /groups/go/follow", None, "/g/rust/follow", {}, MEMBERS, Right.OWN),
    "unfollow": Act("DELETE /groups/go/follow", None, "/g/rust/unfollow", {}, MEMBERS, Right.OWN),
    "read_inbox": Act("POST /me/inbox/read", {"until": "x"}, "/inbox/read", {"until": "x"}, MEMBERS, Right.OWN),
    "remove_article": Act("POST /articles/1/remove", _WHY, "/a/2/remove", _WHY, MODERATORS, Right.MODERATE),
    "restore_article": Act("POST /articles/3/restore", {}, "/a/4/restore", {}, MODERATORS, Right.MODERATE),
    "publish_article": Act(
        "POST /articles/5/publish", {"revision": 0}, "/a/6/release", {"revision": "0"}, MODERATORS, Right.MODERATE
    ),
    "dismiss_article": Act("POST /articles/1/dismiss", {}, "/a/2/dismiss", {}, MODERATORS, Right.MODERATE),
    "remove_comment": Act(
        "POST /articles/1/comments/1/remove", _WHY, "/a/2/c/1/remove", _WHY, MODERATORS, Right.MODERATE
    ),
    "restore_comment": Act(
        "POST /articles/1/comments/2/restore", {}, "/a/2/c/2/restore", {}, MODERATORS, Right.MODERATE
    ),
    "dismiss_comment": Act(
        "POST /articles/1/comments/1/dismiss", {}, "/a/2/c/1/dismiss", {}, MODERATORS, Right.MODERATE
    ),
    "get_queue": Act("GET /queue", None, "GET /queue", {}, MODERATORS, Right.MODERATE),
}  # fmt: skip
#: Those that are sent by POST, and may be sent with a key.
POSTS = [name for name, act in ACTS.items() if act.request.startswith("POST")]


def body_of(name: str, store: Store, person: str = "ann") -> dict[str, Any]:
    """Return the body of an act; that which reads the inbox of *person* names its newest entry."""
    body = ACTS[name].body or {}
    return {**body, "until": run(store, "LINDEX", f"inbox:{person}", 0)} if name == "read_inbox" else body


def make_people(store: Store) -> None:
    """Make ann, who posts, bob and carl, mod, a moderator, and dave."""
    for name in ("ann", "bob", "carl", "dave"):
        factories.user(store, name)
    factories.user(store, "mod", Role.MODERATOR)


def make_site(store: Store) -> None:
    """Make what all acts are about; the account of dave waits, since his program got its token."""
    ann, carl = store.users.get("ann"), store.users.get("carl")
    for name in ("go", "rust"):
        factories.group(store, name)
    rule = LogEntry(LogAction.DOMAIN, "mod", title="look.example")
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=store.users.get("mod"))
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
    now = time.time()
    run(store, "HSET", "user:dave", "held", now)
    run(store, "ZADD", "held:", now, "dave")
