"""Moderated comments: removed and restored, alone or with their replies; conversations closed and reopened."""

from functools import partial
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.concurrency import overtaken
from tests.store.examination import broken, refused, run, snapshot, unchanged
from voteweb.core import config
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import (
    ArticleGone,
    CommentGone,
    ConversationClosed,
    ConversationEnded,
    NoSuchComment,
    ParentGone,
)
from voteweb.core.models import LogAction, LogEntry, Reason, User
from voteweb.store import Store
from voteweb.store.moderation import removals

FIRST = CommentId(1, 1)


def entry(kind: LogAction, who: str = "mod", article: int = 1) -> LogEntry:
    return LogEntry(kind, who, article=article, why="heated")


def remove(store: Store, number: int = 1, by: str = "mod", *, with_replies: bool = False) -> None:
    factories.remove(store, CommentId(1, number), by=by, with_replies=with_replies)


def restore(store: Store, number: int = 1) -> None:
    factories.restore(store, CommentId(1, number))


def gone(store: Store) -> list[int]:
    """Return the numbers of the comments that count as gone, once no removal waits to be counted."""
    numbers = store.threads.get(1).nodes
    hidden = [number for number in numbers if run(store, "GETBIT", "hidden:1", number)]
    assert store.articles.get(1).comments == len(numbers) - len(hidden)
    assert (run(store, "EXISTS", "removing:"), broken(store)) == (0, [])
    return hidden


@pytest.mark.parametrize("last", ["1e300", "inf", "99999999999"])
def test_a_removal_ends_though_nobody_knows_the_last_comment(store: Store, last: str) -> None:
    factories.article(store)
    factories.comment(store, 1)
    run(store, "HSET", "thread:1", "last", last)
    remove(store, with_replies=True)
    assert run(store, "SMEMBERS", "removing:") == set()


def notices(store: Store, name: str) -> list[str]:
    """Return the entries of an inbox about acts of moderators without their times, oldest first."""
    entries = [text.rpartition(" ")[0] for text in reversed(run(store, "LRANGE", f"inbox:{name}", 0, -1))]
    return [text for text in entries if " log-" in text]


@pytest.fixture
def site(store: Store, sound: None) -> Store:
    """A site with an article of bob's and comments of ann's: 2 and 3 answer 1, 4 answers 3, 5 stands alone."""
    factories.article(store, factories.user(store, "bob"))
    for parent in (0, 1, 1, 3, 0):
        factories.comment(store, 1, parent=parent)
    return store


def without_log(store: Store) -> dict[str, Any]:
    """Return the database but the bits, what grows with every act, and the revision of the thread."""
    run(store, "HSET", "thread:1", "rev", 0)
    grows = ("log", "inbox:", "unread:", "hidden:", "changes:")
    return {key: value for key, value in snapshot(store).items() if not key.startswith(grows)}


@pytest.mark.parametrize(("with_replies", "expected"), [(False, [1]), (True, [1, 2, 3, 4])])
def test_restoring_undoes_the_first_removal_completely(site: Store, with_replies: bool, expected: list[int]) -> None:
    site.votes.cast(FIRST, factories.user(site, "bob"))
    before = without_log(site)
    remove(site, with_replies=with_replies)
    with unchanged(site):
        remove(site, with_replies=with_replies)
    with refused(site, CommentGone):
        remove(site, with_replies=not with_replies)
    thread = site.threads.get(1)
    assert (thread.nodes[1].status, thread.nodes[1].votes, thread.reasons[1]) == (CommentStatus.REMOVED, 1, "Spam.")
    assert run(site, "HGET", "words:1", 1) == "Well said."
    assert gone(site) == expected
    restore(site)
    assert without_log(site) == before
    assert gone(site) == []


def test_replies_come_back_whose_parent_was_deleted_with_its_author(site: Store) -> None:
    remove(site, with_replies=True)
    site.removals.delete(FIRST)  # as the deletion of the account does
    assert gone(site) == [1, 2, 3, 4]
    restore(site)
    assert gone(site) == [1]
    assert (site.threads.get(1).nodes[1].status, site.threads.get(1).reasons) == (CommentStatus.DELETED, {})
    with pytest.raises(CommentGone):
        restore(site)


def test_what_was_gone_before_stays_gone_after_restoring(site: Store) -> None:
    site.removals.delete(CommentId(1, 2), factories.user(site))
    remove(site, 4)
    remove(site, 3, with_replies=True)
    remove(site, with_replies=True)
    assert gone(site) == [1, 2, 3, 4]
    assert [row.comments for row in site.read(site.users.queue_members, ["ann"])] == [1]
    restore(site)
    restore(site, 4)  # it stays below one that is removed
    assert gone(site) == [2, 3, 4]
    remove(site, with_replies=True)
    restore(site, 3)
    assert gone(site) == [1, 2, 3, 4]
    with pytest.raises(CommentGone):
        site.reports.make(CommentId(1, 4), factories.user(site, "bob"), Reason.SPAM, "")
    restore(site)
    assert gone(site) == [2]


