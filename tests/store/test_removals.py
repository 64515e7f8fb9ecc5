"""Removals: articles deleted, removed and restored."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import ids, refused, run, snapshot, unchanged, without_prefix
from tests.store.queries import logged_act, page_ids
from voteweb.core import links
from voteweb.core.errors import ArticleGone, NoSuchArticle, NotYours, TooLate
from voteweb.core.models import ArticleStatus, LogAction, Order, User
from voteweb.store import Store

LINK = "https://example.com/redis"
LISTS = ["time:", "score:", "good:", "posted:ann", "time:go", "score:go", f"link:{links.digest(LINK)}"]


def ids_in_lists(store: Store) -> list[list[int]]:
    return [ids(store, key) for key in LISTS]


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store on which an article is good with two votes."""
    return make_store(good_votes=2)


@pytest.fixture
def site(store: Store, bob: User, sound: None) -> Store:
    """A site with a good article of ann's in "go", voted for by bob; it must be sound after the test."""
    article = factories.article(store, groups=("go",))
    store.votes.cast(article.id, bob)
    assert ids_in_lists(store) == [[1]] * 7
    return store


def test_a_deleted_article_loses_lists_fields_and_voters(site: Store) -> None:
    site.removals.delete(1, factories.user(site))
    assert ids_in_lists(site) == [[]] * 7
    article = factories.stored_article(site)
    assert (article.status, article.poster) == (ArticleStatus.DELETED, "ann")
    assert (article.title, article.link, article.text) == ("", "", "")
    assert run(site, "EXISTS", "voted:1", "group:go") == 0
    assert ids(site, "gone:ann") == [1]
    with pytest.raises(ArticleGone):
        site.articles.get(1)


def test_only_the_poster_may_delete_and_only_in_time(store: Store, bob: User) -> None:
    ann = factories.user(store)
    late, fresh = factories.imported(store, time=time.time() - 901), factories.article(store, ann)
    with unchanged(store):
        for id, who, refusal in ((late.id, ann, TooLate), (fresh.id, bob, NotYours), (77, ann, NoSuchArticle)):
            with pytest.raises(refusal):
                store.removals.delete(id, who)


def test_what_has_been_done_changes_nothing(site: Store) -> None:
    for act in (factories.restore, factories.remove, lambda store: store.removals.delete(1)):
        act(site)
        with unchanged(site):
            act(site)
    with unchanged(site):
        site.removals.delete(1, factories.user(site))
        factories.remove(site)


def test_a_removed_article_keeps_its_fields_and_voters(site: Store) -> None:
    factories.remove(site)
    assert ids_in_lists(site) == [[]] * 7
    article = factories.stored_article(site)
    assert (article.status, article.reason) == (ArticleStatus.REMOVED, "Spam.")
    assert (article.title, article.link, article.groups) == ("Redis in Action", LINK, ("go",))
    assert (run(site, "SCARD", "voted:1"), ids(site, "gone:ann")) == (2, [1])
    logged = logged_act(site, 1)
    assert (logged.kind, logged.who, logged.why) == (LogAction.REMOVE, "mod", "Spam.")


def test_restoring_undoes_a_removal_completely(site: Store) -> None:
    before = snapshot(site)
    factories.remove(site)
    factories.restore(site)
    grows = ("log", "inbox", "unread", "changes:")
    after = {key: value for key, value in snapshot(site).items() if not key.startswith(grows)}
    assert after == {key: value for key, value in before.items() if key != "changes:"}


def test_a_deleted_article_cannot_be_restored(site: Store) -> None:
    site.removals.delete(1, factories.user(site))
    with pytest.raises(ArticleGone):
        factories.restore(site)


def test_a_removed_article_refuses_acts_of_members(site: Store) -> None:
    factories.remove(site)
    for write in (
        lambda: site.articles.set_groups(1, [], ["go"]),
        lambda: site.removals.delete(1, factories.user(site)),
    ):
        with refused(site, ArticleGone):
            write()


def test_a_combined_list_hides_articles_unlisted_since(store: Store) -> None:
    for _ in range(3):
        factories.article(store, groups=("go", "redis"))
    ranking = store.rankings.groups(["go", "redis"], Order.SCORE)
    assert page_ids(store, ranking) == [3, 2, 1]
    factories.remove(store)
    store.removals.delete(2)
    assert run(store, "ZCARD", without_prefix(store, ranking.key)) == 4  # it still holds all, and its marker
    assert page_ids(store, ranking) == [3]


def test_a_restored_article_gets_no_key_of_an_invalid_group(store: Store) -> None:
    factories.article(store, groups=("go",))
    run(store, "SADD", "groups:", "a+b")  # as another program may
    run(store, "HSET", "article:1", "groups", "a+b go")
    factories.remove(store)
    factories.restore(store)
    assert (run(store, "KEYS", "*+b"), ids(store, "time:go")) == ([], [1])
