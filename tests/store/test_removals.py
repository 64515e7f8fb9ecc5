"""Deleting, removing, restoring: out of every list, and back into every one."""

import time
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run, snapshot
from tests.store.test_listings import ids_of, page
from voteweb.core import links
from voteweb.core.errors import AlreadyVoted, ArticleGone, NoSuchArticle, NotYours, TooLate
from voteweb.core.models import Article, ArticleStatus, LogAction, Order, Reason
from voteweb.store import Store, build_store
from voteweb.store.moderation_log import NewLogEntry

LINK = "https://example.com/redis"
LISTS = ["time:", "score:", "good:", "posted:ann", "time:go", "score:go", f"link:{links.digest(LINK)}"]


def entry(kind: LogAction, id: int = 1, why: str = "spam", **more: Any) -> NewLogEntry:
    return NewLogEntry(kind, "Mod", about="ann", article=id, title="Redis in Action", why=why, **more)


def whole(store: Store, id: int = 1) -> Article:
    """Return an article, gone or not."""
    pipeline = store.pipeline()
    asked = store.articles.queue_get(pipeline, id)
    pipeline.execute()
    assert asked.result
    return asked.result


def remove(store: Store, id: int = 1) -> None:
    store.removals.remove(id, entry(LogAction.REMOVE, id))


def restore(store: Store, id: int = 1) -> None:
    store.removals.restore(id, entry(LogAction.RESTORE, id, ""))


def lists(store: Store) -> list[list[int]]:
    return [ids(store, key) for key in LISTS]


@pytest.fixture
def good(make_store: MakeStore) -> Store:
    """A good article of ann's in "go", with the vote of bob."""
    store = make_store(good_votes=2)
    article = factories.article(store, groups=("go",))
    store.votes.cast(article.id, factories.user(store, "bob"))
    assert lists(store) == [[1]] * 7
    return store


def test_what_its_poster_deletes_is_in_no_list_and_has_no_words_and_no_voters(good: Store) -> None:
    good.removals.delete(1, factories.user(good))
    assert lists(good) == [[]] * 7
    gone = whole(good)
    assert (gone.gone, gone.title, gone.link, gone.text, gone.poster) == (ArticleStatus.DELETED, "", "", "", "ann")
    assert run(good, "EXISTS", "voted:1", "group:go") == 0
    assert ids(good, "gone:ann") == [1]
    assert broken(good) == []
    with pytest.raises(ArticleGone):
        good.articles.get(1)


def test_only_its_poster_deletes_an_article_and_only_in_time(store: Store) -> None:
    ann, bob = factories.user(store), factories.user(store, "bob")
    late, fresh = factories.imported(store, time=time.time() - 901), factories.article(store, ann)
    before = snapshot(store)
    for id, who, refusal in ((late.id, ann, TooLate), (fresh.id, bob, NotYours), (77, ann, NoSuchArticle)):
        with pytest.raises(refusal):
            store.removals.delete(id, who)
    assert snapshot(store) == before


def test_deleting_and_removing_twice_is_as_once(good: Store) -> None:
    remove(good)
    before = snapshot(good) | {"log-entry:": None}
    remove(good)
    assert snapshot(good) | {"log-entry:": None} == before
    good.removals.delete(1)
    before = snapshot(good) | {"log-entry:": None}
    good.removals.delete(1, factories.user(good))
    remove(good)
    assert snapshot(good) | {"log-entry:": None} == before


def test_what_is_removed_keeps_its_words_and_voters_and_says_why(good: Store) -> None:
    remove(good)
    assert lists(good) == [[]] * 7
    gone = whole(good)
    assert (gone.gone, gone.reason, gone.title, gone.link) == (ArticleStatus.REMOVED, "spam", "Redis in Action", LINK)
    assert (gone.groups, run(good, "SCARD", "voted:1"), ids(good, "gone:ann")) == (("go",), 2, [1])
    entry = good.log.get(1)
    assert entry is not None
    assert (entry.kind, entry.who, entry.about, entry.article, entry.why) == (LogAction.REMOVE, "Mod", "ann", 1, "spam")
    assert broken(good) == []


def test_restoring_puts_everything_back_where_it_was(good: Store) -> None:
    before = snapshot(good)
    remove(good)
    restore(good)
    after = {key: value for key, value in snapshot(good).items() if not key.startswith("log")}
    assert after == before
    assert broken(good) == []


def test_what_is_restored_takes_votes_again_and_none_twice(good: Store) -> None:
    remove(good)
    restore(good)
    with pytest.raises(AlreadyVoted):
        good.votes.cast(1, factories.user(good, "bob"))
    assert good.votes.cast(1, factories.user(good, "cid")) == 3
    assert broken(good) == []


