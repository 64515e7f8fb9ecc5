"""Groups: made, changed, counted."""

import pytest

from tests import factories
from tests.store.examination import broken, run, snapshot
from voteweb.core.errors import GroupExists, NoSuchGroup
from voteweb.core.models import Group
from voteweb.store import Store


def ask(store: Store, *names: str) -> tuple[Group | None, ...]:
    pipeline = store.pipeline()
    asked = store.groups.queue_get(pipeline, names)
    pipeline.execute()
    return asked.result


def test_a_group_that_was_made_can_be_read(store: Store) -> None:
    store.groups.make("编程", "编程 & Co.", "everything about it")
    assert ask(store, "编程") == (Group("编程", "编程 & Co.", "everything about it", 0),)


def test_a_group_is_made_once(store: Store) -> None:
    store.groups.make("go", "Go", "the language")
    before = snapshot(store)
    with pytest.raises(GroupExists, match="a group named go"):
        store.groups.make("go", "Go!", "")
    assert snapshot(store) == before


def test_a_group_can_be_given_other_words(store: Store) -> None:
    factories.article(store, groups=("go",))
    store.groups.change("go", "The Go language", "")
    assert ask(store, "go") == (Group("go", "The Go language", "", 1),)


def test_a_group_that_does_not_exist_cannot_be_changed(store: Store) -> None:
    with pytest.raises(NoSuchGroup, match="nowhere"):
        store.groups.change("nowhere", "Nowhere", "")
    assert snapshot(store) == {}


def test_all_groups_come_in_the_order_of_the_alphabet_with_their_counts(store: Store) -> None:
    for name in ("redis", "go", "编程"):
        factories.group(store, name)
    factories.article(store, groups=("go", "redis"))
    factories.article(store, groups=("go",))
    assert [(group.name, group.articles) for group in store.groups.all(store.pipeline())] == [
        ("go", 2),
        ("redis", 1),
        ("编程", 0),
    ]


def test_no_groups_are_no_trouble(store: Store) -> None:
    assert store.groups.all(store.pipeline()) == ()
    assert ask(store) == ()


def test_an_unknown_group_is_none_even_where_keys_of_its_name_lie(store: Store) -> None:
    factories.group(store, "go")
    run(store, "ZADD", "time:ghost", 1, "article:1")
    found = ask(store, "ghost", "go")
    assert found[0] is None
    assert found[1] == Group("go", "Go", "", 0)


def test_a_group_without_a_title_is_called_by_its_name(store: Store) -> None:
    run(store, "SADD", "groups:", "go")
    assert ask(store, "go") == (Group("go", "go", "", 0),)


def test_the_count_of_a_group_follows_its_articles(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    store.articles.set_groups(article.id, [], ["go"])
    assert ask(store, "go")[0] == Group("go", "Go", "", 0)
    assert broken(store) == []
