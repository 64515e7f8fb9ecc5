"""Reports: one per member and article, counted, and closed by moderators."""

import json

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, refused, run
from tests.store.queries import reported
from voteweb.core import config
from voteweb.core.comments import CommentId, NoticeKind
from voteweb.core.errors import AlreadyReported, ArticleGone, NothingToUndo, ReportedAgain
from voteweb.core.models import LogAction, LogEntry, OpenReports, Reason, Report, User
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")

DISMISS = LogEntry(LogAction.DISMISS, "Mod", about="ann", article=1, title="Redis in Action")


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


def test_a_site_without_comments_counts_and_lists_articles_only(make_store: MakeStore) -> None:
    store = make_store(comments=0)
    for id in (factories.article(store).id, factories.comment(store)):
        store.reports.make(id, factories.user(store, "bob"), Reason.SPAM, "")
    assert (count_reported(store), [row.comment for row in reported(store)]) == (1, [None])


def test_a_member_reports_an_article_once_even_after_dismissal(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "Bob")
    store.reports.make(article.id, bob, Reason.TOPIC, 'a "note" / 编程')
    (report,) = open_reports(store)[article.id].rows
    assert report == Report("Bob", Reason.TOPIC, 'a "note" / 编程', pytest.approx(article.time, abs=60))
    assert store.reports.made_by(bob) == {article.id: report}
    with pytest.raises(AlreadyReported):
        store.reports.make(article.id, bob, Reason.RULES, "again")
    assert [store.reports.dismiss(article.id, DISMISS) for _ in range(2)] == [True, False]
    assert (store.reports.made_by(bob), run(store, "LLEN", "log:")) == ({article.id: None}, 1)
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
    run(store, "ZADD", "reports:", report["time"], "article:1")
    queued = open_reports(store)[article.id]
    assert (len(queued.rows), queued.total) == (config.QUEUED_REPORTS, 1000)
    pages = [store.read(store.reports.queue_open_page, article.id, 0)]
    while pages[-1].next:
        pages.append(store.read(store.reports.queue_open_page, article.id, pages[-1].next))
    assert {report.by for page in pages for report in page.rows} == names
    assert max(len(page.rows) for page in pages) < 2 * config.REPORT_PAGE_SIZE


def dismiss(store: Store, mod: User, id: int | CommentId = 1) -> int:
    """Dismiss the reports of an article or a comment; return the id of the act."""
    article, number = id if isinstance(id, CommentId) else (id, 0)
    store.reports.dismiss(id, LogEntry(LogAction.DISMISS, "mod", article=article, comment=number), actor=mod)
    return int(run(store, "LLEN", "log-entries:"))


@pytest.fixture
def bob(store: Store) -> User:
    """A member who reported an article and a comment on it."""
    bob = factories.user(store, "bob")
    for id in (factories.article(store).id, factories.comment(store)):
        store.reports.make(id, bob, Reason.SPAM, "a note")
    return bob


def test_an_undone_dismissal_opens_the_reports_again(store: Store, mod: User, bob: User) -> None:
    before = store.reports.made_by(bob)
    for id in before:
        act = dismiss(store, mod, id)
        assert 0 < run(store, "TTL", f"dismissed:{id}") <= config.UNDO_SECONDS
        store.undoing.undo(act, mod)
        assert store.reports.made_by(bob) == before
        notice = store.read(store.inbox.queue_page, "bob", 1).rows[0]
        assert (notice.kind, notice.log and notice.log.undone) == (NoticeKind.REPORT, True)
        assert store.undoing.undo(act, mod) == 0, "sent again"
    assert (count_reported(store), run(store, "KEYS", "dismissed:*")) == (2, [])
    assert run(store, "TTL", "report:1") == -1


BETWEEN = {
    "removed": (ArticleGone, lambda store, mod: factories.remove(store)),
    "removed and restored": (NothingToUndo, lambda store, mod: (factories.remove(store), factories.restore(store))),
    "too late": (NothingToUndo, lambda store, mod: run(store, "UNLINK", "dismissed:1")),
    "reported again": (ReportedAgain, lambda store, mod: store.reports.make(1, mod, Reason.RULES, "")),
    "dismissed again": (
        NothingToUndo,
        lambda store, mod: (store.reports.make(1, mod, Reason.RULES, ""), dismiss(store, mod)),
    ),
}


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.usefixtures("bob")
def test_a_dismissal_stays_once_something_else_was_decided(store: Store, mod: User, between: str) -> None:
    refusal, act = BETWEEN[between]
    dismissal = dismiss(store, mod)
    act(store, mod)
    with refused(store, refusal):
        store.undoing.undo(dismissal, mod)


def test_words_of_dismissed_reports_go_with_the_reporter_or_article(store: Store, mod: User, bob: User) -> None:
    for end in (lambda: list(store.reports.withdraw_all("bob")), lambda: store.removals.delete(1)):
        dismiss(store, mod)
        end()
        assert run(store, "EXISTS", "dismissed:1") == 0
        store.reports.make(1, bob, Reason.SPAM, "a note") if factories.stored_article(store).is_listed else None


def test_the_first_open_report_gives_an_article_its_place(store: Store, mod: User, bob: User) -> None:
    factories.article(store)
    for id in (2, 1):
        store.reports.make(id, mod, Reason.SPAM, "")
    assert list(open_reports(store)) == [1, 2]
    list(store.reports.withdraw_all("bob"))
    assert list(open_reports(store)) == [2, 1]
    store.undoing.undo(dismiss(store, mod, 2), mod)
    assert list(open_reports(store)) == [2, 1]
