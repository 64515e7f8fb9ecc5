"""Moderated comments: removed and restored, alone or with their replies; conversations closed and reopened."""

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.concurrency import at_once
from tests.store.examination import broken, run, snapshot
from tests.store.queries import logged_act
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import (
    ArticleGone,
    CommentGone,
    ConversationClosed,
    ConversationEnded,
    NoSuchComment,
    NothingToUndo,
    ParentGone,
)
from voteweb.core.models import LogAction, Reason, User
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

FIRST = CommentId(1, 1)


def entry(kind: LogAction, number: int = 1, who: str = "mod", **more: Any) -> NewLogEntry:
    return NewLogEntry(kind, who, about="ann", article=1, comment=number, title="title", why="rude", **more)


def remove(store: Store, number: int = 1, *, with_replies: bool = False, **more: Any) -> None:
    removal = entry(LogAction.REMOVE, number, **more)
    store.removals.remove(CommentId(1, number), removal, with_replies=with_replies, actor=None)


def restore(store: Store, number: int = 1, **more: Any) -> None:
    store.removals.restore(CommentId(1, number), entry(LogAction.RESTORE, number, **more), actor=None)


def hidden(store: Store) -> list[int]:
    """Return the numbers of the comments that count as gone."""
    return [number for number in store.threads.get(1).nodes if run(store, "GETBIT", "hidden:1", number)]


@pytest.mark.parametrize("last", ["1e300", "inf", "99999999999"])
def test_a_removal_ends_though_nobody_knows_the_last_comment(store: Store, last: str) -> None:
    factories.article(store)
    factories.comment(store, 1)
    run(store, "HSET", "thread:1", "last", last)
    remove(store, with_replies=True)
    assert run(store, "SMEMBERS", "removing:") == set()


def count(store: Store) -> int:
    """Return the number of comments that lists show."""
    return int(run(store, "HGET", "article:1", "comments"))


def notices(store: Store, name: str) -> list[str]:
    """Return the entries of an inbox without their times, oldest first."""
    return [text.rpartition(" ")[0] for text in reversed(run(store, "LRANGE", f"inbox:{name}", 0, -1))]


@pytest.fixture
def site(store: Store) -> Store:
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


@pytest.mark.parametrize(("with_replies", "gone"), [(False, [1]), (True, [1, 2, 3, 4])])
def test_restoring_undoes_a_removal_completely(site: Store, with_replies: bool, gone: list[int]) -> None:
    site.votes.cast(FIRST, factories.user(site, "bob"))
    before = without_log(site)
    remove(site, with_replies=with_replies)
    thread = site.threads.get(1)
    assert (thread.nodes[1].status, thread.nodes[1].votes, thread.reasons[1]) == (CommentStatus.REMOVED, 1, "rude")
    assert (hidden(site), count(site)) == (gone, 5 - len(gone))
    assert (run(site, "HGET", "words:1", 1), run(site, "EXISTS", "removing:")) == ("Well said.", 0)
    assert broken(site) == []
    restore(site)
    assert without_log(site) == before
    assert broken(site) == []


def test_replies_come_back_whose_removed_parent_was_deleted_with_its_author(site: Store) -> None:
    remove(site, with_replies=True)
    site.removals.delete(FIRST)  # as the deletion of the account does
    assert (hidden(site), count(site)) == ([1, 2, 3, 4], 1)
    restore(site)
    assert (hidden(site), count(site)) == ([1], 4)
    assert site.threads.get(1).nodes[1].status is CommentStatus.DELETED
    assert (site.threads.get(1).reasons, broken(site)) == ({}, [])
    with pytest.raises(CommentGone):
        restore(site)


@pytest.mark.parametrize("with_replies", [True, False])
def test_a_second_removal_changes_nothing(site: Store, with_replies: bool) -> None:
    remove(site, with_replies=with_replies)
    before = snapshot(site)
    remove(site, with_replies=not with_replies)
    assert snapshot(site) == before


def test_what_was_gone_before_stays_gone_after_restoring(site: Store) -> None:
    site.removals.delete(CommentId(1, 2), factories.user(site))
    remove(site, 3, with_replies=True)
    remove(site, with_replies=True)
    assert (hidden(site), count(site)) == ([1, 2, 3, 4], 1)
    restore(site)
    assert (hidden(site), count(site)) == ([2, 3, 4], 2)
    assert broken(site) == []
    remove(site, with_replies=True)
    restore(site, 3)  # it stays below one that is removed
    assert (hidden(site), count(site)) == ([1, 2, 3, 4], 1)
    restore(site)
    assert (hidden(site), count(site)) == ([2], 4)
    assert broken(site) == []


