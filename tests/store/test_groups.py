"""Groups: created, changed, read and counted."""

from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import broken, run, unchanged
from voteweb.core.errors import AliasTaken, GroupExists, GroupNotEmpty, NoSuchGroup
from voteweb.core.models import Group, LogAction
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


def read_groups(store: Store, *names: str) -> tuple[Group | None, ...]:
    return store.read(store.groups.queue_get, names)


def test_a_group_is_created_once_and_can_be_changed(store: Store) -> None:
    store.groups.make("编程", "编程 & Co.", "everything about it")
    with unchanged(store), pytest.raises(GroupExists, match="a group named 编程"):
        store.groups.make("编程", "Programming!", "")
    assert read_groups(store, "编程") == (Group("编程", "编程 & Co.", "everything about it", 0),)
    factories.article(store, groups=("编程",))
    store.groups.change("编程", "Programming", "")
    assert read_groups(store, "编程") == (Group("编程", "Programming", "", 1),)
    with unchanged(store), pytest.raises(NoSuchGroup, match="nowhere"):
        store.groups.change("nowhere", "Nowhere", "")


def test_all_groups_are_in_alphabetical_order_with_their_counts(store: Store) -> None:
    factories.group(store, "编程")
    factories.article(store, groups=("redis", "go"))
    factories.article(store, groups=("go",))
    groups = store.groups.all(store.pipeline())
    assert [(group.name, group.articles) for group in groups] == [("go", 2), ("redis", 1), ("编程", 0)]


def test_what_another_program_wrote_is_a_group_if_the_set_holds_it(store: Store) -> None:
    run(store, "SADD", "groups:", "go")
    run(store, "ZADD", "time:ghost", 1, "article:1")
    assert read_groups(store, "ghost", "go") == (None, Group("go", "go", "", 0))


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
    assert broken(store) == []


def test_an_empty_group_is_deleted_with_its_alias(store: Store) -> None:
    article = factories.article(store, groups=("go", "redis"))
    store.groups.change("go", "Go", "", aliases=["golang"])
    entry = NewLogEntry(LogAction.DELETE, "mod", title="go")
    with pytest.raises(GroupNotEmpty):
        store.groups.delete("go", entry)
    factories.remove(store, article.id)
    store.groups.delete("go", entry)
    with pytest.raises(NoSuchGroup):
        store.groups.delete("go", entry)
    assert aliases(store) == {}
    assert broken(store) == []
    factories.restore(store, article.id)
    assert store.articles.get(article.id).groups == ("redis",)
    assert broken(store) == []


def test_a_group_is_deleted_or_gets_an_article_never_both(store: Store) -> None:
    for number in range(20):
        article, name = factories.article(store, groups=()), f"group{number}"
        factories.group(store, name)
        entry = NewLogEntry(LogAction.DELETE, "mod", title=name)
        add = partial(store.articles.set_groups, article.id, [name], [])
        results = at_once([partial(store.groups.delete, name, entry), add])
        assert len([result for result in results if result in (NoSuchGroup, GroupNotEmpty)]) == 1
    assert broken(store) == []
