"""Lines of members about themselves: changed by them, reported by others, removed or left by moderators."""

import pytest

from tests import factories
from tests.store.examination import run
from voteweb.core.errors import AboutChanged
from voteweb.core.models import LogAction, LogEntry, User
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def ann(store: Store) -> User:
    """A member who says something about herself."""
    store.users.describe(factories.user(store), "I am Ann.")
    return store.users.get("ann")


def entry(why: str = "", by: str = "mod") -> LogEntry:
    return LogEntry(LogAction.ABOUT, by, about="ann", why=why)


def reported(store: Store) -> list[str]:
    """Return the names of those whose lines wait for a moderator."""
    page = store.read(store.waiting.queue_abouts, 1)
    assert len(page.rows) == page.total == store.read(store.waiting.queue_counts).abouts
    return list(page.rows)


def test_lines_are_reported_once_until_they_change(store: Store, ann: User, mod: User, bob: User) -> None:
    assert [store.waiting.report_about("Ann", bob) for _ in range(2)] == [True, False]
    for by, is_new in (("mod", True), ("sue", False)):
        assert store.waiting.judge_about("ann", "I am Ann.", entry(by=by), actor=mod) is is_new
    store.users.describe(ann, "I am Ann.")
    assert (reported(store), store.waiting.report_about("ann", bob)) == ([], False)
    store.users.describe(ann, "Buy!")
    assert store.waiting.report_about("ann", bob)
    store.users.describe(ann, "")
    assert reported(store) == []
    store.users.describe(ann, "Buy now!")  # the report of other lines stays, also of those that were deleted
    assert reported(store) == ["ann"]
    with pytest.raises(AboutChanged):
        store.waiting.judge_about("ann", "Buy!", entry("spam"), actor=mod)
    for by, is_new in (("mod", True), ("sue", False)):
        assert store.waiting.judge_about("ann", "Buy now!", entry("spam", by), actor=mod) is is_new
    assert (store.users.get("ann").about, reported(store)) == ("", [])
    assert not store.waiting.report_about("ann", bob)
    notices = store.read(store.inbox.queue_page, "ann", 1).rows
    assert [notice.log.why for notice in notices if notice.log] == ["spam"]


def test_lines_of_leaving_or_banned_members_do_not_wait(store: Store, ann: User, bob: User) -> None:
    store.waiting.report_about("ann", bob)
    factories.ban(store, "ann")
    assert reported(store) == []
    factories.lift(store, "ann")
    assert reported(store) == ["ann"]
    store.account_deletion.start(store.users.get("ann"), delete_articles=False)
    assert (reported(store), run(store, "HMGET", "user:ann", "about", "about-reported")) == ([], [None, None])