def cut_off(store: Store, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove a comment with its replies, and be killed before they are counted."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store.removals, "finish", killed)
        with pytest.raises(KeyboardInterrupt):
            remove(store, number, with_replies=True)


def test_the_job_or_another_removal_finishes_an_interrupted_one(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.comment(site, 1, parent=5)
    site.reports.make(CommentId(1, 4), factories.user(site, "cid"), Reason.SPAM, "")
    cut_off(site, 1, monkeypatch)
    monkeypatch.setattr(config, "LOG_PAGE_SIZE", 1)
    remove(site, 6)  # the first removal is none of the newest
    assert (run(site, "SMEMBERS", "removing:"), broken(site)) == ({"1"}, [])
    with pytest.raises(ParentGone):  # it is invisible already
        factories.comment(site, 1, parent=4)
    with overtaken(site, partial(factories.comment, site, 1)):
        list(site.removals.steps())
    assert gone(site) == [1, 2, 3, 4, 6]
    restore(site)
    cut_off(site, 5, monkeypatch)
    remove(site, with_replies=True)
    assert gone(site) == [1, 2, 3, 4, 5, 6]


def test_unknown_and_deleted_comments_are_refused(site: Store) -> None:
    site.removals.delete(FIRST, factories.user(site))
    for act in (remove, restore):
        with refused(site, NoSuchComment):
            act(site, 77)
        with refused(site, CommentGone):
            act(site)


@pytest.mark.parametrize(("id", "author"), [(FIRST, "ann"), (1, "bob")])
def test_author_and_reporters_are_told_once_of_others_acts(
    site: Store, mod: User, id: int | CommentId, author: str
) -> None:
    for member in (site.users.get(author), factories.user(site, "cid"), mod):
        site.reports.make(id, member, Reason.RULES, "")
    factories.remove(site, id)
    assert [notices(site, name) for name in (author, "cid", "mod")] == [["removed log-1"], ["report log-1"], []]
    assert run(site, "EXISTS", "reports:", "comment-report:1.1", "report:1") == 0
    factories.restore(site, id)
    assert [notices(site, name)[1:] for name in (author, "cid")] == [["removed log-2"], []]


def test_a_removal_with_replies_settles_reports_below_it(site: Store, mod: User) -> None:
    ann, cid = site.users.get("ann"), factories.user(site, "cid")
    for number, reporter in ((3, cid), (4, cid), (4, mod), (4, ann), (5, cid)):
        site.reports.make(CommentId(1, number), reporter, Reason.RULES, "")
    remove(site, with_replies=True)
    assert run(site, "EXISTS", "comment-report:1.3", "comment-report:1.4") == 0
    assert [notices(site, name) for name in ("ann", "cid", "mod")] == [["removed log-1"], ["report log-1"], []]
    restore(site)
    assert run(site, "ZRANGE", "reports:", 0, -1) == ["comment:1.5"]


def test_reports_a_removal_covers_are_settled_while_another_is_counted(
    site: Store, mod: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one has looked for open reports already, and the removal itself was cut off before it did."""
    site.reports.make(CommentId(1, 4), mod, Reason.RULES, "")
    settle, calls = removals.settle_covered, iter([0])

    def settle_later(*arguments: Any) -> None:
        if next(calls, None) is None:
            settle(*arguments)

    monkeypatch.setattr(removals, "settle_covered", settle_later)
    remove(site, 3, with_replies=True)
    assert (run(site, "EXISTS", "reports:"), gone(site)) == (0, [3, 4])


def test_of_many_reporters_some_are_told(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_TOLD_REPORTERS", 2)
    for member in factories.users(site, 3):
        site.reports.make(FIRST, member, Reason.SPAM, "")
    remove(site)
    assert sorted(notices(site, f"member{i}") for i in range(3)) == [[], ["report log-1"], ["report log-1"]]


def test_a_closed_conversation_takes_nothing_until_it_is_reopened(site: Store) -> None:
    voters = run(site, "EXPIRETIME", "voted-comments:1-0")
    for id in (1, factories.article(site).id):  # the second has no comment yet
        for _ in range(2):
            site.threads.set_closed(id, entry(LogAction.CLOSE, article=id), actor=None, closes=True)
        thread = site.threads.get(id)
        assert (thread.closed > 0, thread.close_reason) == (True, "heated")
        with pytest.raises(ConversationClosed, match="heated"):
            factories.comment(site, id)
        for _ in range(2):
            site.threads.set_closed(id, entry(LogAction.REOPEN, article=id), actor=None, closes=False)
        factories.comment(site, id)
    assert run(site, "EXPIRETIME", "voted-comments:1-0") == voters
    assert run(site, "LLEN", "log:") == 4
    assert site.votes.cast(FIRST, factories.user(site, "bob")) == 1


def test_what_has_ended_or_is_gone_is_not_closed(make_store: MakeStore) -> None:
    store = make_store(commenting_seconds=1)
    factories.article(store)
    run(store, "HINCRBYFLOAT", "article:1", "time", -2)
    with pytest.raises(ConversationEnded):
        store.threads.set_closed(1, entry(LogAction.CLOSE), actor=None, closes=True)
    store.removals.delete(1)
    with pytest.raises(ArticleGone):
        store.threads.set_closed(1, entry(LogAction.CLOSE), actor=None, closes=True)
