"""Articles put into groups and taken out of them."""

from contextlib import AbstractContextManager, nullcontext

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run, snapshot
from voteweb.core.errors import NoSuchGroup, TooManyGroups
from voteweb.store import Store


def test_groups_are_added_and_removed_together(store: Store) -> None:
    article = factories.article(store, groups=("go", "java"))
    factories.group(store, "redis")
    assert store.articles.set_groups(article.id, ["redis"], ["java"]) == ("go", "redis")
    assert store.articles.get(article.id).groups == ("go", "redis")
    assert [ids(store, key) for key in ("score:go", "time:redis", "score:redis", "time:java")] == [[1], [1], [1], []]
    assert run(store, "EXISTS", "group:java", "time:java", "score:java") == 0
    assert broken(store) == []


def test_a_new_group_ranks_the_article_by_its_current_score(store: Store) -> None:
    article = factories.article(store)
    for voter in factories.users(store, 3):
        store.votes.cast(article.id, voter)
    factories.group(store, "go")
    store.articles.set_groups(article.id, ["go"], [])
    assert run(store, "ZSCORE", "score:go", "article:1") == pytest.approx(article.time + 4 * 432, abs=1e-6)


def test_setting_the_same_groups_twice_changes_nothing(store: Store) -> None:
    article = factories.article(store, groups=("go", "java"))
    factories.group(store, "redis")
    store.articles.set_groups(article.id, ["redis", "go"], ["java", "java"])
    before = snapshot(store)
    assert store.articles.set_groups(article.id, ["redis", "go"], ["java", "java"]) == ("go", "redis")
    assert snapshot(store) == before


def test_a_group_to_add_and_to_remove_is_removed(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    factories.group(store, "redis")
    assert store.articles.set_groups(article.id, ["go", "redis"], ["go", "redis"]) == ()
    assert broken(store) == []


@pytest.mark.parametrize(
    ("add", "remove", "outcome"),
    [
        (["nowhere"], ["a"], pytest.raises(NoSuchGroup, match="nowhere")),
        (["e", "f"], [], pytest.raises(TooManyGroups)),
        ([], ["nowhere"], nullcontext()),
    ],
    ids=["unknown", "too many", "removing an unknown one"],
)
def test_groups_that_cannot_be_added_or_removed_change_nothing(
    store: Store, add: list[str], remove: list[str], outcome: AbstractContextManager[object]
) -> None:
    article = factories.article(store, groups=tuple("abcd"))
    for name in "ef":
        factories.group(store, name)
    before = snapshot(store)
    with outcome:
        store.articles.set_groups(article.id, add, remove)
    assert snapshot(store) == before


def test_an_article_with_all_groups_can_exchange_one(store: Store) -> None:
    article = factories.article(store, groups=tuple("abcde"))
    factories.group(store, "f")
    assert store.articles.set_groups(article.id, ["f"], ["a"]) == ("b", "c", "d", "e", "f")


def test_an_article_above_the_group_limit_can_leave_groups(make_store: MakeStore) -> None:
    article = factories.article(make_store(max_groups=5), groups=tuple("abcde"))
    store = make_store(max_groups=2)
    assert store.articles.set_groups(article.id, [], ["a"]) == ("b", "c", "d", "e")
    with pytest.raises(TooManyGroups):
        store.articles.set_groups(article.id, ["a"], [])
    assert broken(store) == []


def test_groups_can_change_after_voting_has_closed(store: Store) -> None:
    old = factories.imported(store, votes=7, groups=("go",))
    factories.group(store, "java")
    store.articles.set_groups(old.id, ["java"], ["go"])
    assert run(store, "ZSCORE", "score:java", "article:1") == pytest.approx(old.time + 7 * 432, abs=1e-6)
    assert broken(store) == []


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
