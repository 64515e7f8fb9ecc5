"""Answers that are lost: the act is done once, and its repetition is no refusal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, snapshot
from voteweb.core.errors import AlreadyVoted
from voteweb.core.models import User
from voteweb.core.rate_limits import LOGIN_BY_NAME
from voteweb.store import Store
from voteweb.store.connection import connection, transport
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command


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


def test_a_vote_that_was_never_sent_is_not_repeated(store: Store, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    article = factories.article(store)
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


HITS = [(LOGIN_BY_NAME, "bob")]
Act = Callable[[Store], Any]


#: An act of one, what somebody else does over it before its answer is known to be lost, and its answer.
ACTS: dict[str, tuple[Act, Act, int | None]] = {
    "remove": (factories.remove, lambda store: factories.restore(store, by="Sue"), None),
    "refund": (lambda store: store.limits.refund(HITS), lambda store: store.limits.hit(HITS), None),
    "cast": (lambda store: store.votes.cast(1, store.users.get("bob")), lambda _: None, 3),
    "take back": (lambda store: store.votes.take_back(1, store.users.get("dan")), lambda _: None, 1),
}


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """A site with what the acts need, and all scripts loaded."""
    store = make_store(limits=1)
    factories.article(store)
    store.votes.cast(1, factories.user(store, "dan"))
    factories.user(store, "bob")
    for _ in range(3):
        store.limits.hit(HITS)
    store.connection.load_scripts()
    return store


@pytest.mark.parametrize("name", ACTS)
def test_a_retry_changes_nothing_that_was_done_meanwhile(
    site: Store, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    act, overrule, answer = ACTS[name]
    after: list[Any] = []
    with lose_one_answer(monkeypatch, lambda: (overrule(site), after.append(snapshot(site)))):
        assert act(site) == answer
    assert [snapshot(site)] == after
    assert broken(site) == []


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
