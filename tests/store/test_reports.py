"""Reports: one per member and article, counted, and closed by moderators."""

import json
from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import broken, run, snapshot
from tests.store.queries import reported
from voteweb.core import config
from voteweb.core.errors import AlreadyReported
from voteweb.core.models import LogAction, OpenReports, Reason, Report
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

pytestmark = pytest.mark.usefixtures("sound")

DISMISS = NewLogEntry(LogAction.DISMISS, "Mod", about="ann", article=1, title="Redis in Action")


def count_reported(store: Store) -> int:
    return store.read(store.reports.queue_count)


def open_reports(store: Store) -> dict[int, OpenReports]:
    return {row.article.id: row.reports for row in reported(store) if row.article}


def test_a_report_that_cannot_be_read_stops_no_moderator(store: Store) -> None:
    article = factories.article(store)
    for end in (lambda: store.reports.dismiss(article.id, DISMISS), lambda: factories.remove(store)):
        run(store, "HSET", "report:1", "bob", '["nonsense"]')
        run(store, "ZADD", "reports:", 1, "article:1")
        assert open_reports(store)[article.id].rows == ()
        end()
        assert broken(store) == []


def test_a_member_reports_an_article_once_even_after_dismissal(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "Bob")
    store.reports.make(article.id, bob, Reason.TOPIC, 'a "note" / 编程')
    (report,) = open_reports(store)[article.id].rows
    assert report == Report("Bob", Reason.TOPIC, 'a "note" / 编程', pytest.approx(article.time, abs=60))
    assert store.reports.made_by(bob) == {article.id: report}
    with pytest.raises(AlreadyReported):
        store.reports.make(article.id, bob, Reason.RULES, "again")
    assert store.reports.dismiss(article.id, DISMISS)
    assert store.reports.made_by(bob) == {article.id: None}
    with pytest.raises(AlreadyReported):
        store.reports.make(article.id, bob, Reason.RULES, "again")
    assert count_reported(store) == 0
    store.reports.make(article.id, factories.user(store, "cid"), Reason.RULES, "")
    assert count_reported(store) == 1


def test_pages_of_many_reports_hold_each_report(store: Store) -> None:
    article = factories.article(store)
    report = {"reason": "spam", "note": "n" * 600, "time": 1_700_000_000}
    names = {f"member{i}" for i in range(1000)}
    run(store, "HSET", "report:1", *(item for name in names for item in (name, json.dumps({"by": name, **report}))))
    run(store, "ZADD", "reports:", 1000, "article:1")
    queued = open_reports(store)[article.id]
    assert (len(queued.rows), queued.total) == (config.QUEUED_REPORTS, 1000)
    pages = [store.read(store.reports.queue_open_page, article.id, 0)]
    while pages[-1].next:
        pages.append(store.read(store.reports.queue_open_page, article.id, pages[-1].next))
    assert {report.by for page in pages for report in page.rows} == names
    assert max(len(page.rows) for page in pages) < 2 * config.REPORT_PAGE_SIZE


def test_a_dismissal_keeps_the_article_and_is_logged_once(store: Store) -> None:
    article, bob = factories.article(store, groups=("go",)), factories.user(store, "bob")
    before = snapshot(store)
    store.reports.make(article.id, bob, Reason.SPAM, "")
    assert store.reports.dismiss(article.id, DISMISS) is True
    assert store.reports.dismiss(article.id, DISMISS) is False
    changed = ("log", "reported:", "user", "inbox:", "unread:", "stats:")
    after = {key: value for key, value in snapshot(store).items() if not key.startswith(changed)}
    assert after == {key: value for key, value in before.items() if not key.startswith("user")}
    assert run(store, "LLEN", "log:") == 1


def test_concurrent_reports_dismissals_and_removals_leave_no_orphans(store: Store) -> None:
    for _ in range(3):
        factories.article(store)
    members = factories.users(store, 12)
    actions = [partial(store.reports.make, id, member, Reason.SPAM, "") for member in members for id in (1, 2, 3)]
    actions += [partial(store.reports.dismiss, 1, DISMISS)] * 6
    actions += [partial(factories.remove, store, 2)] * 3
    at_once(actions)
    assert broken(store) == []
    assert 2 not in list(open_reports(store))
