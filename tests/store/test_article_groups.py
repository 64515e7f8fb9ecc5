"""Articles put into groups and taken out of them."""

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import ids, run, unchanged
from voteweb.core.errors import NoSuchGroup, TooManyGroups
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


def test_groups_are_added_and_removed_together(store: Store) -> None:
    id = factories.article(store, groups=("go", "java")).id
    factories.group(store, "redis")
    assert store.articles.set_groups(id, ["redis", "go"], ["java", "java"]) == ("go", "redis")
    with unchanged(store):
        assert store.articles.set_groups(id, ["redis", "go"], ["java", "java"]) == ("go", "redis")
    assert store.articles.get(id).groups == ("go", "redis")
    assert [ids(store, key) for key in ("score:go", "time:redis", "score:redis")] == [[1], [1], [1]]
    assert run(store, "EXISTS", "group:java", "time:java", "score:java") == 0
    assert store.articles.set_groups(id, ["redis"], ["go", "redis"]) == ()


def test_groups_that_cannot_be_added_change_nothing(store: Store) -> None:
    id = factories.article(store, groups=tuple("abcde")).id
    factories.group(store, "f")
    with unchanged(store), pytest.raises(NoSuchGroup, match="nowhere"):
        store.articles.set_groups(id, ["nowhere"], ["a"])
    with unchanged(store), pytest.raises(TooManyGroups):
        store.articles.set_groups(id, ["f"], ["nowhere"])
    assert store.articles.set_groups(id, ["f"], ["a"]) == ("b", "c", "d", "e", "f")


def test_an_article_above_the_group_limit_can_leave_groups(make_store: MakeStore) -> None:
    article = factories.article(make_store(max_groups=5), groups=tuple("abcde"))
    store = make_store(max_groups=2)
    assert store.articles.set_groups(article.id, [], ["a"]) == ("b", "c", "d", "e")
    with pytest.raises(TooManyGroups):
        store.articles.set_groups(article.id, ["a"], [])


def test_groups_can_change_after_voting_has_closed(store: Store) -> None:
    old = factories.imported(store, votes=7, groups=("go",))
    factories.group(store, "java")
    store.articles.set_groups(old.id, ["java"], ["go"])
    assert run(store, "ZSCORE", "score:java", "article:1") == pytest.approx(old.time + 7 * 432, abs=1e-6)


def test_a_write_makes_expiring_group_keys_permanent(store: Store) -> None:
    factories.article(store, groups=("go",))
    second = factories.article(store)
    for write in (
        lambda: factories.article(store, groups=("go",)),
        lambda: store.articles.set_groups(second.id, ["go"], []),
    ):
        for key in ("group:go", "time:go", "score:go"):
            run(store, "EXPIRE", key, 60)
        write()
        assert [run(store, "TTL", key) for key in ("group:go", "time:go", "score:go")] == [-1, -1, -1]
