"""A conversation that is written past the store, such as no form writes it."""

import time

from tests.store.examination import run
from voteweb.core import config
from voteweb.core.comments import CommentStatus, Node
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.schema.nodes import VOTER_FACTOR, format_node


def store_damageable(store: Store, article: int, ann: User, bob: User) -> None:
    """Store the conversation that the commands of conversation_damages.py spoil, with inboxes, reports and visits.

    Beside *ann* and *bob* the member with the id 4 has voted.
    """
    thread, posted, closes = f"thread:{article}", 1_700_000_000.0, int(time.time()) + 86_400
    removed = CommentStatus.REMOVED
    run(store, "HSET", thread, "last", 8, "rev", 1, "closes", closes, "reason:3", "spam", "reason:6", "spam")
    for node in (
        Node(1, 0, 2, 0, posted + 1, "ann"),
        Node(2, 1, 0, 0, posted + 2, "bob"),
        Node(3, 2, 3, 3, posted + 3, "ann", removed),
        Node(4, 0, 1, 0, posted + 4, "", CommentStatus.DELETED),
        Node(5, 4, 1, 0, posted + 5, "bob"),
        Node(6, 0, 0, 0, posted + 6, "ann", removed, removes_replies=True),
        Node(7, 6, 0, 0, posted + 7, "bob"),
        Node(8, 0, 0, 0, posted + 8, "ann", is_quiet=True, is_edited=True),
    ):
        run(store, "HSET", thread, node.number, format_node(node))
        run(store, "LPUSH", "comments:", f"{article}.{node.number}")
        if node.author:
            run(store, "HSET", f"words:{article}", node.number, f"Words of comment {node.number}.")
            run(store, "LPUSH", f"commented:{node.author}", f"{article}.{node.number}")
    run(store, "HSET", f"article:{article}", "comments", 4)
    for number in (3, 4, 6, 7):
        run(store, "SETBIT", f"hidden:{article}", number, 1)
    voted, votes = f"voted-comments:{article}-0", ((1, bob.id), (1, 4), (4, bob.id), (5, ann.id))
    run(store, "SADD", voted, 0, *(number * VOTER_FACTOR + voter for number, voter in votes))
    run(store, "EXPIREAT", voted, closes + config.VOTERS_GRACE_SECONDS)
    for key in ("inbox:ann", "unread:ann"):
        run(store, "RPUSH", key, f"reply {article}.2 1700000002")
    run(store, "HSET", "seen:bob", article, "3 5 1700000005.000000 7")
    for key in ("inbox:ann", "unread:ann", "seen:bob"):
        run(store, "EXPIRE", key, 86_400)
    run(store, "HSET", f"comment-report:{article}.2", "ann", '{"by":"ann","reason":"spam","note":"","time":1}')
    run(store, "ZADD", "reports:", 1, f"comment:{article}.2")
    run(store, "SADD", "reported-comments:ann", f"{article}.2")
    run(store, "HSET", "user:bob", "inbox-feed", "digest", "saved-feed", "saved", "my", "1700000000.000000")
    run(store, "MSET", "inbox-feed:digest", "bob", "saved-feed:saved", "bob")
    run(store, "ZADD", "follows:bob", 1, "go")
    run(store, "ZADD", "hides:bob", 1, "a1", 2, "mann")
    run(store, "ZADD", "saved:bob", 1, "article:3")
