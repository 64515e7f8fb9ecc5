"""Reports: made once, counted, settled."""

import pytest

from tests import factories
from tests.store.examination import broken, run, snapshot
from tests.store.test_listings import ids_of, page
from tests.store.test_races import at_once
from voteweb.core.errors import AlreadyReported, ArticleGone, NoSuchArticle
from voteweb.core.models import LogAction, Reason, Report
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

DISMISS = NewLogEntry(LogAction.DISMISS, "Mod", about="ann", article=1, title="Redis in Action")


def count(store: Store) -> int:
    pipeline = store.pipeline()
    asked = store.reports.queue_count(pipeline)
    pipeline.execute()
    return asked.result


def opened(store: Store) -> dict[int, tuple[Report, ...]]:
    pipeline = store.pipeline()
    asked = store.reports.queue_open(pipeline, page(store, store.rankings.reported()).rows)
    pipeline.execute()
    return asked.result


def test_a_report_is_kept_with_its_reason_its_note_and_its_time(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "Bob")
    store.reports.make(article.id, bob, Reason.TOPIC, 'a "note" / 编程')
    (report,) = opened(store)[article.id]
    assert report == Report("Bob", Reason.TOPIC, 'a "note" / 编程', report.time)
    assert report.time == pytest.approx(article.time, abs=60)
    assert store.reports.made_by(bob) == {article.id: report}
    assert broken(store) == []


def test_the_most_reported_stands_first_and_the_count_is_of_articles(store: Store) -> None:
    for _ in range(3):
        factories.article(store)
    members = factories.users(store, 3)
    for id, often in ((1, 2), (2, 3), (3, 1)):
        for member in members[:often]:
            store.reports.make(id, member, Reason.SPAM, "")
    assert ids_of(page(store, store.rankings.reported()).rows) == [2, 1, 3]
    assert count(store) == 3
    assert [report.by for report in opened(store)[2]] == ["member0", "member1", "member2"]
    assert broken(store) == []


def test_a_member_reports_an_article_once_even_after_it_was_settled(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    store.reports.make(article.id, bob, Reason.SPAM, "")
    with pytest.raises(AlreadyReported):
        store.reports.make(article.id, bob, Reason.RULES, "again")
    assert store.reports.dismiss(article.id, DISMISS)
    with pytest.raises(AlreadyReported):
        store.reports.make(article.id, bob, Reason.RULES, "again")
    assert count(store) == 0
    store.reports.make(article.id, factories.user(store, "cid"), Reason.RULES, "")
    assert count(store) == 1
    assert broken(store) == []


def test_settling_leaves_the_article_and_is_in_the_log_once(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    before = snapshot(store)
    store.reports.make(article.id, factories.user(store, "bob"), Reason.SPAM, "")
    assert store.reports.dismiss(article.id, DISMISS) is True
    assert store.reports.dismiss(article.id, DISMISS) is False
    after = {key: value for key, value in snapshot(store).items() if not key.startswith(("log", "reported:", "user:"))}
    assert after == {key: value for key, value in before.items() if not key.startswith("user:")}
    assert run(store, "ZCARD", "log:") == 1


def test_what_is_unknown_or_gone_cannot_be_reported(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    with pytest.raises(NoSuchArticle):
        store.reports.make(77, bob, Reason.SPAM, "")
    store.removals.delete(article.id, factories.user(store))
    with pytest.raises(ArticleGone):
        store.reports.make(article.id, bob, Reason.SPAM, "")
    assert count(store) == 0


def test_reports_against_settling_and_removing_leave_no_orphans(store: Store) -> None:
    for _ in range(3):
        factories.article(store)
    members = factories.users(store, 12)
    acts = [lambda m=m, id=id: store.reports.make(id, m, Reason.SPAM, "") for m in members for id in (1, 2, 3)]  # type: ignore[misc]
    acts += [lambda: store.reports.dismiss(1, DISMISS)] * 6
    acts += [lambda: store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "Mod", article=2, why="spam"))] * 3
    at_once(acts)
    assert broken(store) == []
    assert 2 not in ids_of(page(store, store.rankings.reported()).rows)
