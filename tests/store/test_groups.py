"""Groups: created, changed, read, counted and deleted, also with articles in them."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests import factories
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, refused, run
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import AliasTaken, GroupExists, GroupNotEmpty, NoSuchGroup
from voteweb.core.models import Group, LogAction, LogEntry
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


def test_a_group_is_created_once_and_can_be_changed(store: Store) -> None:
    store.groups.make("编程", "编程 & Co.", "everything about it")
    assert not store.groups.make("编程", "编程 & Co.", "everything about it")
    with refused(store, GroupExists, match="a group named 编程"):
        store.groups.make("编程", "Programming!", "")
    factories.article(store, groups=("编程", "go"))
    factories.group(store, "redis")
    go, redis, programming = store.groups.all(store.pipeline())
    assert programming == Group("编程", "编程 & Co.", "everything about it", 1)
    assert [(group.name, group.articles) for group in (go, redis)] == [("go", 1), ("redis", 0)]
    store.groups.change("编程", "Programming", "")
    (changed,) = store.read(store.groups.queue_get, ["编程"])
    assert changed == Group("编程", "Programming", "", 1)
    with refused(store, NoSuchGroup, match="nowhere"):
        store.groups.change("nowhere", "Nowhere", "")


def test_another_programs_group_exists_if_the_set_holds_it(store: Store) -> None:
    run(store, "SADD", "groups:", "go")
    run(store, "ZADD", "time:ghost", 1, "article:1")
    assert store.read(store.groups.queue_get, ["ghost", "go"]) == (None, Group("go", "go", "", 0))
    run(store, "DEL", "time:ghost")
    store.groups.change("go", "Go", "")


def aliases(store: Store) -> dict[str, str]:
    return store.read(store.groups.queue_aliases)


def test_a_group_has_one_alias_that_nothing_else_is_called(store: Store) -> None:
    for name in ("go", "redis"):
        factories.group(store, name)
    store.groups.change("go", "Go", "", aliases=["golang"])
    for taken in ("redis", "go", "golang"):
        with pytest.raises(AliasTaken):
            store.groups.change("redis", "Redis", "", aliases=[taken])
    with pytest.raises(GroupExists):
        store.groups.make("golang", "Golang", "")
    store.groups.change("go", "Go!", "")
    assert aliases(store) == {"golang": "go"}
    store.groups.change("go", "Go", "", aliases=["go-lang"])
    assert aliases(store) == {"go-lang": "go"}
    assert store.groups.resolve(["redis", "go-lang"]) == ("go", "redis")


def test_an_empty_group_is_deleted_with_its_alias(store: Store) -> None:
    article = factories.article(store, groups=("go", "redis"))
    store.groups.change("go", "Go", "", aliases=["golang"])
    entry = LogEntry(LogAction.DELETE_GROUP, "mod", title="go")
    with pytest.raises(GroupNotEmpty):
        store.groups.delete("go", entry)
    factories.remove(store, article.id)
    assert store.groups.delete("go", entry)
    assert not store.groups.delete("go", entry)
    assert aliases(store) == {}
    factories.restore(store, article.id)
    assert store.articles.get(article.id).groups == ("redis",)


def make_group(store: Store) -> None:
    """Make three articles, of which only the set of the group holds the first, as a program after the book does."""
    for _ in range(3):
        factories.article(store, groups=("go", "java"), link="")
    run(store, "HSET", "article:1", "groups", "java")


def delete(store: Store) -> Iterator[int]:
    return store.groups.delete_in_steps("go", LogEntry(LogAction.DELETE_GROUP, COMMAND_LINE, title="go"))


def test_an_interrupted_deletion_leaves_the_group_until_it_is_empty(store: Store) -> None:
    for _ in cut_everywhere(store, make_group, delete):
        is_group = bool(run(store, "SISMEMBER", "groups:", "go"))
        assert run(store, "LLEN", "log-kind:delete") == (0 if is_group else 1)
        assert ids(store, "time:java") == [3, 2, 1]
        with suppress(NoSuchGroup):
            list(delete(store))
        assert run(store, "EXISTS", "group:go", "time:go", "score:go", "group-info:go") == 0
        assert (run(store, "LLEN", "log-kind:delete"), broken(store)) == (1, [])