def test_restoring_what_is_there_does_nothing(good: Store) -> None:
    before = snapshot(good)
    restore(good)
    assert snapshot(good) == before | {"log-entry:": ("string", "1", -1)}


def test_what_its_poster_deleted_cannot_be_restored(good: Store) -> None:
    good.removals.delete(1, factories.user(good))
    with pytest.raises(ArticleGone):
        restore(good)
    with pytest.raises(NoSuchArticle):
        restore(good, 77)
    with pytest.raises(NoSuchArticle):
        remove(good, 77)
    assert broken(good) == []


def test_a_poster_cannot_delete_what_was_removed_so_that_the_reason_stays(good: Store) -> None:
    remove(good)
    before = snapshot(good)
    with pytest.raises(ArticleGone):
        good.removals.delete(1, factories.user(good))
    assert snapshot(good) == before


def test_nobody_votes_or_sorts_or_reports_while_it_is_gone(good: Store) -> None:
    bob = factories.user(good, "bob")
    remove(good)
    before = snapshot(good)
    for act in (
        lambda: good.votes.cast(1, factories.user(good, "ann")),
        lambda: good.votes.take_back(1, bob),
        lambda: good.articles.set_groups(1, [], ["go"]),
        lambda: good.reports.make(1, bob, Reason.SPAM, ""),
    ):
        with pytest.raises(ArticleGone):
            act()
    assert snapshot(good) == before


@pytest.mark.parametrize("act", [remove, lambda store: store.removals.delete(1)], ids=["removed", "deleted"])
@pytest.mark.parametrize("order", [Order.SCORE, Order.TIME])
def test_a_combined_list_made_before_drops_it_when_shown(store: Store, act: Any, order: Order) -> None:
    for _ in range(2):
        factories.article(store, groups=("go", "redis"))
    which = store.rankings.groups(["go", "redis"], order)
    assert ids_of(page(store, which).rows) == [2, 1]
    act(store)
    assert run(store, "ZSCORE", which.key, "article:1") is not None  # it still holds both
    assert ids_of(page(store, which).rows) == [2]


def test_what_went_out_of_a_good_list_by_another_rule_comes_back_by_it(good: Store) -> None:
    remove(good)
    stricter = build_store(good.connection, replace(good.doctor._settings, good_votes=3, vote_score=100.0))
    restore(stricter)
    assert ids(good, "good:") == []
    assert run(good, "ZSCORE", "score:", "article:1") == pytest.approx(whole(good).time + 200, abs=1e-6)


def test_an_old_article_comes_back_without_its_link_being_asked_about(store: Store) -> None:
    old = factories.imported(store, time=time.time() - 31 * 86_400, groups=("go",))
    remove(store)
    restore(store)
    assert (ids(store, "time:go"), ids(store, LISTS[-1])) == ([old.id], [])
    assert broken(store) == []


def test_the_articles_of_nobody_we_know_are_removed_and_restored_too(store: Store) -> None:
    article = factories.article(store, groups=("go",), link="http://[no address")
    run(store, "HSET", "article:1", "poster", "user:83271")
    run(store, "DEL", "posted:ann")
    assert broken(store) == []
    remove(store)
    assert (run(store, "EXISTS", "gone:user:83271"), broken(store)) == (0, [])
    restore(store)
    assert (run(store, "EXISTS", "posted:user:83271"), broken(store)) == (0, [])
    assert ids(store, "time:go") == [article.id]


def test_removing_settles_the_reports(store: Store) -> None:
    article = factories.article(store)
    store.reports.make(article.id, factories.user(store, "bob"), Reason.SPAM, "")
    remove(store)
    assert run(store, "EXISTS", "reports:", "report:1") == 0
    restore(store)
    assert run(store, "EXISTS", "reports:", "report:1") == 0


def test_deleting_after_the_groups_or_the_link_changed_reads_them_anew(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, article = factories.user(store), factories.article(store, groups=("go",))
    factories.group(store, "redis")
    script, done = store.connection.script, []

    def after_a_change(name: str, *rest: Any) -> Any:
        if name == "unlist_article" and not done:
            done.append(name)
            store.articles.set_groups(article.id, ["redis"], ["go"])
        return script(name, *rest)

    monkeypatch.setattr(store.connection, "script", after_a_change)
    store.removals.delete(article.id, ann)
    assert (ids(store, "time:redis"), broken(store)) == ([], [])
