"""The results of searches, read by id: in this order, and without those that nobody can read."""

from tests import factories
from tests.store.examination import run
from tests.store.thread_data import node, write_thread
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.store import Store


def test_votes_of_articles_and_comments_are_read(store: Store) -> None:
    for votes in (5, 1_200, 7):
        factories.imported(store, votes=votes)
    write_thread(store, 1, [node(1, votes=3), node(2, votes=4)])
    run(store, "HSET", "article:3", "votes", "many")
    run(store, "HSET", "thread:1", 2, "no comment")
    assert store.read(store.votes.queue_counts, [2, 3, 99, 1]) == [1_200, 0, 0, 5]
    assert store.read(store.votes.queue_counts, [CommentId(1, 2), CommentId(1, 1), CommentId(9, 1)]) == [0, 3, 0]


def test_comments_come_in_order_with_context_unless_gone(store: Store) -> None:
    factories.article(store, title="A title")
    write_thread(store, 1, [node(1), node(2, parent=1), node(3, status=CommentStatus.REMOVED)])
    ids = [CommentId(1, number) for number in (2, 3, 1, 9)]
    told = [(row.id.number, row.title, row.text, row.answers) for row in store.read(store.listings.queue_comments, ids)]
    assert told == [(2, "A title", "Comment 2", "bob"), (1, "A title", "Comment 1", "")]
    assert store.read(store.listings.queue_comments, []) == ()
