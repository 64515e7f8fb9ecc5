"""Comments: written, answered, edited, deleted, silenced."""

import time

import pytest

from tests import factories
from tests.store.examination import run
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.store import Store


def test_a_comment_is_everywhere_where_it_belongs(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "Bob")
    assert factories.comment(store, article, bob, text="First.") == CommentId(1, 1)
    assert factories.comment(store, article, bob, parent=1) == CommentId(1, 2)
    thread = factories.thread(store)
    assert thread.last == 2
    assert thread.closes == int(article.time) + 1_209_600
    first, second = thread.nodes.values()
    assert (first.author, first.parent, first.votes, first.base) == ("Bob", 0, 0, 0)
    assert (second.parent, second.status) == (1, CommentStatus.VISIBLE)
    assert first.time == pytest.approx(time.time(), abs=60)
    assert run(store, "HGETALL", "words:1") == {"1": "First.", "2": "Well said."}
    assert run(store, "LRANGE", "comments:", 0, -1) == ["1.2", "1.1"]
    assert run(store, "LRANGE", "commented:bob", 0, -1) == ["1.2", "1.1"]
    assert store.articles.get(1).comments == 2
    assert run(store, "SMEMBERS", "voted-comments:1-0") == {"0"}
    assert run(store, "EXPIRETIME", "voted-comments:1-0") == thread.closes + 3_600
