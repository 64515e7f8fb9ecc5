"""Reads of conversations: complete, current, and no more over the wire than this process does not know."""

from typing import Any

import pytest

from tests import factories
from tests.store.examination import recorded, run
from tests.store.thread_data import node, write_thread
from voteweb.core import config
from voteweb.core.comments import CommentId, CommentStatus, Thread
from voteweb.core.models import User
from voteweb.store import Store, build_store
from voteweb.store.comments import threads
from voteweb.store.comments.threads import SHORT_THREAD, ThreadRead

#: Comments that are sent at once to who has read an earlier state, in these tests: more than a short conversation has.
SENT_THREAD = SHORT_THREAD + 20


def read(store: Store, article_id: int = 1, **arguments: Any) -> ThreadRead:
    """Return a conversation as a page reads it."""
    return store.read(store.threads.queue_read, article_id, **arguments)


def commands_of_read(store: Store, article_id: int = 1, **arguments: Any) -> list[list[str]]:
    """Return the names of the commands of a read, trip by trip."""
    with recorded(store) as trips:
        read(store, article_id, **arguments)
    return [[command[0] for command in commands] for commands in trips]


def test_only_short_conversations_come_with_words_and_own_votes(store: Store) -> None:
    nodes = [node(1), node(2, parent=1, author="Zoë-陈"), node(3, status=CommentStatus.DELETED, author="")]
    write_thread(store, 1, nodes)
    run(store, "SADD", "voted-comments:1-0", 0, 2 * 2**32 + 7, 1 * 2**32 + 8)
    answer = read(store, viewer_id=7)
    assert answer.thread.nodes == {node.number: node for node in nodes}
    assert (answer.thread.article, answer.thread.last) == (1, 3)
    assert (answer.words, answer.voted, answer.numbers) == ({1: "Comment 1", 2: "Comment 2"}, {2}, None)
    assert read(store).voted == frozenset()
    assert read(store, 99, viewer_id=7) == ThreadRead(Thread(99))
    write_thread(store, 1, [node(number) for number in range(4, SHORT_THREAD + 2)])
    answer = read(store, viewer_id=7)
    assert len(answer.thread.nodes) == SHORT_THREAD + 1
    assert (answer.words, answer.voted, answer.numbers) == ({}, set(), set())
    for numbers, words in (([2, 3, 101, 102], {2: "Comment 2", 101: "Comment 101"}), ([], {})):
        assert store.read(store.threads.queue_words, 1, numbers) == words


def test_a_known_conversation_is_not_resent_yet_reads_are_current(store: Store) -> None:
    write_thread(store, 1, [node(1)])
    assert commands_of_read(store) == [["HGETALL", "EVALSHA"]]
    assert commands_of_read(store) == [["EVALSHA"]]
    before = read(store).thread
    assert read(store).thread is before
    write_thread(store, 1, [node(2)])
    assert commands_of_read(store) == [["EVALSHA"]]
    assert read(store).thread.nodes[1] is before.nodes[1]
    assert commands_of_read(store) == [["HGETALL", "EVALSHA"]]  # it may change again
    for changed in (node(3), node(2, votes=1)):
        write_thread(store, 1, [changed])
        for _ in range(2):
            assert read(store).thread.nodes[changed.number] == changed


def test_long_conversation_comes_if_changed_with_expected_and_new_comments(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "SENT_THREAD", SENT_THREAD)
    write_thread(store, 1, [node(number) for number in range(1, SENT_THREAD + 2)])
    assert commands_of_read(store) == [["HGETALL", "EVALSHA"]]
    for votes in (1, 2):
        write_thread(store, 1, [node(1, votes=votes)])
        assert commands_of_read(store) == [["EVALSHA"], ["HGETALL"]]
        assert commands_of_read(store) == [["EVALSHA"]]
        assert read(store).thread.nodes[1].votes == votes
    write_thread(store, 1, [node(SENT_THREAD + 2)])
    run(store, "SADD", "voted-comments:1-0", 5 * 2**32 + 7, 6 * 2**32 + 7)
    part = read(store, viewer_id=7, expect=lambda thread: (5, thread.last))
    assert part.words == {n: f"Comment {n}" for n in (5, SENT_THREAD + 1, SENT_THREAD + 2)}
    assert part.voted == {5}
    assert part.numbers is not None
    assert part.numbers > part.words.keys()


