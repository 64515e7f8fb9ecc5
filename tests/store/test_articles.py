"""Posting: what it writes, what it refuses, and forms sent twice."""

import time

import pytest

from tests import factories
from tests.store.examination import run, snapshot
from voteweb.core.config import VOTERS_GRACE_SECONDS
from voteweb.core.errors import NoSuchArticle, NoSuchGroup, TooManyGroups
from voteweb.core.models import Article
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")

WEEK = 604_800


def test_a_posted_article_is_stored_with_its_first_voter_and_all_its_rankings(store: Store) -> None:
    ann = factories.user(store, "Ann")
    article = factories.article(store, ann, title="A & B", link="", text="# much\n\ntext", groups=("go", "redis") * 3)
    closes = int(article.time + WEEK)
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
    for key in ("time:", "posted:ann", "time:go", "time:redis"):
        assert run(store, "ZSCORE", key, "article:1") == pytest.approx(article.time, abs=1e-6), key
    for key in ("score:", "score:go", "score:redis"):
        assert run(store, "ZSCORE", key, "article:1") == pytest.approx(article.time + 432, abs=1e-6), key
    assert run(store, "SMEMBERS", "group:go") == run(store, "SMEMBERS", "group:redis") == {"article:1"}
    assert run(store, "EXISTS", "good:") == 0


def test_no_two_articles_have_the_same_id_or_time(store: Store) -> None:
    articles = [factories.article(store) for _ in range(50)]
    assert [article.id for article in articles] == list(range(1, 51))
    assert len({article.time for article in articles}) == 50


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


@pytest.mark.parametrize("id", [0, 1, 10**12])
def test_an_unknown_article_raises_no_such_article(store: Store, id: int) -> None:
    with pytest.raises(NoSuchArticle):
        store.articles.get(id)
    with pytest.raises(NoSuchArticle):
        store.articles.set_groups(id, [], [])
