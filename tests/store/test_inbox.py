"""Inboxes: the number in the header is that of the unread entries of the inbox, whatever happens."""

import time

import pytest

from tests import factories
from tests.store.examination import run
from tests.store.inboxes import page, unread, unread_comments
from tests.store.thread_data import node, write_thread
from voteweb.core import config
from voteweb.core.comments import CommentId, NoticeKind, Unread
from voteweb.core.models import LogAction, LogEntry, User
from voteweb.store import Store
from voteweb.store.members.viewers import InboxPage


@pytest.fixture(autouse=True)
def ann(store: Store) -> None:
    """A member who has written two articles."""
    factories.article(store)
    factories.article(store)


def tell(store: Store, *entries: str) -> list[str]:
    """Put entries without times into ann's inbox; return them with times, the newest first."""
    entries = tuple(f"{entry} {int(time.time())}" for entry in entries)
    for key in ("inbox:ann", "unread:ann"):
        run(store, "LPUSH", key, *entries)
    return list(reversed(entries))


def test_inbox_shows_comments_and_acts_with_their_context(store: Store) -> None:
    assert (unread(store), page(store)) == (Unread(), InboxPage((), 1, total=0, first_rank=1, more=False))
    reply = node(2, parent=1, author="bob")
    write_thread(store, 1, [node(1, author="ann"), reply])
    entry = LogEntry(LogAction.GROUPS, "mod", article=1, title="Redis in Action", why="Better there.")
    factories.group(store, "go")
    store.articles.set_groups(1, ["go"], [], entry)
    entries = tell(store, "removed log-1", "reply 1.2")
    first, second = page(store).rows
    assert first.comment is not None
    shown = (first.entry, first.kind, first.comment.node, first.comment.answers, first.comment.text)
    assert shown == (entries[0], NoticeKind.REPLY, reply, "ann", "Comment 2")
    assert (second.entry, second.kind, second.log) == (entries[1], NoticeKind.REMOVED, store.log.get(1))
    assert second.time == pytest.approx(time.time(), abs=60)
    assert unread(store) == Unread(2, {first.entry: CommentId(1, 2)})


def test_entry_tells_what_its_owner_can_do_with_it(store: Store, bob: User) -> None:
    ann = store.users.get("ann")
    question = factories.comment(store, 1, ann)
    answer = factories.comment(store, 1, bob, parent=question.number)
    factories.comment(store, 2, bob)

    def states() -> list[tuple[bool, bool, bool]]:
        return [(notice.is_open, notice.is_voted, notice.is_quiet) for notice in page(store).rows]

    assert states() == [(True, False, False)] * 2
    store.votes.cast(answer, ann)
    store.comments.set_quiet(2, 0, ann, is_quiet=True)
    assert states() == [(True, False, True), (True, True, False)]
    store.comments.set_quiet(1, question.number, ann, is_quiet=True)
    store.threads.set_closed(1, LogEntry(LogAction.CLOSE, "mod", article=1), actor=None, closes=True)
    run(store, "HSET", "thread:2", "closes", int(time.time()))
    assert states() == [(False, False, True), (False, True, True)]


def test_old_and_foreign_entries_count_as_none(store: Store) -> None:
    write_thread(store, 1, [node(1), node(2)])
    old = int(time.time()) - config.INBOX_SECONDS - 1
    foreign = ["what another program wrote", "reply 1.x 17", f"vote 1.1 {old * 2}", f"report log-77 {old * 2}"]
    for key in ("inbox:ann", "unread:ann"):
        run(store, "LPUSH", key, f"reply 1.1 {old}", *foreign, f"reply 1.2 {old + 60}")
    assert unread(store) == Unread(1, {f"reply 1.2 {old + 60}": CommentId(1, 2)})


def test_reading_some_comments_leaves_the_others(store: Store) -> None:
    write_thread(store, 1, [node(number) for number in range(1, 13)])
    entries = tell(store, *(f"article 1.{number}" for number in range(1, 13)))
    for _ in range(2):
        store.read(store.inbox.queue_mark_read, "Ann", [entries[0], entries[-1], "article 2.3 17"])
        assert unread_comments(store) == {CommentId(1, number) for number in range(2, 12)}
    assert page(store).total == 12


def test_all_as_read_leaves_what_came_later(store: Store) -> None:
    write_thread(store, 1, [node(number) for number in range(1, 7)])
    member = store.users.get("ann")
    _, shown, _ = tell(store, "article 1.1", "article 1.2", "article 1.3")
    tell(store, "article 1.4", "article 1.5")
    for entry in (shown, shown, "", "article 1.6 17", "nothing"):
        store.inbox.mark_all_read(member, entry)
        assert unread_comments(store) == {CommentId(1, number) for number in (3, 4, 5)}
    run(store, "LREM", "unread:ann", 0, run(store, "LINDEX", "inbox:ann", 1))  # already read by its page
    store.inbox.mark_all_read(member, run(store, "LINDEX", "inbox:ann", 1))
    assert unread_comments(store) == {CommentId(1, 5)}


def test_all_as_read_ends_with_the_oldest_that_was_shown(store: Store) -> None:
    write_thread(store, 1, [node(number) for number in range(1, 7)])
    entries = tell(store, *(f"article 1.{number}" for number in range(1, 7)))
    for _ in range(2):
        store.inbox.mark_all_read(store.users.get("ann"), entries[1], entries[3])
        assert unread_comments(store) == {CommentId(1, number) for number in (1, 2, 6)}


def test_full_inbox_has_pages(store: Store) -> None:
    write_thread(store, 1, [node(number) for number in range(1, config.INBOX_SIZE + 1)])
    tell(store, *(f"article 1.{number}" for number in range(1, config.INBOX_SIZE + 1)))
    second = page(store, 2)
    assert [notice.comment.id.number for notice in second.rows if notice.comment] == list(range(175, 150, -1))
    assert (second.total, second.first_rank, second.more, page(store, 8).more) == (200, 26, True, False)
    assert unread(store).count == config.INBOX_SIZE
