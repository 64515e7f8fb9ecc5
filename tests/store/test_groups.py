"""Groups: created, changed, read and counted."""

import pytest

from tests import factories
from tests.store.examination import broken, run, snapshot
from voteweb.core.errors import GroupExists, NoSuchGroup
from voteweb.core.models import Group
from voteweb.store import Store


def read_groups(store: Store, *names: str) -> tuple[Group | None, ...]:
    pipeline = store.pipeline()
    groups = store.groups.queue_get(pipeline, names)
    pipeline.execute()
    return groups.result


def test_a_created_group_can_be_read(store: Store) -> None:
    store.groups.make("编程", "编程 & Co.", "everything about it")
    assert read_groups(store, "编程") == (Group("编程", "编程 & Co.", "everything about it", 0),)


def test_an_existing_group_is_not_created_again(store: Store) -> None:
    store.groups.make("go", "Go", "the language")
    before = snapshot(store)
    with pytest.raises(GroupExists, match="a group named go"):
        store.groups.make("go", "Go!", "")
    assert snapshot(store) == before


def test_a_group_can_be_changed(store: Store) -> None:
    factories.article(store, groups=("go",))
    store.groups.change("go", "The Go language", "")
    assert read_groups(store, "go") == (Group("go", "The Go language", "", 1),)


def test_an_unknown_group_cannot_be_changed(store: Store) -> None:
    with pytest.raises(NoSuchGroup, match="nowhere"):
        store.groups.change("nowhere", "Nowhere", "")
    assert set(snapshot(store)) <= {"schema:"}


def test_all_groups_are_in_alphabetical_order_with_their_counts(store: Store) -> None:
    for name in ("redis", "go", "编程"):
        factories.group(store, name)
    factories.article(store, groups=("go", "redis"))
    factories.article(store, groups=("go",))
    assert [(group.name, group.articles) for group in store.groups.all(store.pipeline())] == [
        ("go", 2),
        ("redis", 1),
        ("编程", 0),
    ]


def test_a_site_may_have_no_groups(store: Store) -> None:
    assert store.groups.all(store.pipeline()) == ()
    assert read_groups(store) == ()


def test_a_group_is_unknown_although_a_ranking_has_its_name(store: Store) -> None:
    factories.group(store, "go")
    run(store, "ZADD", "time:ghost", 1, "article:1")
    assert read_groups(store, "ghost", "go") == (None, Group("go", "Go", "", 0))


def test_a_group_without_a_title_shows_its_name(store: Store) -> None:
    run(store, "SADD", "groups:", "go")
    assert read_groups(store, "go") == (Group("go", "go", "", 0),)


def test_the_count_of_a_group_follows_its_articles(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    store.articles.set_groups(article.id, [], ["go"])
    assert read_groups(store, "go")[0] == Group("go", "Go", "", 0)
    assert broken(store) == []
