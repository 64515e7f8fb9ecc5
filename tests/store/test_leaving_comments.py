"""The deletion of an account: its comments, their reports, the inbox and visits."""

import pytest

from tests import factories
from tests.store.examination import run, snapshot
from voteweb.core.comments import Node
from voteweb.core.config import DELETED_MEMBER
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.nodes import format_node, parse_node


@pytest.fixture
def ann(store: Store) -> User:
    """A member with a comment and a reply, who has reported a comment and has an inbox with a feed."""
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    factories.article(store, bob)
    for number, author in ((1, "Ann"), (2, "bob"), (3, "Ann")):
        node = Node(number, parent=number - 1, votes=number, base=0, time=1_700_000_000.5, author=author)
        run(store, "HSET", "thread:1", number, format_node(node), "last", number, "rev", number)
        run(store, "HSET", "words:1", number, f"words of {author}")
        run(store, "LPUSH", f"commented:{author.lower()}", f"1.{number}")
    run(store, "HSET", "article:1", "comments", 3)
    run(store, "SADD", "reported-comments:ann", "1.2")
    run(store, "HSET", "comment-report:1.2", "ann", '{"by": "Ann", "reason": "spam", "note": "words of the report"}')
    run(store, "ZADD", "reports:", 1, "comment:1.2")
    for key in ("inbox:ann", "unread:ann"):
        run(store, "LPUSH", key, "reply 1.2 1700000000")
    run(store, "HSET", "seen:ann", 1, "2 3 1700000000 3")
    store.inbox_feeds.renew(ann)
    return ann


def authors(store: Store) -> dict[int, tuple[str, int]]:
    """Return author and votes of each comment."""
    nodes = [parse_node(number, run(store, "HGET", "thread:1", number)) for number in (1, 2, 3)]
    return {node.number: (node.author, node.votes) for node in nodes if node}


def test_kept_comments_lose_the_name_and_keep_words_and_votes(store: Store, ann: User) -> None:
    revision = int(run(store, "HGET", "thread:1", "rev"))
    store.account_deletion.start(ann, delete_articles=False)
    store.account_deletion.finish("ann")
    assert authors(store) == {1: (DELETED_MEMBER, 1), 2: ("bob", 2), 3: (DELETED_MEMBER, 3)}
    assert run(store, "HGET", "words:1", 1) == "words of Ann"
    assert int(run(store, "HGET", "thread:1", "rev")) > revision


@pytest.mark.parametrize("delete_articles", [False, True])
def test_reports_inbox_feed_and_visits_go_with_the_account(store: Store, ann: User, delete_articles: bool) -> None:
    run(store, "SADD", "reported-comments:ann", "another program's")
    run(store, "RPUSH", "commented:ann", "another program's", "77.1")
    store.account_deletion.start(ann, delete_articles=delete_articles)
    for _ in store.account_deletion.steps():
        pass
    assert store.account_deletion.unfinished() == []
    assert "words of the report" not in str(snapshot(store))
    keys = "commented:ann reported-comments:ann inbox:ann unread:ann seen:ann inbox-feed:* comment-report:* reports:"
    assert [run(store, "KEYS", key) for key in keys.split()] == [[]] * 8
    assert run(store, "HGET", "user:ann", "inbox-feed") is None