def test_below_a_removed_comment_nothing_is_written(site: Store) -> None:
    remove(site, with_replies=True)
    for number in (1, 4):
        with pytest.raises(ParentGone):
            factories.comment(site, 1, parent=number)
    with pytest.raises(CommentGone):
        site.votes.cast(CommentId(1, 4), factories.user(site, "bob"))
    with pytest.raises(CommentGone):
        site.reports.make(CommentId(1, 4), factories.user(site, "bob"), Reason.SPAM, "")


def cut_off(store: Store, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove a comment with its replies, and be killed before they are counted."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store.removals, "finish", killed)
        with pytest.raises(KeyboardInterrupt):
            remove(store, number, with_replies=True)


def test_a_removal_that_was_cut_off_is_finished_by_the_job(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(120):
        factories.comment(site, 1, parent=1)
    cut_off(site, 1, monkeypatch)
    assert run(site, "SMEMBERS", "removing:") == {"1"}
    with pytest.raises(ParentGone):  # it is invisible already
        factories.comment(site, 1, parent=100)
    assert broken(site) == []
    for _ in site.removals.steps():
        pass
    assert (run(site, "EXISTS", "removing:"), count(site)) == (0, 1)
    assert broken(site) == []


def test_a_removal_while_another_waits_to_be_counted_is_counted_too(
    site: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(120):
        factories.comment(site, 1, parent=5)
    cut_off(site, 5, monkeypatch)
    remove(site, with_replies=True)
    assert (run(site, "EXISTS", "removing:"), count(site)) == (0, 0)
    assert broken(site) == []


def test_what_is_written_while_a_removal_is_counted_is_counted_too(
    site: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(site, 1, monkeypatch)
    command, others = site.connection.command, iter([0])

    def write_meanwhile(*arguments: Any) -> Any:
        reply = command(*arguments)
        if arguments[0] == "HGETALL" and next(others, None) is not None:
            factories.comment(site, 1)
        return reply

    monkeypatch.setattr(site.connection, "command", write_meanwhile)
    site.removals.finish(1)
    assert (list(others), run(site, "EXISTS", "removing:")) == ([], 0)
    assert broken(site) == []


def test_unknown_and_deleted_comments_are_refused(site: Store) -> None:
    site.removals.delete(FIRST, factories.user(site))
    before = snapshot(site)
    for act in (remove, restore):
        with pytest.raises(NoSuchComment):
            act(site, 77)
        with pytest.raises(CommentGone):
            act(site)
    assert snapshot(site) == before


def test_only_a_removal_in_force_can_be_undone(site: Store) -> None:
    remove(site)
    remove(site, 5)
    restore(site, undoes=1)
    undone = logged_act(site, 1)
    assert undone.undone
    assert hidden(site) == [5]
    remove(site)
    with pytest.raises(NothingToUndo):
        restore(site, undoes=1)
    assert hidden(site) == [1, 5]


def test_author_and_reporters_are_told(site: Store, mod: User) -> None:
    for name in ("bob", "cid"):
        site.reports.make(FIRST, factories.user(site, name), Reason.RULES, "")
    site.reports.make(FIRST, mod, Reason.RULES, "")
    remove(site)
    assert [notices(site, name)[-1] for name in ("ann", "bob", "cid")] == [
        "removed log-1",
        "report log-1",
        "report log-1",
    ]
    assert notices(site, "mod") == []  # their own act
    assert run(site, "EXISTS", "reports:", "comment-report:1.1") == 0
    restore(site)
    assert notices(site, "ann")[-1] == "removed log-2"
    assert "log-2" not in str(notices(site, "cid"))
    assert broken(site) == []


def test_a_member_who_reported_what_is_theirs_is_told_once(site: Store) -> None:
    site.reports.make(1, site.users.get("bob"), Reason.SPAM, "")
    site.removals.remove(1, NewLogEntry(LogAction.REMOVE, "mod", about="bob", article=1, why="spam"))
    assert [notice for notice in notices(site, "bob") if "log-1" in notice] == ["removed log-1"]
    assert run(site, "EXISTS", "reports:", "report:1") == 0


def test_a_removal_with_replies_settles_reports_below_it(site: Store, mod: User) -> None:
    ann, cid = site.users.get("ann"), factories.user(site, "cid")
    for number, reporter in ((3, cid), (4, cid), (4, mod), (4, ann), (5, cid)):
        site.reports.make(CommentId(1, number), reporter, Reason.RULES, "")
    remove(site, with_replies=True)
    assert run(site, "ZRANGE", "reports:", 0, -1) == ["comment:1.5"]
    assert run(site, "EXISTS", "comment-report:1.3", "comment-report:1.4") == 0
    assert [notices(site, name) for name in ("ann", "cid", "mod")] == [["removed log-1"], ["report log-1"], []]
    restore(site)
    assert run(site, "ZRANGE", "reports:", 0, -1) == ["comment:1.5"]
    assert broken(site) == []


def test_of_many_reporters_some_are_told(site: Store) -> None:
    for member in factories.users(site, 60):
        site.reports.make(FIRST, member, Reason.SPAM, "")
    remove(site)
    assert sum(notices(site, f"member{i}") == ["report log-1"] for i in range(60)) == 50


def test_author_and_reporters_of_an_article_are_told(site: Store) -> None:
    removal = NewLogEntry(LogAction.REMOVE, "mod", about="bob", article=1, why="spam")
    site.reports.make(1, factories.user(site, "cid"), Reason.SPAM, "")
    site.removals.remove(1, removal)
    site.removals.restore(1, NewLogEntry(LogAction.RESTORE, "mod", about="bob", article=1))
    assert notices(site, "bob")[-2:] == ["removed log-1", "removed log-2"]
    assert notices(site, "cid") == ["report log-1"]


def test_a_closed_conversation_takes_nothing_until_it_is_reopened(site: Store) -> None:
    voters = run(site, "EXPIRETIME", "voted-comments:1-0")
    closing = NewLogEntry(LogAction.CLOSE, "mod", article=1, why="heated")
    for _ in range(2):
        site.threads.close(1, closing, actor=None)
    thread = site.threads.get(1)
    assert (thread.closed > 0, thread.close_reason) == (True, "heated")
    with pytest.raises(ConversationClosed, match="heated"):
        factories.comment(site, 1)
    with pytest.raises(ConversationClosed):
        site.votes.cast(FIRST, factories.user(site, "bob"))
    assert run(site, "EXPIRETIME", "voted-comments:1-0") == voters
    for _ in range(2):
        site.threads.reopen(1, NewLogEntry(LogAction.REOPEN, "mod", article=1), actor=None)
    assert run(site, "LLEN", "log:") == 2
    factories.comment(site, 1)
    assert site.votes.cast(FIRST, factories.user(site, "bob")) == 1
    assert broken(site) == []


def test_a_conversation_can_be_closed_before_its_first_comment(store: Store) -> None:
    factories.article(store)
    store.threads.close(1, NewLogEntry(LogAction.CLOSE, "mod", article=1, why="heated"), actor=None)
    with pytest.raises(ConversationClosed):
        factories.comment(store, 1)
    assert broken(store) == []
    store.threads.reopen(1, NewLogEntry(LogAction.REOPEN, "mod", article=1), actor=None)
    assert factories.comment(store, 1) == FIRST
    assert broken(store) == []


def test_what_has_ended_or_is_gone_is_neither_closed_nor_reopened(make_store: MakeStore) -> None:
    store = make_store(commenting_seconds=1)
    factories.article(store)
    run(store, "HINCRBYFLOAT", "article:1", "time", -2)
    closing = NewLogEntry(LogAction.CLOSE, "mod", article=1, why="why")
    with pytest.raises(ConversationEnded):
        store.threads.close(1, closing, actor=None)
    run(store, "HSET", "thread:1", "closed", 1)
    with pytest.raises(ConversationEnded):
        store.threads.reopen(1, closing, actor=None)
    store.removals.delete(1)
    with pytest.raises(ArticleGone):
        store.threads.close(1, closing, actor=None)


def shuffled(actions: Sequence[partial[Any]], seed: int) -> list[partial[Any]]:
    return random.Random(seed).sample(list(actions), len(actions))


@pytest.mark.parametrize("seed", range(4))
def test_removals_restorations_and_deletions_at_once_count_once(site: Store, seed: int) -> None:
    ann = factories.user(site)
    for _ in range(8):
        factories.comment(site, 1, parent=4)
    actions = [partial(remove, site, number, with_replies=number % 2 == 1) for number in range(1, 6)] * 2
    actions += [partial(restore, site, number) for number in range(1, 6)] * 2
    actions += [partial(site.removals.delete, CommentId(1, number), ann) for number in (2, 4)] * 2
    actions += [partial(factories.comment, site, 1, ann, parent=number) for number in (1, 3, 5)]
    answers = at_once(shuffled(actions, seed))
    assert {answer for answer in answers if isinstance(answer, type)} <= {CommentGone, ParentGone}
    assert broken(site) == []
    for number in range(1, 6):
        if site.threads.get(1).nodes[number].status is CommentStatus.REMOVED:
            restore(site, number)
    nodes = site.threads.get(1).nodes.values()
    assert count(site) == sum(node.status is CommentStatus.VISIBLE for node in nodes)
    assert broken(site) == []


def test_equal_removals_and_closings_at_once_are_logged_once(site: Store) -> None:
    at_once([partial(remove, site, who=f"mod{i}", with_replies=True) for i in range(10)])
    assert (run(site, "LLEN", "log:"), count(site)) == (1, 1)
    closings = [NewLogEntry(LogAction.CLOSE, f"mod{i}", article=1, why="why") for i in range(10)]
    at_once([partial(site.threads.close, 1, closing, actor=None) for closing in closings])
    assert run(site, "LLEN", "log:") == 2
    assert broken(site) == []
