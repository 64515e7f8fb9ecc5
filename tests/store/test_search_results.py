"""The results of searches, read by id: in this order, and without those that nobody can read."""

from tests import factories
from tests.store.examination import run
from tests.store.thread_data import node, write_thread
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.store import Store


def test_articles_come_in_order_with_texts_unless_removed(store: Store) -> None:
    for number in range(1, 4):
        factories.article(store, title=f"Article {number}", link="", text=f"Text {number}")
    factories.remove(store, 2)
    articles = store.read(store.listings.queue_articles, [3, 2, 99, 1], with_text=True)
    assert [(row.id, row.text) for row in articles] == [(3, "Text 3"), (1, "Text 1")]


def test_votes_of_articles_and_comments_are_read(store: Store) -> None:
    for votes in (5, 1_200, 7):
        factories.imported(store, votes=votes)
    write_thread(store, 1, [node(1, votes=3), node(2, votes=4)])
    run(store, "HSET", "article:3", "votes", "many")
    run(store, "HSET", "thread:1", 2, "no comment")
    pipeline = store.pipeline()
    articles = store.votes.queue_counts(pipeline, [2, 3, 99, 1])
    comments = store.votes.queue_counts(pipeline, [CommentId(1, 2), CommentId(1, 1), CommentId(9, 1)])
    pipeline.execute()
    assert (articles.result, comments.result) == ([1_200, 0, 0, 5], [0, 3, 0])


def test_comments_come_in_order_with_context_unless_gone(store: Store) -> None:
    for _ in range(2):
        factories.article(store, title="A title")
    first, removed = node(1, author="bob"), node(3, status=CommentStatus.REMOVED)
    write_thread(store, 1, [first, node(2, parent=1), removed, node(4, parent=3)])
    write_thread(store, 2, [node(1)])
    run(store, "SETBIT", "hidden:1", 4, 1)  # below one that was removed with its replies
    factories.remove(store, 2)
    pipeline = store.pipeline()
    ids = [CommentId(1, number) for number in (2, 4, 3, 1, 9)]
    comments = store.listings.queue_comments(pipeline, [CommentId(2, 1), *ids, CommentId(9, 1)])
    nothing = store.listings.queue_comments(pipeline, [])
    pipeline.execute()
    told = [(row.id.number, row.title, row.text, row.answers) for row in comments.result]
    assert told == [(2, "A title", "Comment 2", "bob"), (1, "A title", "Comment 1", "")]
    assert nothing.result == ()
