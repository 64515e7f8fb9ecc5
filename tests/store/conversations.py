"""Conversations that are written past the store, such as no form writes them."""

import time
from collections.abc import Mapping, Sequence

from tests.store.examination import run
from voteweb.core import config
from voteweb.core.comments import CommentStatus, Node
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.nodes import VOTER_FACTOR, format_node


def store_thread(store: Store, article: int, nodes: Sequence[Node], voters: Mapping[int, Sequence[int]]) -> None:
    """Store a conversation of *nodes*; *voters* are the ids of members by the number of the comment they voted for."""
    keys, closes, hidden = store.keys, int(time.time()) + 86_400, _hidden(nodes)
    key, last = keys.thread(article), max(node.number for node in nodes)
    commands: list[Command] = [
        ("HSET", key, "last", last, "rev", 1, "closes", closes),
        ("HSET", keys.article(article), "comments", len(nodes) - len(hidden)),
        *(("SETBIT", keys.hidden(article), number, 1) for number in hidden),
    ]
    for node in nodes:
        commands += [
            ("HSET", key, node.number, format_node(node)),
            ("LPUSH", keys.comments(), f"{article}.{node.number}"),
        ]
        if node.status is not CommentStatus.DELETED:
            commands += [
                ("HSET", keys.words(article), node.number, f"Words of comment {node.number}."),
                ("LPUSH", keys.commented(node.author), f"{article}.{node.number}"),
            ]
        voted = keys.voted_comments(article, node.number // config.VOTER_BLOCK)
        commands += [
            ("SADD", voted, 0, *(node.number * VOTER_FACTOR + voter for voter in voters.get(node.number, ()))),
            ("EXPIREAT", voted, closes + config.VOTERS_GRACE_SECONDS),
        ]
    store.connection.run(commands)


def _hidden(nodes: Sequence[Node]) -> set[int]:
    """Return the numbers of the comments that nobody can read."""
    covering = {node.number for node in nodes if node.removes_replies}
    for node in nodes:
        if node.parent in covering:
            covering.add(node.number)
    return covering | {node.number for node in nodes if node.status is not CommentStatus.VISIBLE}


def store_damageable(store: Store, article: int, ann: User, bob: User) -> None:
    """Store the conversation that the commands of conversation_damages.py spoil, with inboxes, reports and visits.

    Beside *ann* and *bob* the member with the id 4 has voted.
    """
    posted = 1_700_000_000.0
    removed = CommentStatus.REMOVED
    nodes = [
        Node(1, 0, 2, 0, posted + 1, "ann"),
        Node(2, 1, 0, 0, posted + 2, "bob"),
        Node(3, 2, 3, 3, posted + 3, "ann", removed),
        Node(4, 0, 1, 0, posted + 4, "", CommentStatus.DELETED),
        Node(5, 4, 1, 0, posted + 5, "bob"),
        Node(6, 0, 0, 0, posted + 6, "ann", removed, removes_replies=True),
        Node(7, 6, 0, 0, posted + 7, "bob"),
        Node(8, 0, 0, 0, posted + 8, "ann", is_quiet=True, is_edited=True),
    ]
    store_thread(store, article, nodes, {1: [bob.id, 4], 4: [bob.id], 5: [ann.id]})
    run(store, "HSET", f"thread:{article}", "reason:3", "spam", "reason:6", "spam")
    reply = f"reply {article}.2 1700000002"
    run(store, "RPUSH", "inbox:ann", reply)
    run(store, "RPUSH", "unread:ann", reply)
    run(store, "HSET", "seen:bob", article, "3 5 1700000005.000000 7")
    for key in ("inbox:ann", "unread:ann", "seen:bob"):
        run(store, "EXPIRE", key, 86_400)
    run(store, "HSET", f"comment-report:{article}.2", "ann", '{"by":"ann","reason":"spam","note":"","time":1}')
    run(store, "ZADD", "reports:", 1, f"comment:{article}.2")
    run(store, "SADD", "reported-comments:ann", f"{article}.2")
    run(store, "HSET", "user:bob", "inbox-feed", "digest")
    run(store, "SET", "inbox-feed:digest", "bob")
    run(store, "HSET", "user:bob", "saved-feed", "saved", "my", "1700000000.000000")
    run(store, "SET", "saved-feed:saved", "bob")
    run(store, "ZADD", "follows:bob", 1, "go")
    run(store, "ZADD", "hides:bob", 1, "a1", 2, "mann")
    run(store, "ZADD", "saved:bob", 1, "article:3")
