"""Answers that are lost: the act is done once, and its repetition is no refusal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run, snapshot
from voteweb.core.comments import CommentId, Thread
from voteweb.core.errors import AlreadyVoted
from voteweb.core.models import LogAction, Reason, Role
from voteweb.core.passwords import hash_password
from voteweb.core.rate_limits import LOGIN_BY_NAME
from voteweb.store import Store
from voteweb.store.connection import connection, transport
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.log_entries import NewLogEntry


@contextmanager
def lose_one_answer(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], Any] = lambda: None) -> Iterator[None]:
    """Run the next script in Redis but lose its answer, and do *meanwhile*; fail unless it is sent once more."""
    scripts_sent = 0

    def lossy(client: redis.Redis, commands: Any, **options: Any) -> list[Any]:
        nonlocal scripts_sent
        replies = transport.send(client, commands, **options)
        if commands[-1][0] == "EVALSHA":
            scripts_sent += 1
            if scripts_sent == 1:
                with monkeypatch.context() as patch:
                    patch.setattr(connection, "send", transport.send)
                    meanwhile()
                raise redis.ConnectionError("the answer is lost")
        return replies

    with monkeypatch.context() as patch:
        patch.setattr(connection, "send", lossy)
        yield
    assert scripts_sent == 2


def test_a_vote_with_a_lost_answer_counts_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    with lose_one_answer(monkeypatch):
        assert store.votes.cast(article.id, bob) == 2
    assert broken(store) == []


def test_a_vote_that_was_never_sent_is_not_repeated(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    store.votes.cast(article.id, bob)
    pool, errors = store.connection.client.connection_pool, iter([redis.ConnectionError("refused")])
    get_connection = pool.get_connection

    def flaky() -> Any:
        for error in errors:
            raise error
        return get_connection()

    monkeypatch.setattr(pool, "get_connection", flaky)
    with pytest.raises(AlreadyVoted):
        store.votes.cast(article.id, bob)
    assert not list(errors)


def test_taking_back_with_a_lost_answer_is_not_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    store.votes.cast(article.id, bob)
    with lose_one_answer(monkeypatch):
        assert store.votes.take_back(article.id, bob) == 1
    assert broken(store) == []


def test_a_post_with_a_lost_answer_creates_one_article(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = factories.user(store)
    with lose_one_answer(monkeypatch):
        assert store.articles.post(factories.draft(), ann, "form-0001") == 1
    assert ids(store, "time:") == [1]


def test_a_comment_with_a_lost_answer_is_written_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    article, ann = factories.article(store), factories.user(store)
    with lose_one_answer(monkeypatch):
        assert store.comments.write(article, Thread(1), 0, "Yes.", ann, "form-0001") == CommentId(1, 1)
    assert store.articles.get(1).comments == 1
    assert broken(store) == []


@pytest.mark.parametrize(("action", "votes"), [("cast", 1), ("take_back", 0)])
def test_a_vote_for_a_comment_with_a_lost_answer_counts_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, action: str, votes: int
) -> None:
    comment, bob = factories.comment(store, factories.article(store)), factories.user(store, "bob")
    if action == "take_back":
        store.votes.cast(comment, bob)
    with lose_one_answer(monkeypatch):
        assert getattr(store.votes, action)(comment, bob) == votes
    assert broken(store) == []


def test_a_deletion_with_a_lost_answer_counts_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, comment = factories.user(store), factories.comment(store, factories.article(store))
    with lose_one_answer(monkeypatch):
        store.removals.delete(comment, ann)
    assert store.articles.get(1).comments == 0
    assert broken(store) == []


def test_a_signup_with_a_lost_answer_creates_one_member(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with lose_one_answer(monkeypatch):
        assert store.users.make("ann", "").id == 1


def test_a_group_with_a_lost_answer_is_created(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with lose_one_answer(monkeypatch):
        store.groups.make("go", "Go", "")
    assert [group.name for group in store.groups.all(store.pipeline())] == ["go"]


def logged(kind: LogAction, who: str = "Mod") -> NewLogEntry:
    """Return an entry about article 1, or about bob if it is about a member."""
    is_about_member = kind in (LogAction.BAN, LogAction.UNBAN, LogAction.ROLE)
    return NewLogEntry(kind, who, about="bob" if is_about_member else "ann", article=0 if is_about_member else 1)


def edit(store: Store, title: str) -> None:
    store.articles.edit(1, factories.draft(title=title), store.users.get("ann"))


def edit_comment(store: Store, text: str) -> None:
    store.comments.edit(CommentId(1, 1), text, store.users.get("ann"))


def silence(store: Store, number: int, is_quiet: bool) -> None:
    store.comments.set_quiet(1, number, store.users.get("ann"), is_quiet)


def report(store: Store, name: str) -> None:
    store.reports.make(1, factories.user(store, name), Reason.SPAM, "")


HITS = [(LOGIN_BY_NAME, "bob")]
HASH, NEWER_HASH = hash_password("earlier"), hash_password("later")
Act = Callable[[Store], Any]
#: An act of one, and what somebody else does over it before its answer is known to be lost.
OVERRULED: dict[str, tuple[Act, Act]] = {
    "remove": (
        lambda store: store.removals.remove(1, logged(LogAction.REMOVE)),
        lambda store: store.removals.restore(1, logged(LogAction.RESTORE, "Sue")),
    ),
    "restore": (
        lambda store: store.removals.restore(2, logged(LogAction.RESTORE)),
        lambda store: store.removals.remove(2, logged(LogAction.REMOVE, "Sue")),
    ),
    "set_groups": (
        lambda store: store.articles.set_groups(1, ["redis"], ["go"], logged(LogAction.GROUPS)),
        lambda store: store.articles.set_groups(1, ["go"], ["redis"], logged(LogAction.GROUPS, "Sue")),
    ),
    "edit": (lambda store: edit(store, "A typo"), lambda store: edit(store, "No typo")),
    "edit a comment": (lambda store: edit_comment(store, "A typo"), lambda store: edit_comment(store, "No typo")),
    "silence a comment": (lambda store: silence(store, 1, True), lambda store: silence(store, 1, False)),
    "silence an article": (lambda store: silence(store, 0, True), lambda store: silence(store, 0, False)),
    "change a group": (
        lambda store: store.groups.change("go", "A typo", ""),
        lambda store: store.groups.change("go", "Golang", ""),
    ),
    "dismiss": (
        lambda store: store.reports.dismiss(1, logged(LogAction.DISMISS)),
        lambda store: report(store, "cid"),
    ),
    "ban": (
        lambda store: store.bans.ban("bob", logged(LogAction.BAN)),
        lambda store: store.bans.lift("bob", logged(LogAction.UNBAN, "Sue")),
    ),
    "unban": (
        lambda store: store.bans.lift("eve", logged(LogAction.UNBAN)),
        lambda store: store.bans.ban("eve", logged(LogAction.BAN, "Sue")),
    ),
    "set_role": (
        lambda store: store.users.set_role("bob", Role.MODERATOR, logged(LogAction.ROLE)),
        lambda store: store.users.set_role("bob", Role.MEMBER, logged(LogAction.ROLE, "Sue")),
    ),
    "set_password": (
        lambda store: store.users.set_password("bob", HASH),
        lambda store: store.users.set_password("bob", NEWER_HASH),
    ),
    "refund": (
        lambda store: store.limits.refund(HITS),
        lambda store: store.limits.hit(HITS),
    ),
}


@pytest.mark.parametrize("name", OVERRULED)
def test_a_retry_changes_nothing_that_was_done_meanwhile(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    store = make_store(limits=1)
    for title in ("One", "Another"):
        factories.article(store, title=title, groups=("go",))
    for group in ("redis", "go"):
        factories.group(store, group)
    for member in ("bob", "eve"):
        factories.user(store, member)
    factories.comment(store)
    store.removals.remove(2, logged(LogAction.REMOVE))
    store.bans.ban("eve", logged(LogAction.BAN))
    report(store, "bob")
    for _ in range(3):
        store.limits.hit(HITS)
    store.connection.load_scripts()
    act, overrule = OVERRULED[name]
    after: list[Any] = []
    with lose_one_answer(monkeypatch, lambda: (overrule(store), after.append(snapshot(store)))):
        act(store)
    assert [snapshot(store)] == after
    assert broken(store) == []


def test_an_act_that_came_to_nothing_is_not_done_late(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    delayed: list[Any] = []

    def leave(attempt: Attempt) -> list[Command]:
        (is_group,) = attempt.read(("SISMEMBER", store.keys.groups(), "go"))
        return [("SREM", store.keys.groups(), "go")] if is_group else []

    def delay_one(client: redis.Redis, commands: Any, **options: Any) -> list[Any]:
        if commands[-1][0] == "EVALSHA" and not delayed:
            delayed.extend(commands)
            options["on_connected"]()
            run(store, "SREM", "groups:", "go")
            raise redis.TimeoutError("it is on its way")
        return transport.send(client, commands, **options)

    run(store, "SADD", "groups:", "go")
    with monkeypatch.context() as patch:
        patch.setattr(connection, "send", delay_one)
        assert not commit(store.connection, leave)
    run(store, "SADD", "groups:", "go")
    transport.send(store.connection.client, delayed)
    assert run(store, "SISMEMBER", "groups:", "go")
