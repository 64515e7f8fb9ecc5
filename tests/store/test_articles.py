"""Posting: what it writes, what it refuses, and forms sent twice."""

import pytest

from tests import factories
from tests.store.examination import broken, run, snapshot
from voteweb.core import config
from voteweb.core.errors import NoSuchArticle, NoSuchGroup, TooManyGroups
from voteweb.core.models import Article
from voteweb.store import Store

WEEK = 604_800


def server_time(store: Store) -> float:
    seconds, microseconds = run(store, "TIME")
    return int(seconds) + int(microseconds) / 1e6


def test_a_posted_article_can_be_read(store: Store) -> None:
    ann = factories.user(store, "Ann")
    factories.group(store, "redis")
    before = server_time(store)
    id = store.articles.post(
        factories.draft(title="A & B", link="", text="# much\n\ntext", groups=("redis",)), ann, "form-0001"
    )
    article = store.articles.get(id)
    assert article == Article(
        id=1,
        title="A & B",
        link="",
        text="# much\n\ntext",
        poster="Ann",
        time=article.time,
        votes=1,
        groups=("redis",),
        closes=int(article.time + WEEK),
    )
    assert before <= article.time <= server_time(store)


def test_an_article_is_stored_as_in_the_book_with_microseconds(store: Store) -> None:
    article = factories.article(store)
    stored = run(store, "HGETALL", "article:1")
    assert set(stored) == set("title link poster time votes base closes groups".split())  # no empty text
    assert (stored["votes"], stored["base"], stored["groups"]) == ("1", "0", "")
    assert stored["time"] == f"{article.time:.6f}"


def test_the_poster_is_the_first_voter(store: Store) -> None:
    bob = factories.user(store, "bob")
    article = factories.article(store, bob)
    assert run(store, "SMEMBERS", "voted:1") == {str(bob.id)}
    expiry = run(store, "PEXPIRETIME", "voted:1") / 1000
    assert expiry == int(article.time + WEEK) + config.VOTERS_GRACE_SECONDS


def test_posting_adds_the_article_to_all_its_rankings(store: Store) -> None:
    article = factories.article(store, groups=("go", "redis"))
    score = article.time + 432
    for key, number in [
        ("time:", article.time),
        ("score:", score),
        ("posted:ann", article.time),
        ("time:go", article.time),
        ("score:go", score),
        ("time:redis", article.time),
        ("score:redis", score),
    ]:
        assert run(store, "ZSCORE", key, "article:1") == pytest.approx(number, abs=1e-6), key
    assert run(store, "SMEMBERS", "group:go") == run(store, "SMEMBERS", "group:redis") == {"article:1"}
    assert run(store, "EXISTS", "good:") == 0
    assert broken(store) == []


def test_ids_increase_and_are_never_reused(store: Store) -> None:
    ids = [factories.article(store).id for _ in range(3)]
    with pytest.raises(NoSuchGroup):
        store.articles.post(factories.draft(groups=("nowhere",)), factories.user(store), "form-0001")
    assert ids == [1, 2, 3]
    assert factories.article(store).id == 5


def test_no_two_articles_have_the_same_time(store: Store) -> None:
    times = {factories.article(store).time for _ in range(50)}
    assert len(times) == 50


def test_a_form_sent_twice_creates_one_article(store: Store) -> None:
    ann = factories.user(store)
    first = store.articles.post(factories.draft(), ann, "form-0001")
    before = snapshot(store)
    again = store.articles.post(factories.draft(title="another title"), ann, "form-0001")
    after = snapshot(store)
    assert again == first
    assert after | {"article:": None} == before | {"article:": None}  # an id was taken, a gap does no harm
    assert 86_390 <= run(store, "TTL", f"once:{ann.id}-form-0001") <= 86_400
    assert store.articles.post(factories.draft(link=""), factories.user(store, "bob"), "form-0001") != first


def test_a_form_refused_for_unknown_groups_names_them_and_can_be_resent(store: Store) -> None:
    ann = factories.user(store)
    factories.group(store, "go")
    before = snapshot(store)
    with pytest.raises(NoSuchGroup) as refusal:
        store.articles.post(factories.draft(groups=("go", "nowhere", "编程")), ann, "form-0001")
    assert refusal.value.values["names"] == "nowhere, 编程"
    assert snapshot(store) == before | {"article:": ("string", "1", -1)}
    assert store.articles.get(store.articles.post(factories.draft(), ann, "form-0001")).votes == 1


def test_posting_into_too_many_groups_is_refused(store: Store) -> None:
    names = tuple("abcdef")
    for name in names:
        factories.group(store, name)
    with pytest.raises(TooManyGroups, match="at most 5 groups"):
        store.articles.post(factories.draft(groups=names), factories.user(store), "form-0001")


def test_a_group_named_twice_counts_once(store: Store) -> None:
    article = factories.article(store, groups=("go",) * 6)
    assert article.groups == ("go",)
    assert broken(store) == []


@pytest.mark.parametrize("id", [0, 1, 10**12])
def test_an_unknown_article_raises_no_such_article(store: Store, id: int) -> None:
    with pytest.raises(NoSuchArticle):
        store.articles.get(id)
    with pytest.raises(NoSuchArticle):
        store.articles.set_groups(id, [], [])
