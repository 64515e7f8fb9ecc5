"""Answers that are lost: the act is done once, and its repetition is no refusal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis

from tests import factories
from tests.store.examination import broken, ids
from voteweb.core.errors import AlreadyVoted
from voteweb.store import Store
from voteweb.store.connection import connection, transport


@contextmanager
def lose_one_answer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the next script in Redis but lose its answer; fail unless it is sent once more."""
    scripts_sent = 0

    def lossy(client: redis.Redis, commands: Any, **options: Any) -> list[Any]:
        nonlocal scripts_sent
        replies = transport.send(client, commands, **options)
        if commands[-1][0] == "EVALSHA":
            scripts_sent += 1
            if scripts_sent == 1:
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


def test_a_signup_with_a_lost_answer_creates_one_member(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with lose_one_answer(monkeypatch):
        assert store.users.make("ann", "").id == 1


def test_a_group_with_a_lost_answer_is_created(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with lose_one_answer(monkeypatch):
        store.groups.make("go", "Go", "")
    assert [group.name for group in store.groups.all(store.pipeline())] == ["go"]
