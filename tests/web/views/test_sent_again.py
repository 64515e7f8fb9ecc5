"""Acts of moderation that are sent again after a lost answer: what finds its own result is no refusal."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeMember
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.models import Reason, Role
from voteweb.store import Store
from voteweb.store.schema.fields import pack, unpack

Step = Callable[[Store], Any]
REMOVAL = {"reason": "Spam."}


def _report(store: Store) -> None:
    store.reports.make(1, factories.user(store, "bob"), Reason.SPAM, "")


def _answer(store: Store) -> None:
    factories.remove(store)
    store.waiting.answer(1, store.users.get("ann"), "Why?")


def _describe(store: Store) -> None:
    client = store.connection.client
    client.hset("user:ann", mapping={"about": "Buy now", "about-reported": "5"})
    client.zadd("abouts:", {"ann": 5})


def _hold(store: Store) -> None:
    draft, poster = factories.draft(link="https://held.example/"), store.users.make("newcomer", "", network="192.0.2.7")
    store.context.put_in_force(replace(store.context.settings, hold_posts=1))
    store.articles.post(draft, poster, factories.token())


def _answer_ban(store: Store) -> None:
    factories.ban(store, factories.user(store, "eve").name)
    store.bans.answer("eve", "Why?")


#: What was there before an act, its address, and its form.
ACTS: dict[str, tuple[Step, str, dict[str, Any]]] = {
    "remove": (lambda _: None, "/a/1/remove", REMOVAL),
    "remove held": (_hold, "/a/2/remove", REMOVAL),
    "restore": (factories.remove, "/a/1/restore", {}),
    "remove comment": (lambda _: None, "/a/1/c/1/remove", REMOVAL),
    "remove replies": (lambda _: None, "/a/1/c/1/remove", {**REMOVAL, "replies": "1"}),
    "restore comment": (lambda store: factories.remove(store, CommentId(1, 1)), "/a/1/c/1/restore", {}),
    "dismiss": (_report, "/a/1/dismiss", {}),
    "keep removed": (_answer, "/a/1/keep-removed", {}),
    "release": (_hold, "/a/2/release", {}),
    "close": (lambda _: None, "/a/1/close", REMOVAL),
    "ban": (lambda store: factories.user(store, "eve"), "/u/eve/ban", {"reason": "Spam."}),
    "ban several": (lambda store: factories.user(store, "eve"), "/ban", {"reason": "Spam.", "name": ["ann", "eve"]}),
    "unban": (lambda store: factories.ban(store, factories.user(store, "eve").name), "/u/eve/unban", {}),
    "keep banned": (_answer_ban, "/u/eve/keep-banned", {}),
    "role": (lambda _: None, "/u/ann/role", {"role": "moderator"}),
    "judge about": (_describe, "/u/ann/about", {"seen": "Buy now", "reason": "Spam."}),
    "new group": (lambda _: None, "/groups/new", {"name": "lua", "title": "Lua", "description": "A language"}),
    "delete group": (lambda store: factories.group(store, "lua"), "/g/lua/delete", {}),
    "merge groups": (lambda store: factories.group(store, "lua"), "/g/lua/merge", {"into": "go"}),
    "rule": (lambda _: None, "/domains", {"domain": "bad.example", "rule": "refuse", "why": "Spam."}),
    "groups": (lambda _: None, "/a/1/groups", {"remove": "go"}),
    "edit": (lambda _: None, "/a/1/edit", {"title": "Another", "text": "Words", "revision": "0"}),
}


@pytest.fixture
def boss(make_member: MakeMember, store: Store) -> Browser:
    """An admin, beside an article with a comment."""
    factories.article(store, groups=("go",), link="https://bad.example/1")
    factories.comment(store, 1)
    return make_member("boss", Role.ADMIN)


def answers(person: Browser, address: str, fields: dict[str, Any]) -> tuple[int, str, list[str]]:
    """Return the status and the target of a form that is sent, and the messages there."""
    person.send(address, **fields)
    status, location = person.status, person.location
    return status, location, person.follow().flashes


@pytest.mark.parametrize("name", ACTS)
def test_an_act_that_is_sent_again_is_answered_as_before(boss: Browser, store: Store, name: str) -> None:
    prepare, address, fields = ACTS[name]
    prepare(store)
    first = answers(boss, address, fields)
    assert first[0] == 303, boss.text
    entries = store.connection.client.llen("log-entries:")
    assert answers(boss, address, fields) == first
    assert store.connection.client.llen("log-entries:") == entries


def test_an_undo_that_is_sent_again_is_answered_as_before(boss: Browser, store: Store) -> None:
    answers(boss, "/a/1/remove", REMOVAL)
    first = answers(boss, "/log/1/undo", {})
    assert answers(boss, "/log/1/undo", {}) == first
    boss.send("/a/1/remove", **REMOVAL)
    assert boss.send("/u/boss/undo", since="hour").status == boss.send("/u/boss/undo", since="hour").status == 303
    assert boss.send("/u/boss/undo", since="week").status == 409


def is_refused(person: Browser, address: str, **fields: Any) -> bool:
    """Tell whether an act is refused."""
    return person.send(address, headers=JSON, **fields).status >= 400


def test_what_others_did_or_overruled_stays_a_refusal(boss: Browser, make_member: MakeMember, store: Store) -> None:
    mod = make_member("mod", Role.MODERATOR)
    boss.send("/a/1/remove", **REMOVAL)
    assert is_refused(mod, "/a/1/remove", **REMOVAL), "another moderator's"
    assert is_refused(boss, "/a/1/remove", reason="Off topic."), "another reason"
    mod.send("/a/1/restore")
    mod.send("/a/1/remove", **REMOVAL)
    assert is_refused(boss, "/a/1/remove", **REMOVAL), "removed by another since"
    boss.send("/a/1/restore")
    boss.send("/a/1/c/1/remove", **REMOVAL)
    assert is_refused(boss, "/a/1/c/1/remove", **REMOVAL, replies="1"), "with replies, which stay"
    boss.send("/groups/new", name="lua", title="Lua", description="")
    assert is_refused(boss, "/groups/new", name="lua", title="Another", description="")


@pytest.mark.parametrize(
    "ban", [{}, {"days": "2"}, {"days": "1", "articles": "all"}, {"days": "1", "votes": "1"}], ids=repr
)
def test_another_ban_is_not_the_first_one_sent_again(boss: Browser, store: Store, ban: dict[str, str]) -> None:
    eve = factories.user(store, "eve")
    store.votes.cast(1, eve)
    factories.article(store, eve)
    answers(boss, "/u/eve/ban", {"reason": "Spam.", "days": "1"})
    end = store.users.get("eve").banned_until
    *_, flashes = answers(boss, "/u/eve/ban", {"reason": "Spam.", **ban})
    assert flashes == ["eve was banned before; that ban stays as it is."]
    assert store.users.get("eve").banned_until == end


def test_an_act_of_long_ago_is_not_sent_again(boss: Browser, store: Store) -> None:
    boss.send("/a/1/remove", **REMOVAL)
    client = store.connection.client
    entry = unpack(client.lindex("log-entries:", 0))
    entry["time"] = str(float(entry["time"]) - config.DONE_SECONDS - 1)
    client.lset("log-entries:", 0, pack(entry))
    assert is_refused(boss, "/a/1/remove", **REMOVAL)
