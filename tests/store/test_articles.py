"""Articles: posted once, stored with their voters and rankings, and put into groups and taken out of them."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import ids, refused, run, snapshot
from voteweb.core.config import VOTERS_GRACE_SECONDS
from voteweb.core.errors import NoSuchArticle, NoSuchGroup, TooManyGroups
from voteweb.core.models import Article
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


def test_a_posted_article_is_stored_with_first_voter_and_rankings(store: Store) -> None:
    ann = factories.user(store, "Ann")
    article = factories.article(store, ann, title="A & B", link="", text="# much\n\ntext", groups=("go", "redis") * 3)
    closes = int(article.time + 604_800)
    assert article == Article(
        id=1,
        title="A & B",
        link="",
        text="# much\n\ntext",
        poster="Ann",
        time=article.time,
        votes=1,
        groups=("go", "redis"),
        closes=closes,
    )
    assert article.time == pytest.approx(time.time(), abs=60)
    assert run(store, "HMGET", "article:1", "votes", "base", "time") == ["1", "0", f"{article.time:.6f}"]
    assert run(store, "SMEMBERS", "voted:1") == {str(ann.id)}
    assert run(store, "EXPIRETIME", "voted:1") == closes + VOTERS_GRACE_SECONDS
    for key in ("time:", "posted:ann", "time:go", "score:redis"):
        assert ids(store, key) == [1], key
    assert run(store, "ZSCORE", "score:", "article:1") == pytest.approx(article.time + 432, abs=1e-6)
    assert run(store, "EXISTS", "good:") == 0


def test_articles_share_no_id_or_time_even_after_a_failover(store: Store) -> None:
    first = factories.article(store)
    run(store, "SET", "article:", 0)
    assert len({first.time, *(factories.article(store).time for _ in range(20))}) == 21
    run(store, "SET", "article:", 0)
    assert store.imports.add([factories.story() for _ in range(3)]).count("imported") == 3
    assert store.articles.get(first.id) == first
    assert run(store, "ZCARD", "time:") == 24


def test_a_form_sent_twice_creates_one_article(store: Store) -> None:
    ann = factories.user(store)
    first = store.articles.post(factories.draft(), ann, "form-0001")
    before = snapshot(store) | {"article:": None}
    assert store.articles.post(factories.draft(title="another title"), ann, "form-0001") == first
    assert snapshot(store) | {"article:": None} == before  # an id was taken, a gap does no harm
    assert 86_390 <= run(store, "TTL", f"once:{ann.id}-form-0001") <= 86_400
    assert store.articles.post(factories.draft(link=""), factories.user(store, "bob"), "form-0001") != first


def test_a_form_refused_for_its_groups_can_be_resent(store: Store) -> None:
    ann = factories.user(store)
    factories.group(store, "go")
    before = snapshot(store)
    with pytest.raises(TooManyGroups, match="at most 5 groups"):
        store.articles.post(factories.draft(groups=tuple("abcdef")), ann, "form-0001")
    with pytest.raises(NoSuchGroup) as refusal:
        store.articles.post(factories.draft(groups=("go", "nowhere", "编程")), ann, "form-0001")
    assert refusal.value.values["names"] == "nowhere, 编程"
    assert snapshot(store) == before | {"article:": ("string", "1", -1)}
    assert store.articles.post(factories.draft(), ann, "form-0001") == 2


def test_a_group_that_is_added_and_removed_is_removed(store: Store) -> None:
    id = factories.imported(store, groups=("go", "java")).id  # voting on it has closed
    factories.group(store, "redis")
    assert store.articles.set_groups(id, ["redis", "go"], ["java", "java"]) == ("go", "redis")
    assert store.articles.set_groups(id, ["redis"], ["go", "redis"]) == ()


def test_groups_set_to_expire_by_another_program_stay_with_articles(store: Store) -> None:
    second, keys = factories.article(store), ("group:go", "time:go", "score:go")
    factories.article(store, groups=("go",))
    for write in (
        lambda: factories.article(store, groups=("go",)),
        lambda: store.articles.set_groups(second.id, ["go"], []),
    ):
        for key in keys:
            run(store, "EXPIRE", key, 60)
        write()
        assert [run(store, "TTL", key) for key in keys] == [-1] * 3


def test_groups_that_cannot_be_added_change_nothing(make_store: MakeStore) -> None:
    store, narrow = make_store(max_groups=5), make_store(max_groups=2)
    id = factories.article(store, groups=tuple("abcde")).id
    factories.group(store, "f")
    for error, add, remove in ((NoSuchGroup, "nowhere", "a"), (TooManyGroups, "f", "nowhere")):
        with refused(store, error):
            store.articles.set_groups(id, [add], [remove])
    with refused(store, NoSuchArticle):
        store.articles.set_groups(77, [], [])
    assert store.articles.set_groups(id, ["f"], ["a"]) == ("b", "c", "d", "e", "f")
    assert narrow.articles.set_groups(id, [], ["b"]) == ("c", "d", "e", "f")
    with pytest.raises(TooManyGroups):
        narrow.articles.set_groups(id, ["a"], [])
