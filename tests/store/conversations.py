"""A conversation that is written past the store, such as no form writes it."""

import time

from tests.store.examination import run
from voteweb.core import config
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.schema.nodes import VOTER_FACTOR

#: The comments as they are stored: each with its parent, votes, votes without voters, time, state and author.
NODES = (
    "0 2 0 1700000001.000000 - ann",
    "1 0 0 1700000002.000000 - bob",
    "2 3 3 1700000003.000000 r ann",
    "0 1 0 1700000004.000000 d ",
    "4 1 0 1700000005.000000 - bob",
    "0 0 0 1700000006.000000 R ann",
    "6 0 0 1700000007.000000 - bob",
    "0 0 0 1700000008.000000 qe ann",
)


def store_damageable(store: Store, article: int, ann: User, bob: User) -> None:
    """Store the conversation that the commands of conversation_damages.py spoil, with inboxes, reports and visits.

    Beside *ann* and *bob* the member with the id 4 has voted.
    """
    thread, closes = f"thread:{article}", int(time.time()) + 86_400
    run(store, "HSET", thread, "last", 8, "rev", 1, "closes", closes, "reason:3", "spam", "reason:6", "spam")
    for number, node in enumerate(NODES, 1):
        author = node.rpartition(" ")[2]
        run(store, "HSET", thread, number, node)
        run(store, "LPUSH", "comments:", f"{article}.{number}")
        if author:
            run(store, "HSET", f"words:{article}", number, f"Words of comment {number}.")
            run(store, "LPUSH", f"commented:{author}", f"{article}.{number}")
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