def test_conversation_without_a_revision_is_always_read(store: Store) -> None:
    """Another program may write what it likes."""
    write_thread(store, 1, [node(1)])
    run(store, "HDEL", "thread:1", "rev")
    read(store)
    run(store, "HSET", "thread:1", "2", "no comment", "3", "1 0 0 17.5 - bob", "last", "x")
    assert list(read(store).thread.nodes) == [1, 3]
    # A restore gives it the revision that it had, then the comments.
    run(store, "HSET", "thread:2", "last", 2, "rev", 17, "1", "0 0 0 17.5 - bob")
    assert list(read(store, 2).thread.nodes) == [1]
    run(store, "HSET", "thread:2", "2", "0 0 0 17.5 - bob")
    assert list(read(store, 2).thread.nodes) == [1, 2]


def test_known_conversations_have_a_bound(fake_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "THREAD_CACHE_SIZE", 3)
    monkeypatch.setattr(config, "THREAD_CACHE_COMMENTS", 6)
    store = build_store(fake_store.connection, fake_store.context.settings)
    for id, comments in enumerate((1, 1, 1, 1, 9), 1):
        write_thread(store, id, [node(number) for number in range(1, comments + 1)])
        read(store, id)
        if id > 3:  # the newest one leaves no room
            assert commands_of_read(store, {4: 1, 5: 4}[id]) == [["HGETALL", "EVALSHA"]]


def test_known_words_stay_where_they_are_until_one_changes(store: Store, bob: User) -> None:
    factories.article(store)
    for _ in range(2):
        factories.comment(store, 1, bob)
    first = read(store, viewer_id=bob.id)
    assert read(store, viewer_id=bob.id).words is first.words
    store.comments.edit(CommentId(1, 2), "Better said.", bob)
    for _ in range(2):
        assert read(store, viewer_id=bob.id).words == {1: "Well said.", 2: "Better said."}
    run(store, "HDEL", "words:1", 1)  # without a new revision, as no script does
    assert read(store, viewer_id=bob.id).words == {2: "Better said."}


def test_votes_for_comments_not_seen_yet_are_never_missing(store: Store, bob: User) -> None:
    article = factories.article(store)
    for count in (1, 3, 20):
        read(store, viewer_id=7)
        for _ in range(count):
            number = factories.comment(store, article, bob).number
            run(store, "SADD", "voted-comments:1-0", number * 2**32 + 7)
        answer = read(store, viewer_id=7)
        if count == 20:  # the page reads them in one more round trip
            assert answer.numbers == set()
        else:
            assert (answer.voted, answer.numbers) == (set(range(1, number + 1)), None)


def test_known_votes_are_read_again_after_any_change(store: Store, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    article, ann = factories.article(store), factories.user(store, "ann")
    comments = [factories.comment(store, article, bob) for _ in range(2)]
    monkeypatch.setattr(threads, "BUSY_SECONDS", 0.0)
    visitor: dict[str, Any] = {"viewer_id": ann.id, "visitor": "ann"}
    voted: set[int] = set()
    for comment in comments:
        store.votes.cast(comment, ann)
        voted.add(comment.number)
        assert [read(store, **visitor).voted for _ in range(3)] == [voted] * 3
        assert commands_of_read(store, **visitor) == [["EVALSHA"]]
    run(store, "DEL", "voted-comments:1-0")
    assert read(store, **visitor).voted == set()
