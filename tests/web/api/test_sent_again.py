"""Requests with an Idempotency-Key: sent again or twice at once, each does once what its form does."""

import re
from collections import Counter
from typing import Any

import pytest
from flask import Flask

from tests.store.concurrency import at_once
from tests.store.examination import broken, server_setting
from tests.web.api.program import ACTS, POSTS, Program, Programs, body_of
from tests.web.browser import JSON
from tests.web.conftest import MakeMember
from tests.web.state import content
from voteweb.core.models import Reason
from voteweb.store import Store
from voteweb.store.connection.connection import Connection, Outcome


def _sizes(store: Store) -> Counter[str]:
    """Return how much each kind of key holds, but for the mark of programs; of statistics, what they count."""
    sizes = Counter[str]()
    for key, (type_, value, _) in content(store).items():
        kind = re.sub(r"[0-9a-f]{16,}|[0-9]+", "#", key)
        if key.startswith("stats:"):
            sizes[kind] += sum(int(count) for count in value.values())
        elif type_ != "string" and not key.startswith(("once:", "programs:", "user:")):
            sizes[kind] += len(value) - (type_ == "hash" and "program" in value)
    return sizes


def _changes(before: Counter[str], after: Counter[str]) -> dict[str, int]:
    return {key: after[key] - before[key] for key in before | after if after[key] != before[key]}


@pytest.mark.parametrize("name", [name for name in POSTS if name != "read_inbox"])
def test_two_at_once_do_what_one_form_does(
    name: str, programs: Programs, store: Store, make_member: MakeMember
) -> None:
    act, person = ACTS[name], ACTS[name].allowed[0]
    browser = make_member(person, store.users.get(person).role)
    sizes = [_sizes(store)]
    first, second = at_once([lambda: programs[person].send(act.request, act.body, key="one")] * 2)
    sizes.append(_sizes(store))
    assert browser.send(act.form, headers=JSON, **act.fields).status in (200, 303)
    sizes.append(_sizes(store))
    assert first.status in (201, 204), first.text
    assert (first.status, first.text) == (second.status, second.text)
    assert _changes(*sizes[:2]) == _changes(*sizes[1:])
    assert broken(store) == []


@pytest.mark.parametrize("name", POSTS)
def test_answer_that_was_lost_is_given_again(name: str, programs: Programs, app: Flask, store: Store) -> None:
    request, person, body = ACTS[name].request, ACTS[name].allowed[0], body_of(name, store)
    program, other = programs[person], Program(app, person)
    sent = program.send(request, body, key="one")
    before = {**content(store), "article:": None}
    again = program.send(request, body, key="one")
    assert (again.status, again.text) == (sent.status, sent.text)
    assert again.headers.get("Location") == sent.headers.get("Location")
    assert [answer.headers.get("Idempotency-Replayed") for answer in (sent, again)] == [None, "true"]
    changed = _with_another_body(body)
    assert program.send(request, changed, key="one").problem == (422, "idempotency-key-reused")
    assert {**content(store), "article:": None} == before
    # The key is that of one program, and another key is another act.
    assert other.send(request, changed, key="one").status != 422
    assert program.send(request, changed, key="two").status != 422


def _with_another_body(body: dict[str, Any]) -> dict[str, Any]:
    name, value = next((item for item in body.items() if isinstance(item[1], str)), ("seen", None))
    if name == "reason" and value in set(Reason):
        return {**body, "note": "Look."}
    return {**body, name: f"{value}x" if value else 10**9}


def test_key_of_one_act_is_no_key_of_another(programs: Programs) -> None:
    for request, body, status in (
        ("POST /articles/1/dismiss", {}, 204), ("POST /articles/2/dismiss", {}, 422),
        ("POST /articles", {"title": "New", "text": "A."}, 201), ("POST /articles/1/comments", {"text": "A."}, 422),
    ):  # fmt: skip
        assert programs["mod"].send(request, body, key="one").status == status


@pytest.mark.parametrize("key", ["a b", "é", "x" * 256])
def test_key_is_short_ascii_without_blanks(key: str, programs: Programs) -> None:
    assert programs["mod"].send("POST /articles/1/dismiss", {}, key=key).problem == (422, "invalid")


def test_refused_act_is_not_done_for_a_late_call(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database may do late what a request gave up: then it is not done after the refusal, which stays one."""
    script = Connection.script

    def repeated(self: Connection, name: str, /, **values: Any) -> Outcome:
        return script(self, name, **{**values, **({"is_repeated": 1} if name == "commit" else {})})

    monkeypatch.setattr(Connection, "script", repeated)
    for _ in range(2):
        answer = programs["mod"].send("POST /articles/3/dismiss", {}, key="one")
        assert answer.problem == (409, "reports-settled")


@pytest.mark.parametrize("name", [name for name, act in ACTS.items() if not act.request.startswith("GET")])
def test_full_database_takes_what_it_takes_of_forms(
    name: str, programs: Programs, store: Store, make_member: MakeMember
) -> None:
    act, person = ACTS[name], ACTS[name].allowed[0]
    browser, program = make_member(person, store.users.get(person).role), programs[person]
    for id, group in ((1, "go"), (2, "rust")):  # what some of them take away
        for path in (f"articles/{id}/save", f"articles/{id}/hide", f"groups/{group}/follow"):
            assert program.send(f"PUT /{path}").status == 204 or not name.startswith("un")
    body = body_of(name, store)
    fields = {**act.fields, "until": body.get("until", "")}
    with server_setting(store, "maxmemory", 1):
        answer = program.send(act.request, body or None)
        form = browser.send(act.form, headers=JSON, **fields)
    assert (answer.status == 503) == (form.status == 503)
    if answer.status == 503:
        assert (answer.problem, answer.headers["Retry-After"]) == ((503, "full"), "120")
