"""The end of an account: at once for the member, step by step for the articles."""

from typing import Any

import pytest

from tests import factories
from tests.store.examination import broken, ids, run, snapshot
from voteweb.core import config
from voteweb.core.errors import LoggedOut, NameTaken, NoSuchMember
from voteweb.core.models import Article, ArticleStatus, LogAction, Role, User
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry


def whole(store: Store, id: int) -> Article:
    pipeline = store.pipeline()
    asked = store.articles.queue_get(pipeline, id)
    pipeline.execute()
    assert asked.result
    return asked.result


@pytest.fixture
def ann(store: Store) -> User:
    """A member with three articles: 1 in "go" with bob's vote, 2 removed, 3 deleted; 4 is bob's."""
    ann, bob = factories.user(store, "Ann", Role.MODERATOR, "hash"), factories.user(store, "bob")
    for _ in range(3):
        factories.article(store, ann, groups=("go",))
    store.votes.cast(1, bob)
    store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "Mod", about="Ann", article=2, why="spam"))
    store.removals.delete(3, ann)
    factories.article(store, bob)
    return ann


def nothing_left(store: Store) -> bool:
    return not run(store, "EXISTS", "posted:ann", "gone:ann", "leaving:")


def test_who_leaves_is_out_at_once_and_for_ever(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=False)
    after = store.users.get("ann")
    assert (after.password, after.role, after.left > 0) == ("", Role.MEMBER, True)
    assert after.session != ann.session
    assert store.account_deletion.unfinished() == ["ann"]
    with pytest.raises(LoggedOut):
        store.articles.post(factories.draft(), ann, "form-0001")
    assert broken(store) == []


def test_articles_that_stay_stand_under_nobodys_name(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=False)
    store.account_deletion.finish("Ann")
    assert [(whole(store, id).poster, whole(store, id).gone) for id in (1, 2, 3, 4)] == [
        (config.DELETED_MEMBER, ArticleStatus.LISTED), (config.DELETED_MEMBER, ArticleStatus.REMOVED), (config.DELETED_MEMBER, ArticleStatus.DELETED), ("bob", ArticleStatus.LISTED),
    ]  # fmt: skip
    assert (whole(store, 1).votes, ids(store, "time:go")) == (2, [1])
    assert nothing_left(store)
    assert broken(store) == []


def test_articles_that_go_too_are_deleted_the_removed_ones_with_them(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=True)
    store.account_deletion.finish("ann")
    gone = [whole(store, id) for id in (1, 2, 3)]
    assert [(each.title, each.poster, each.status) for each in gone] == [("", config.DELETED_MEMBER, ArticleStatus.DELETED)] * 3
    assert ids(store, "time:") == [4]
    assert nothing_left(store)
    assert broken(store) == []


def test_what_stayed_under_nobodys_name_can_still_be_removed_restored_and_voted_for(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=False)
    store.account_deletion.finish("ann")
    store.removals.remove(1, NewLogEntry(LogAction.REMOVE, "Mod", article=1, why="spam"))
    store.removals.restore(1, NewLogEntry(LogAction.RESTORE, "Mod", article=1))
    store.removals.restore(2, NewLogEntry(LogAction.RESTORE, "Mod", article=2))
    assert store.votes.cast(1, factories.user(store, "cid")) == 3
    assert run(store, "KEYS", "*deleted*") == []
    assert broken(store) == []


def test_the_name_is_held_for_ever(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=True)
    store.account_deletion.finish("ann")
    for name in ("Ann", "ANN"):
        with pytest.raises(NameTaken):
            store.users.make(name, "hash")


def test_nothing_brings_back_who_left(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=False)
    before = store.users.get("ann")
    for act in (
        lambda: store.users.set_password("ann", "hash"),
        lambda: store.users.set_role("ann", Role.ADMIN),
        lambda: store.users.end_sessions("ann"),
        lambda: store.users.ban("ann", NewLogEntry(LogAction.BAN, "Mod", about="ann", why="spam")),
    ):
        with pytest.raises(NoSuchMember):
            act()
    assert store.users.get("ann") == before
    assert run(store, "ZCARD", "log-about:ann") == 1  # that of the removal


def test_leaving_twice_is_as_once(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=False)
    before = snapshot(store)
    store.account_deletion.start(ann, delete_articles=True)
    assert snapshot(store) == before
    store.account_deletion.finish("ann")
    before = snapshot(store)
    store.account_deletion.finish("ann")
    assert snapshot(store) == before


def test_who_is_not_leaving_loses_nothing(store: Store, ann: User) -> None:
    before = snapshot(store)
    store.account_deletion.finish("ann")
    store.account_deletion.finish("nobody")
    assert snapshot(store) == before
    with pytest.raises(NoSuchMember):
        store.account_deletion.start(User(9, "nobody", "", Role.MEMBER, 0.0, ""), delete_articles=True)


@pytest.mark.parametrize("deletes", [True, False])
def test_leaving_that_is_stopped_anywhere_can_be_taken_up_again(
    store: Store, ann: User, monkeypatch: pytest.MonkeyPatch, deletes: bool
) -> None:
    store.account_deletion.start(ann, delete_articles=deletes)
    script, left = store.connection.script, [0]

    def stops(name: str, *rest: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return script(name, *rest)

    monkeypatch.setattr(store.connection, "script", stops)
    stopped = 0
    for more in range(1, 20):
        left[0] = more
        try:
            store.account_deletion.finish("ann")
        except KeyboardInterrupt:
            stopped += 1
            assert store.account_deletion.unfinished() == ["ann"]
            assert broken(store) == []
        else:
            break
    assert stopped > 1
    assert nothing_left(store)
    assert broken(store) == []


def test_the_articles_are_read_in_bounded_steps(store: Store, ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "BATCH", 2)
    for _ in range(5):
        factories.article(store, ann)
    store.account_deletion.start(ann, delete_articles=False)
    steps = []
    command = store.connection.command

    def counted(*words: Any) -> Any:
        answer = command(*words)
        if words[0] == "ZRANGE":
            steps.append(len(answer))
        return answer

    monkeypatch.setattr(store.connection, "command", counted)
    store.account_deletion.finish("ann")
    assert max(steps) == 2
    assert nothing_left(store)


def test_an_article_restored_between_the_steps_is_seen_to_as_well(
    store: Store, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.account_deletion.start(ann, delete_articles=False)
    script, done = store.connection.script, []

    def with_a_moderator(name: str, keys: Any, *rest: Any) -> Any:
        if name == "disown_article" and keys[0] == "article:2" and not done:
            done.append(name)
            store.removals.restore(2, NewLogEntry(LogAction.RESTORE, "Mod", article=2))
        return script(name, keys, *rest)

    monkeypatch.setattr(store.connection, "script", with_a_moderator)
    store.account_deletion.finish("ann")
    assert whole(store, 2).poster == config.DELETED_MEMBER
    assert nothing_left(store)
    assert broken(store) == []


def test_an_article_that_another_program_took_away_stops_nothing(store: Store, ann: User) -> None:
    run(store, "DEL", "article:1")
    store.account_deletion.start(ann, delete_articles=True)
    store.account_deletion.finish("ann")
    assert nothing_left(store)
